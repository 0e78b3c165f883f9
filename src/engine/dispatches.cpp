#include "engine/engine.hpp"

/// What is pushed to targets: who may see it, and what targets say.
namespace semel::engine {
namespace {

constexpr std::size_t dispatches_max = 1'000;  // of one task: as many as it may have attempts

}  // namespace

std::vector<domain::Dispatch> plain(const std::vector<StoredDispatch>& stored) {
  std::vector<domain::Dispatch> dispatches;
  for (const StoredDispatch& each : stored) dispatches.push_back(each.dispatch);
  return dispatches;
}

std::vector<StoredDispatch> Engine::dispatches_of(const std::string& tenant, domain::ExecutionId id) {
  DispatchQuery query;
  query.tenant = tenant;
  query.execution_id = id;
  query.limit = dispatches_max;
  return store_.dispatches(query);
}

Result<std::vector<StoredDispatch>> Engine::dispatches(const domain::Principal& principal,
                                                       std::optional<domain::AttemptId> before, std::size_t limit) {
  if (Result<void> allowed = require(principal, domain::Permission::tasks_read); !allowed)
    return pass_on(allowed.error());
  DispatchQuery query;
  query.tenant = principal.tenant;
  query.before = before;
  query.limit = limit;
  return store_.dispatches(query);
}

void Engine::repair_dispatch(const domain::Principal& principal, domain::ExecutionId id,
                             Answer<Result<domain::Dispatch>> answer) {
  if (Result<void> allowed = require(principal, domain::Permission::admin); !allowed)
    return answer(pass_on(allowed.error()));
  commit<RepairAnswer>(RepairDispatch{principal.tenant, id, principal.key_id},
                       [this, id, answer = std::move(answer)](const Result<RepairAnswer>& repaired) {
                         if (!repaired) return answer(pass_on(repaired.error()));
                         if (repaired->kind == RepairAnswer::Kind::not_found) return answer(no_such_task(id));
                         if (repaired->kind == RepairAnswer::Kind::not_open)
                           return answer(refuse(ErrorCode::not_retryable, "the task is not on its way to a target"));
                         if (repaired->kind == RepairAnswer::Kind::not_sent)
                           return answer(refuse(ErrorCode::not_retryable,
                                                "the target has not accepted the task: it is being sent anyway"));
                         if (dispatcher_) dispatcher_->expect(store_.now());
                         answer(*repaired->dispatch);
                       });
}

Result<domain::DispatchGrant> Engine::check_callback(std::string_view token) const {
  if (!callback_key_) return refuse(ErrorCode::unauthorized, "this server pushes nothing");
  return domain::check_dispatch_token(*callback_key_, token, store_.now());
}

/// The token says whose attempt it is; that it is still the current one, the store sees.
void Engine::call_back(const domain::DispatchGrant& grant, std::variant<CallbackBeat, Success, Failure> said,
                       Answer<Result<AttemptAnswer>> answer) {
  if (auto* success = std::get_if<Success>(&said))
    return tell_of_attempt(Complete{grant.tenant, grant.attempt, std::move(success->result)}, std::move(answer));
  if (auto* failure = std::get_if<Failure>(&said)) {
    return tell_of_attempt(
        Fail{grant.tenant, grant.attempt, std::move(failure->error), failure->retryable, failure->retry_after},
        std::move(answer));
  }
  const std::optional<domain::Execution> execution = store_.find(grant.tenant, grant.task);
  if (!execution) return answer(attempt_answer(Outcome(AttemptAnswer{})));
  const Duration lease = queues_.settings(grant.tenant, execution->spec.queue).heartbeat_timeout;
  Heartbeat beat{grant.tenant, grant.attempt, lease, std::get<CallbackBeat>(said).progress};
  tell_of_attempt(std::move(beat), [this, answer = std::move(answer)](Result<AttemptAnswer> told) {
    if (told && told->lease_until) expect_timer(*told->lease_until);
    answer(std::move(told));
  });
}

}  // namespace semel::engine
