#include "api/codec/by_hand_request.hpp"
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

struct HistoryQuery {
  std::int64_t after = 0;
  std::size_t limit = 100;
};

Result<HistoryQuery> history_query_from(const Request& request) {
  if (Result<void> known = check_query(request, {"cursor", "limit"}); !known) return pass_on(known.error());
  const Result<std::optional<std::int64_t>> cursor = number_from(request, "cursor");
  if (!cursor) return pass_on(cursor.error());
  const Result<std::size_t> limit = limit_from(request);
  if (!limit) return pass_on(limit.error());
  return HistoryQuery{cursor->value_or(0), *limit};
}

}  // namespace

void get_graph(Call call) {
  const auto id = id_from<domain::ExecutionId>(call.parts.front());
  if (!id) return call.to.refuse(id.error());
  const Result<bool> mermaid = wants_mermaid(call.request);
  if (!mermaid) return call.to.refuse(mermaid.error());
  const Result<engine::RunView> view = call.engine.run(call.principal, *id);
  if (!view) return call.to.refuse(view.error());
  if (*mermaid) call.to.respond({200, codec::encode_mermaid(*view), mermaid_type, {}});
  else call.to.answer(codec::encode_graph(*view));
}

void get_history(Call call) {
  const auto id = id_from<domain::ExecutionId>(call.parts.front());
  if (!id) return call.to.refuse(id.error());
  const Result<HistoryQuery> query = history_query_from(call.request);
  if (!query) return call.to.refuse(query.error());
  const Result<engine::HistoryView> view = call.engine.history(call.principal, *id, query->after, query->limit);
  if (!view) return call.to.refuse(view.error());
  call.to.answer(codec::encode_history(*view));
}

void resolve_step(Call call) {
  const Responder to = call.to;
  const auto id = id_from<domain::ExecutionId>(call.parts.front());
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
