#include "api/codec/by_hand_request.hpp"
#include "api/codec/query.hpp"
#include "api/http/query.hpp"
#include "api/http/routes.hpp"

/// Runs of templates with steps: what can be read and done beyond what every task has.
namespace semel::http {
namespace {

constexpr std::string_view mermaid_type = "text/plain; charset=utf-8";

Result<bool> wants_mermaid(const Request& request) {
  if (Result<void> known = check_query(request, {"format"}); !known) return pass_on(known.error());
  const std::string format = text_from(request, "format").value_or("json");
  if (format != "json" && format != "mermaid") return bad_request("format must be json or mermaid");
  return format == "mermaid";
}

}  // namespace

void get_graph(Call call) {
  const auto id = codec::parse_id<domain::ExecutionId>(call.parts.front());
  if (!id) return call.to.refuse(id.error());
  const Result<bool> mermaid = wants_mermaid(call.request);
  if (!mermaid) return call.to.refuse(mermaid.error());
  const Result<engine::RunView> view = call.engine.run(call.principal, *id);
  if (!view) return call.to.refuse(view.error());
  if (*mermaid) call.to.respond({200, codec::encode_mermaid(*view), mermaid_type, {}});
  else call.to.answer(codec::encode_graph(*view));
}

void get_history(Call call) {
  const auto id = codec::parse_id<domain::ExecutionId>(call.parts.front());
  if (!id) return call.to.refuse(id.error());
  const Result<HistoryQuery> query = history_query_from(call.request);
  if (!query) return call.to.refuse(query.error());
  const Result<engine::HistoryView> view = call.engine.history(call.principal, *id, query->after, query->limit);
  if (!view) return call.to.refuse(view.error());
  call.to.answer(codec::encode_history(*view));
}

void resolve_step(Call call) {
  const Responder to = call.to;
  const auto id = codec::parse_id<domain::ExecutionId>(call.parts.front());
  if (!id) return to.refuse(id.error());
  auto body = codec::decode_resolve(call.request.body);
  if (!body) return to.refuse(body.error());
  body->step = call.parts.back();
  call.engine.resolve(call.principal, *id, *body, [to, id = *id](const Result<domain::State>& state) {
    if (!state) return to.refuse(state.error());
    to.answer(codec::encode_state(id, *state));
  });
}

}  // namespace semel::http
