#include <algorithm>

#include "base/log.hpp"
#include "domain/workflow/code/names.hpp"
#include "engine/engine.hpp"

namespace semel::engine {
namespace {

ResultView result_of(domain::Execution execution) {
  return {execution.state, execution.closed_at, std::move(execution.result), std::move(execution.error)};
}

}  // namespace

tl::unexpected<Error> no_such_task(domain::ExecutionId id) {
  return refuse(ErrorCode::not_found, "there is no task {}", id.text());
}

Result<TaskView> Engine::get(const domain::Principal& principal, domain::ExecutionId id) {
  std::optional<domain::Execution> execution = store_.find(principal.tenant, id);
  if (!execution || !domain::may_read(principal, execution->spec.created_by)) return no_such_task(id);
  TaskView view;
  view.attempts = store_.attempts(principal.tenant, id);
  const bool was_pushed = std::ranges::any_of(view.attempts, domain::is_pushed);
  if (was_pushed) view.dispatches = dispatches_of(principal.tenant, id);
  if (was_pushed) view.timers = timers_of(*execution, view.attempts, plain(view.dispatches));
  view.duplicates = join(store_.duplicates(principal.tenant, id), duplicates_.read(principal.tenant, id));
  hide_previous(principal, *execution);
  const domain::Holder holder = domain::holder_of(*execution);
  view.window_end = domain::window_end(holder.window, holder.created_at, holder.closed_at);
  if (execution->spec.identity.mode != domain::Mode::none) {
    const auto held = store_.find_holder(principal.tenant, execution->spec.identity.hash);
    const bool is_holder = held && held->holder.id == id;
    view.held =
        is_holder && !domain::takes_over(domain::decide(held->holder, domain::Reuse::reject_duplicate, store_.now()));
  }
  if (execution->spec.kind == domain::Kind::workflow) {
    if (auto run = store_.run(principal.tenant, id)) view.run = view_of(principal.tenant, id, *std::move(run));
  } else if (execution->spec.step && !domain::code::command_of(execution->spec.step->task_key)) {
    // The handler of a step gets the context of its run; what code began has its own.
    if (auto run = store_.find(principal.tenant, execution->spec.step->run))
      execution->spec.context = std::move(run->spec.context);
  }
  view.execution = *std::move(execution);
  return view;
}

Result<KeyView> Engine::find_by_key(const domain::Principal& principal, const KeyQuery& query) {
  domain::Scope scope = domain::Scope::tenant;
  domain::ScopeSubject subject;
  if (query.name) {
    const std::string space = query.namespace_.value_or("default");
    const auto named = templates_.find(principal.tenant, space, *query.name, query.version);
    // The template says how its keys are scoped; one that is gone had the default scope as far as anybody knows.
    scope = query.version ? domain::Scope::template_version : domain::Scope::template_;
    if (named) scope = named->identity.scope;
    subject.named_task = domain::named_task_uuid(principal.tenant, space, *query.name);
    if (named) subject.version = named->version;
    else if (query.version) subject.version = *query.version;
    subject.queue = query.queue ? *query.queue : (named ? std::string_view(named->queue) : std::string_view());
  } else if (query.queue) {
    scope = domain::Scope::queue;
    subject.queue = *query.queue;
  }
  const std::string value = domain::scope_value(scope, subject);
  const Hash32 hash =
      domain::identity_hash({domain::Mode::key, principal.tenant, scope, value, query.key, std::nullopt});
  std::optional<Held> held = store_.find_holder(principal.tenant, hash);
  if (!held || !domain::may_read(principal, held->holder.created_by)) {
    return refuse(ErrorCode::not_found, "no execution holds or held this key in this scope");
  }
  KeyView view;
  view.is_held = !domain::takes_over(domain::decide(held->holder, domain::Reuse::reject_duplicate, store_.now()));
  view.window_end = domain::window_end(held->holder.window, held->holder.created_at, held->holder.closed_at);
  view.held = *std::move(held);
  if (view.held.execution) hide_previous(principal, *view.held.execution);
  return view;
}

/// The execution whose identity was taken over is another one: it is named only to those who may read it.
void Engine::hide_previous(const domain::Principal& principal, domain::Execution& execution) {
  if (!execution.previous || principal.may(domain::Permission::tasks_read)) return;
  const auto previous = store_.find(principal.tenant, *execution.previous);
  if (!previous || !domain::may_read(principal, previous->spec.created_by)) execution.previous.reset();
}

/// Who waits looks again on a thread of timers or of commits, where nobody else would catch what a store throws.
Engine::Looked Engine::look_again(const std::string& tenant, domain::ExecutionId id) {
  try {
    std::optional<domain::Execution> found = store_.find(tenant, id);
    return found ? found : store_.find_departed(tenant, id);  // another server may have removed it when it closed
  } catch (const StoreFault& fault) {
    log::error("the store failed to tell what became of execution {}: {}", id.text(), fault.what());
    return refuse(ErrorCode::unavailable, "the store cannot answer now; try again");
  }
}

void Engine::await_closed(const std::string& tenant, domain::ExecutionId id, Duration wait, Answer<Looked> answer) {
  const auto shared = std::make_shared<Answer<Looked>>(std::move(answer));
  if (wait == Duration{0} || stopping_) return (*shared)(look_again(tenant, id));
  const ResultWaiters::Token token =
      result_waiters_.add(tenant, id, wait, [this, shared, tenant, id](const domain::Execution* gone) {
        (*shared)(gone != nullptr ? Looked(*gone) : look_again(tenant, id));
      });
  Looked now = look_again(tenant, id);
  const bool over = stopping_ || !now || !*now || domain::is_closed((*now)->state);
  if (over && result_waiters_.cancel(token)) (*shared)(std::move(now));
}

void Engine::await_result(const domain::Principal& principal, domain::ExecutionId id, Duration wait,
                          Answer<Result<ResultView>> answer) {
  const std::optional<domain::Execution> first = store_.find(principal.tenant, id);
  if (!first) {
    const auto tombstone = store_.find_tombstone(principal.tenant, id);
    if (!tombstone || !domain::may_read(principal, tombstone->created_by)) return answer(no_such_task(id));
    return answer(refuse(ErrorCode::result_expired, "task {} was {}, and its result is no longer kept", id.text(),
                         domain::name_of(tombstone->state)));
  }
  if (!domain::may_read(principal, first->spec.created_by)) return answer(no_such_task(id));
  if (domain::is_closed(first->state)) return answer(result_of(*first));
  await_closed(principal.tenant, id, wait, [id, answer = std::move(answer)](Looked now) {
    if (!now) return answer(pass_on(now.error()));
    if (!*now) return answer(refuse(ErrorCode::result_expired, "the result of task {} is no longer kept", id.text()));
    answer(result_of(**std::move(now)));
  });
}

}  // namespace semel::engine
