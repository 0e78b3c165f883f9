#include "api/codec/dispatch.hpp"
#include "api/codec/query.hpp"
#include "api/codec/worker_request.hpp"
#include "api/http/query.hpp"
#include "api/http/routes.hpp"

/// What is pushed to targets, and what they call back. Callbacks show the token of their dispatch instead of a key: it
/// says whose attempt it is, and the name in the path is for people who read logs.
namespace semel::http {
namespace {

Result<domain::DispatchGrant> grant_of(const Call& call) {
  constexpr std::string_view scheme = "Bearer ";
  const std::string_view given = call.request.authorization;
  if (!given.starts_with(scheme))
    return refuse(ErrorCode::unauthorized, "send the token of the dispatch: Authorization: Bearer sdt1_…");
  return call.engine.check_callback(given.substr(scheme.size()));
}

using Said = std::variant<engine::Engine::CallbackBeat, engine::Engine::Success, engine::Engine::Failure>;

void call_back(const Call& call, Result<Said> said) {
  const Responder to = call.to;
  if (!said) return to.refuse(said.error());
  const Result<domain::DispatchGrant> grant = grant_of(call);
  if (!grant) return to.refuse(grant.error());
  const bool beats = std::holds_alternative<engine::Engine::CallbackBeat>(*said);
  call.engine.call_back(*grant, *std::move(said), [to, beats](const Result<AttemptAnswer>& answer) {
    if (!answer) return to.refuse(answer.error());
    to.answer(beats ? codec::encode_heartbeat(*answer) : codec::encode_attempt(*answer));
  });
}

Result<Said> beat_in(const Call& call) {
  const auto request = codec::decode_heartbeat(call.request.body);
  if (!request) return pass_on(request.error());
  return Said(engine::Engine::CallbackBeat{request->progress});
}

}  // namespace

void list_dispatches(Call call) {
  const Responder to = call.to;
  if (Result<void> known = check_query(call.request, {"dispatch_id", "external_id", "limit", "cursor"}); !known)
    return to.refuse(known.error());
  const std::optional<std::string> internal = text_from(call.request, "dispatch_id");
  const std::optional<std::string> external = text_from(call.request, "external_id");
  if (internal && external) return to.refuse({ErrorCode::bad_request, "give dispatch_id or external_id, not both"});
  if (internal || external) {
    const auto found =
        call.engine.find_dispatch(call.principal, internal ? *internal : *external, text_from(call.request, "cursor"));
    return found ? to.answer(codec::encode_dispatch_found(*found)) : to.refuse(found.error());
  }
  const Result<std::size_t> limit = limit_from(call.request);
  if (!limit) return to.refuse(limit.error());
  std::optional<domain::AttemptId> before;
  if (const std::optional<std::string> cursor = text_from(call.request, "cursor")) {
    const auto id = codec::parse_id<domain::AttemptId>(*cursor);
    if (!id) return to.refuse(id.error());
    before = *id;
  }
  const auto dispatches = call.engine.dispatches(call.principal, before, *limit);
  if (!dispatches) return to.refuse(dispatches.error());
  to.answer(codec::encode_dispatches(*dispatches, *limit));
}

void redispatch_task(Call call) {
  const Responder to = call.to;
  const auto id = codec::parse_id<domain::ExecutionId>(call.parts.front());
  if (!id) return to.refuse(id.error());
  call.engine.repair_dispatch(call.principal, *id, [to](const Result<domain::Dispatch>& dispatch) {
    if (!dispatch) return to.refuse(dispatch.error());
    to.answer(codec::encode_repaired(*dispatch));
  });
}

void dispatch_started(Call call) { call_back(call, beat_in(call)); }
void dispatch_heartbeat(Call call) { call_back(call, beat_in(call)); }

void dispatch_completed(Call call) {
  auto request = codec::decode_complete(call.request.body);
  if (!request) return call_back(call, pass_on(request.error()));
  call_back(call, Said(engine::Engine::Success{std::move(request->result)}));
}

void dispatch_failed(Call call) {
  auto request = codec::decode_fail(call.request.body);
  if (!request) return call_back(call, pass_on(request.error()));
  call_back(call, Said(codec::failure_of(*std::move(request))));
}

}  // namespace semel::http
