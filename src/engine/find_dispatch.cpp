#include <algorithm>
#include <set>

#include "domain/attempt_name.hpp"
#include "domain/dispatch_timer.hpp"
#include "domain/workflow/code/names.hpp"
#include "domain/workflow/step_id.hpp"
#include "engine/engine.hpp"
#include "engine/search.hpp"

/// Dispatches and timers, by either of their identifiers (ADR 0028). An internal one says which task it is of. An
/// external one is a hash: the outbox knows what was pushed, and everything else is looked for.
namespace semel::engine {
namespace {

tl::unexpected<Error> no_such_dispatch() {
  return refuse(ErrorCode::not_found, "no task that is kept has a dispatch or a timer with this identifier");
}

bool is_in_run(const std::optional<domain::Execution>& execution, domain::ExecutionId run, std::string_view task_key) {
  return execution && execution->spec.step && execution->spec.step->run == run &&
         execution->spec.step->task_key == task_key;
}

/// Pushed or not: which of them are shown beside a task does not matter to whoever asks for one.
std::vector<domain::DispatchTimer> timers_of_attempt(const domain::Execution& execution,
                                                     std::span<const domain::Attempt> attempts,
                                                     std::span<const StoredDispatch> dispatches, int attempt) {
  domain::PushedAttempts pushed;
  for (const StoredDispatch& each : dispatches)
    pushed[each.dispatch.attempt] = {each.dispatch.due_at, each.dispatch.accepted_at.has_value()};
  std::vector<domain::DispatchTimer> timers;
  for (const domain::AttemptTimer& timer : timers_of_attempts(execution, attempts, pushed)) {
    if (timer.attempt == attempt) timers.push_back({timer, timer_ids_of(execution.spec, timer)});
  }
  return timers;
}

}  // namespace

/// The task that has this key in its run, or that is its own run. All of these ids can be told.
std::optional<domain::Execution> Engine::named_task_of(const std::string& tenant, const domain::DispatchName& name) {
  const std::optional<Uuid> uuid = Uuid::parse(name.run_id);
  if (!uuid) return std::nullopt;
  const domain::ExecutionId run{*uuid};
  const std::optional<std::int64_t> command = domain::code::command_of(name.task_key);
  const domain::ExecutionId id =
      command ? domain::code::child_id(run, *command) : domain::step_execution_id(run, name.task_key);
  std::optional<domain::Execution> found = store_.find(tenant, id);
  if (is_in_run(found, run, name.task_key)) return found;
  found = store_.find(tenant, run);
  const bool is_own_run = found && !found->spec.step && found->spec.handler == name.task_key;
  return is_own_run ? std::move(found) : std::nullopt;
}

/// With what the names of timers follow from beside what is stored.
domain::WantedName Engine::wanted_name(const std::string& tenant, const std::string& external_id) const {
  std::set<Duration> leases;
  for (const std::string& queue : queues_.names(tenant)) {
    const domain::QueueSettings settings = queues_.settings(tenant, queue);
    if (settings.target) leases.insert(lease_of_accepted(settings));
  }
  return {external_id, {leases.begin(), leases.end()}};
}

Result<DispatchView> Engine::view_named(const domain::Principal& principal, const std::string& identifier,
                                        const domain::DispatchName& name) {
  std::optional<domain::Execution> execution = named_task_of(principal.tenant, name);
  if (!execution || !domain::may_read(principal, execution->spec.created_by)) return no_such_dispatch();
  const int newest = std::max(execution->attempt, 1);
  // The name of a heartbeat timer says when, and not of which attempt.
  const std::string of_timer = name.attempt ? "" : domain::external_id("t_", identifier);
  DispatchView view = dispatch_view(principal.tenant, *std::move(execution), name.attempt, of_timer);
  const int repairs = view.pushed ? view.pushed->dispatch.repair : 0;
  if (view.attempt > newest || name.repair > repairs) return no_such_dispatch();
  return view;
}

/// Of the attempt with that number; else of the one that the external identifier is of; else of the newest.
DispatchView Engine::dispatch_view(const std::string& tenant, domain::Execution execution, std::optional<int> number,
                                   const std::string& external_id) {
  const std::vector<domain::Attempt> attempts = store_.attempts(tenant, execution.spec.id);
  const std::vector<StoredDispatch> dispatches = dispatches_of(tenant, execution.spec.id);
  if (!number) number = attempt_called(execution, attempts, plain(dispatches), wanted_name(tenant, external_id));
  DispatchView view;
  view.attempt = number ? *number : std::max(execution.attempt, 1);
  view.ids = dispatch_ids_of(execution.spec, view.attempt);
  for (const domain::Attempt& each : attempts) {
    if (each.number == view.attempt) view.record = each;
  }
  for (const StoredDispatch& each : dispatches) {
    if (each.dispatch.attempt == view.attempt) view.pushed = each;
  }
  if (view.pushed) view.ids = view.pushed->dispatch.ids;
  view.timers = timers_of_attempt(execution, attempts, dispatches, view.attempt);
  view.execution = std::move(execution);
  return view;
}

/// What the outbox has an index for: the names that pushed dispatches have now.
std::optional<DispatchView> Engine::find_in_outbox(const std::string& tenant, const std::string& external_id) {
  DispatchQuery query;
  query.tenant = tenant;
  query.external_id = external_id;
  query.limit = 1;
  const std::vector<StoredDispatch> found = store_.dispatches(query);
  if (found.empty()) return std::nullopt;
  std::optional<domain::Execution> execution = store_.find(tenant, found[0].dispatch.execution_id);
  if (!execution) return std::nullopt;
  return dispatch_view(tenant, *std::move(execution), found[0].dispatch.attempt, external_id);
}

/// Newest first, one page.
Result<DispatchFound> Engine::search_dispatch(const domain::Principal& principal, const std::string& external_id,
                                              std::optional<std::string> cursor) {
  if (Result<void> allowed = require(principal, domain::Permission::tasks_read); !allowed)
    return pass_on(allowed.error());
  ListQuery query;
  query.tenant = principal.tenant;
  query.named = NameSearch{wanted_name(principal.tenant, external_id)};
  query.cursor = std::move(cursor);
  query.limit = 1;
  bound_search(query, store_.now());
  Result<Page> page = store_.list(query);
  if (!page) return pass_on(page.error());
  if (!page->executions.empty()) {
    return DispatchFound(
        dispatch_view(principal.tenant, std::move(page->executions.front()), std::nullopt, external_id));
  }
  if (!page->next) return no_such_dispatch();
  return DispatchFound(DispatchSearch{page->looked_at, page->looked_back_to, *std::move(page->next)});
}

Result<DispatchFound> Engine::find_dispatch(const domain::Principal& principal, const std::string& identifier,
                                            std::optional<std::string> cursor) {
  if (const std::optional<domain::DispatchName> name = domain::parse_dispatch_id(identifier)) {
    Result<DispatchView> view = view_named(principal, identifier, *name);
    if (!view) return pass_on(view.error());
    return DispatchFound(*std::move(view));
  }
  if (!domain::is_external_id(identifier)) return no_such_dispatch();
  if (!cursor) {
    std::optional<DispatchView> pushed = find_in_outbox(principal.tenant, identifier);
    if (pushed && domain::may_read(principal, pushed->execution.spec.created_by))
      return DispatchFound(*std::move(pushed));
    if (pushed) return no_such_dispatch();
  }
  return search_dispatch(principal, identifier, std::move(cursor));
}

}  // namespace semel::engine
