#include <atomic>
#include <memory>

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

engine::Engine::Failure failure_of(codec::FailRequest request) {
  return {std::move(request.error), request.retryable, request.retry_after};
}

Result<engine::Engine::Ending> ending_of(Result<codec::OutcomeRequest> request) {
  if (!request) return pass_on(request.error());
  if (auto* fail = std::get_if<codec::FailRequest>(&request->outcome))
    return engine::Engine::Ending{request->attempt_id, failure_of(std::move(*fail))};
  auto& complete = std::get<codec::CompleteRequest>(request->outcome);
  return engine::Engine::Ending{request->attempt_id, engine::Engine::Success{std::move(complete.result)}};
}

/// A poll that brings outcomes with it.
void work(const Call& call, codec::PollBody body) {
  std::vector<Result<engine::Engine::Ending>> endings;
  for (Result<codec::OutcomeRequest>& each : body.outcomes) endings.push_back(ending_of(std::move(each)));
  call.engine.work(call.principal, std::move(body.poll), std::move(endings),
                   [to = call.to](const Result<engine::Engine::WorkAnswer>& answer) {
                     if (!answer) return to.refuse(answer.error());
                     to.answer(codec::encode_work(answer->leases, answer->endings));
                   });
}

/// Answers once the last of a batch's outcomes is known.
struct Outcomes {
  explicit Outcomes(Call from, std::size_t count)
      : call(std::move(from)), answers(count, pass_on(Error{})), missing(count) {}

  const Call call;
  std::vector<Result<AttemptAnswer>> answers;
  std::atomic<std::size_t> missing;

  void fill(std::size_t slot, Result<AttemptAnswer> answer) {
    answers[slot] = std::move(answer);
    if (missing.fetch_sub(1) == 1) call.to.answer(codec::encode_outcomes(answers));
  }
};

}  // namespace

void poll(Call call) {
  const Responder to = call.to;
  Result<codec::PollBody> body = codec::decode_poll(call.request.body);
  if (!body) return to.refuse(body.error());
  if (!body->outcomes.empty()) return work(call, *std::move(body));
  engine::Engine::PollRequest request = std::move(body->poll);
  const bool waits = request.wait > Duration{0};
  const auto liveness = call.request.liveness;
  auto polling = call.engine.poll(call.principal, std::move(request), [to](const Result<std::vector<Lease>>& leases) {
    if (!leases) return to.refuse(leases.error());
    to.answer(codec::encode_leases(*leases));
  });
  if (waits && polling && liveness) liveness->on_gone([polling] { polling->abandon(); });
}

void complete_attempt(Call call) {
  const Responder to = call.to;
  const auto id = id_from<domain::AttemptId>(call.parts.front());
  if (!id) return to.refuse(id.error());
  auto request = codec::decode_complete(call.request.body);
  if (!request) return to.refuse(request.error());
  call.engine.complete(call.principal, *id, std::move(request->result), answer_attempt(to));
}

void fail_attempt(Call call) {
  const Responder to = call.to;
  const auto id = id_from<domain::AttemptId>(call.parts.front());
  if (!id) return to.refuse(id.error());
  auto request = codec::decode_fail(call.request.body);
  if (!request) return to.refuse(request.error());
  call.engine.fail(call.principal, *id, failure_of(*std::move(request)), answer_attempt(to));
}

void heartbeat_attempt(Call call) {
  const Responder to = call.to;
  const auto id = id_from<domain::AttemptId>(call.parts.front());
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
  call.request.body.clear();
  const auto outcomes = std::make_shared<Outcomes>(std::move(call), requests->size());
  for (std::size_t slot = 0; slot < requests->size(); ++slot) {
    Result<codec::OutcomeRequest>& request = (*requests)[slot];
    if (!request) {
      outcomes->fill(slot, pass_on(request.error()));
      continue;
    }
    const auto fill = [outcomes, slot](Result<AttemptAnswer> answer) { outcomes->fill(slot, std::move(answer)); };
    const Call& from = outcomes->call;
    if (auto* complete = std::get_if<codec::CompleteRequest>(&request->outcome)) {
      from.engine.complete(from.principal, request->attempt_id, std::move(complete->result), fill);
    } else {
      from.engine.fail(from.principal, request->attempt_id,
                       failure_of(std::move(std::get<codec::FailRequest>(request->outcome))), fill);
    }
  }
}

}  // namespace semel::http
