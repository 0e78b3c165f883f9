#include "api/codec/promise_request.hpp"
#include "api/codec/query.hpp"
#include "api/http/routes.hpp"

namespace semel::http {
namespace {

using codec::Settling;

void settle_promise(const Call& call, Result<engine::Engine::SettleRequest> request) {
  if (!request) return call.to.refuse(request.error());
  call.engine.settle(call.principal, *std::move(request), [to = call.to](const Result<SettleAnswer>& answer) {
    if (!answer) return to.refuse(answer.error());
    to.answer(codec::encode_settled(*answer));
  });
}

void settle_by_id(const Call& call, Settling how) {
  const auto id = codec::parse_id<domain::ExecutionId>(call.parts.front());
  if (!id) return call.to.refuse(id.error());
  settle_promise(call, codec::decode_settle(call.request.body, how, *id));
}

}  // namespace

void create_promise(Call call) {
  const Responder to = call.to;
  Result<domain::Submission> promise = codec::decode_promise(call.request.body, call.request.idempotency_key);
  if (!promise) return to.refuse(promise.error());
  call.engine.submit(call.principal, *std::move(promise),
                     [to](const engine::SubmitAnswer& answer) { to.answer(codec::encode_promised(answer)); });
}

void get_promise(Call call) {
  const auto id = codec::parse_id<domain::ExecutionId>(call.parts.front());
  if (!id) return call.to.refuse(id.error());
  const Result<domain::Execution> promise = call.engine.promise(call.principal, *id);
  if (!promise) return call.to.refuse(promise.error());
  call.to.answer(codec::encode_promise(*promise));
}

void resolve_promise(Call call) { settle_by_id(call, Settling::resolve); }

void reject_promise(Call call) { settle_by_id(call, Settling::reject); }

void resolve_promise_by_key(Call call) {
  settle_promise(call, codec::decode_settle_by_key(call.request.body, Settling::resolve));
}

void reject_promise_by_key(Call call) {
  settle_promise(call, codec::decode_settle_by_key(call.request.body, Settling::reject));
}

}  // namespace semel::http
