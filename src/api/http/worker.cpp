#include "api/codec/query.hpp"
#include "api/codec/worker_request.hpp"
#include "api/http/routes.hpp"

namespace semel::http {
namespace {

auto answer_attempt(const Responder& to) {
  return [to](const Result<AttemptAnswer>& answer) {
    if (!answer) return to.refuse(answer.error());
    to.answer(codec::encode_attempt(*answer));
  };
}

using Polling = std::shared_ptr<engine::Engine::Poll>;

/// A poll that brings outcomes with it.
Polling work(const Call& call, codec::PollBody body) {
  return call.engine.work(call.principal, std::move(body.poll), codec::endings_of(std::move(body.outcomes)),
                          [to = call.to](const Result<engine::Engine::WorkAnswer>& answer) {
                            if (!answer) return to.refuse(answer.error());
                            to.answer(codec::encode_work(answer->leases, answer->endings));
                          });
}

Polling poll_only(const Call& call, engine::Engine::PollRequest request) {
  return call.engine.poll(call.principal, std::move(request), [to = call.to](const Result<std::vector<Lease>>& leases) {
    if (!leases) return to.refuse(leases.error());
    to.answer(codec::encode_leases(*leases));
  });
}

}  // namespace

void poll(Call call) {
  const Responder to = call.to;
  Result<codec::PollBody> body = codec::decode_poll(call.request.body);
  if (!body) return to.refuse(body.error());
  const bool waits = body->poll.wait > Duration{0};
  const auto liveness = call.request.liveness;
  const Polling polling =
      body->outcomes.empty() ? poll_only(call, std::move(body->poll)) : work(call, *std::move(body));
  if (waits && polling && liveness) liveness->on_gone([polling] { polling->abandon(); });
}

void complete_attempt(Call call) {
  const Responder to = call.to;
  const auto id = codec::parse_id<domain::AttemptId>(call.parts.front());
  if (!id) return to.refuse(id.error());
  auto request = codec::decode_complete(call.request.body);
  if (!request) return to.refuse(request.error());
  call.engine.complete(call.principal, *id, std::move(request->result), answer_attempt(to));
}

void fail_attempt(Call call) {
  const Responder to = call.to;
  const auto id = codec::parse_id<domain::AttemptId>(call.parts.front());
  if (!id) return to.refuse(id.error());
  auto request = codec::decode_fail(call.request.body);
  if (!request) return to.refuse(request.error());
  call.engine.fail(call.principal, *id, codec::failure_of(*std::move(request)), answer_attempt(to));
}

void heartbeat_attempt(Call call) {
  const Responder to = call.to;
  const auto id = codec::parse_id<domain::AttemptId>(call.parts.front());
  if (!id) return to.refuse(id.error());
  const auto request = codec::decode_heartbeat(call.request.body);
  if (!request) return to.refuse(request.error());
  call.engine.heartbeat(call.principal, *id, request->lease, request->progress,
                        [to](const Result<AttemptAnswer>& answer) {
                          if (!answer) return to.refuse(answer.error());
                          to.answer(codec::encode_heartbeat(*answer));
                        });
}

void end_attempts(Call call) {
  const Responder to = call.to;
  auto requests = codec::decode_outcomes(call.request.body);
  if (!requests) return to.refuse(requests.error());
  call.engine.end(
      call.principal, codec::endings_of(*std::move(requests)),
      [to](const std::vector<Result<AttemptAnswer>>& answers) { to.answer(codec::encode_outcomes(answers)); });
}

}  // namespace semel::http
