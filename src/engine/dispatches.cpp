#include <algorithm>

#include "domain/dispatch_timer.hpp"
#include "engine/engine.hpp"

/// What is pushed to targets: who may see it, and what targets say.
namespace semel::engine {
namespace {

constexpr std::size_t dispatches_max = 1'000;  // of one task: as many as it may have attempts
constexpr std::size_t siblings_a_page = 500;
constexpr std::size_t dispatches_a_page = 500;
constexpr int pages_max = 20;  // of what is on its way: an unknown name is not looked for among a million

tl::unexpected<Error> no_such_dispatch() {
  return refuse(ErrorCode::not_found,
                "there is no such dispatch: internal identifiers of all tasks and their timers are known, and the "
                "external ones (d_…) of those that are pushed to a target");
}

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

/// The task that has this key in its run, or that is its own run.
std::optional<domain::Execution> Engine::named_task_of(const std::string& tenant, const domain::DispatchName& name) {
  const std::optional<Uuid> run = Uuid::parse(name.run_id);
  if (!run) return std::nullopt;
  std::optional<domain::Execution> found = store_.find(tenant, {*run});
  if (found && !found->spec.step && found->spec.handler == name.task_key) return found;
  ListQuery query;
  query.tenant = tenant;
  query.run = domain::ExecutionId{*run};
  query.limit = siblings_a_page;
  do {
    Result<Page> page = store_.list(query);
    if (!page) return std::nullopt;
    for (const domain::Execution& each : page->executions) {
      if (each.spec.step && each.spec.step->task_key == name.task_key) return store_.find(tenant, each.spec.id);
    }
    query.cursor = page->next;
  } while (query.cursor);
  return std::nullopt;
}

DispatchView Engine::dispatch_view(const std::string& tenant, domain::Execution execution, int attempt) {
  DispatchView view;
  view.attempt = attempt;
  view.ids = dispatch_ids_of(execution.spec, attempt);
  const std::vector<domain::Attempt> attempts = store_.attempts(tenant, execution.spec.id);
  const std::vector<StoredDispatch> dispatches = dispatches_of(tenant, execution.spec.id);
  for (const domain::Attempt& each : attempts) {
    if (each.number == attempt) view.record = each;
  }
  for (const StoredDispatch& each : dispatches) {
    if (each.dispatch.attempt == attempt) view.pushed = each;
  }
  if (view.pushed) view.ids = view.pushed->dispatch.ids;
  view.timers = timers_of(execution, attempts, plain(dispatches));
  std::erase_if(view.timers, [&](const domain::DispatchTimer& timer) { return timer.attempt != attempt; });
  view.execution = std::move(execution);
  return view;
}

/// By the name that it has, or had before it was given a new one. Only the newest is stored: the others are looked for
/// among what is on its way, which is when somebody asks for them.
std::optional<domain::Dispatch> Engine::find_dispatch_called(const std::string& tenant,
                                                             const std::string& external_id) {
  DispatchQuery query;
  query.tenant = tenant;
  query.external_id = external_id;
  query.limit = 1;
  std::vector<StoredDispatch> found = store_.dispatches(query);
  if (!found.empty()) return found[0].dispatch;
  query.external_id.reset();
  query.limit = dispatches_a_page;
  for (int page = 0; page < pages_max; ++page) {
    found = store_.dispatches(query);
    for (const StoredDispatch& each : found) {
      if (was_called(each.dispatch, external_id)) return each.dispatch;
    }
    if (found.size() < query.limit) break;
    query.before = found.back().dispatch.attempt_id;
  }
  return std::nullopt;
}

/// Whether the attempt was sent under a new name so many times, or more.
bool Engine::has_been_repaired(const std::string& tenant, domain::ExecutionId id, int attempt, int repair) {
  return std::ranges::any_of(dispatches_of(tenant, id), [&](const StoredDispatch& each) {
    return each.dispatch.attempt == attempt && each.dispatch.repair >= repair;
  });
}

Result<DispatchView> Engine::find_dispatch(const domain::Principal& principal, const std::string& identifier) {
  const std::string& tenant = principal.tenant;
  std::optional<domain::Execution> execution;
  std::optional<int> attempt;
  int repair = 0;
  if (const std::optional<domain::DispatchName> name = domain::parse_dispatch_id(identifier)) {
    execution = named_task_of(tenant, *name);
    attempt = name->attempt;
    repair = name->repair;
  } else if (const std::optional<domain::Dispatch> pushed = find_dispatch_called(tenant, identifier)) {
    execution = store_.find(tenant, pushed->execution_id);
    attempt = pushed->attempt;
  }
  if (!execution || !domain::may_read(principal, execution->spec.created_by)) return no_such_dispatch();
  const int newest = std::max(execution->attempt, 1);
  if (!attempt) attempt = newest;
  const bool is_unheard_of =
      *attempt > newest || (repair > 0 && !has_been_repaired(tenant, execution->spec.id, *attempt, repair));
  if (is_unheard_of) return no_such_dispatch();
  return dispatch_view(tenant, *std::move(execution), *attempt);
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
