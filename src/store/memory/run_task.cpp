#include "domain/workflow/step_task.hpp"
#include "store/common/run_rows.hpp"
#include "store/memory/tables.hpp"

/// How tasks of runs get their keys, and what becomes of those whose key another has (DESIGN §3.6).
namespace semel::store::memory {
namespace {

using domain::Event;

void claim_key(Tables& tables, Record& task, const std::optional<Held>& held) {
  if (held && held->holder.id != task.execution.spec.id) task.execution.previous = held->holder.id;
  claim_identity(tables, task.execution.spec);
}

/// What the task came to by what its holder came to, if that decides it. A promise comes to whatever that is.
std::optional<domain::TaskOutcome> take_from(const domain::Execution& holder, domain::Kind kind) {
  const bool decides = holder.state == domain::State::completed || kind == domain::Kind::promise;
  if (!decides) return std::nullopt;
  return domain::TaskOutcome{holder.state, holder.result, holder.error};
}

}  // namespace

void suspend(Record& record, Time now) {
  record.execution.state = *next(record.execution.state, Event::suspended);
  record.phase = Phase::none;
  const domain::ExecutionSpec& spec = record.execution.spec;
  const bool begins = spec.kind == domain::Kind::workflow && !spec.step && !record.execution.started_at;
  if (begins) record.execution.started_at = now;
}

void has_closed(Tables& tables, const Record& record) {
  const domain::ExecutionSpec& spec = record.execution.spec;
  tables.attachments.erase({spec.tenant, spec.id});
  tables.closed.emplace_back(spec.tenant, spec.id);
}

std::optional<domain::TaskOutcome> enter_task(Tables& tables, Record& task, Time now,
                                              domain::code::KeyConflict on_conflict) {
  domain::Execution& execution = task.execution;
  domain::ExecutionSpec& spec = execution.spec;
  std::optional<Held> held;
  domain::KeyVerdict verdict;
  if (spec.identity.mode != domain::Mode::none) {
    held = holder_of_hash(tables, spec.tenant, spec.identity.hash);
    const auto policy = domain::code::key_policy(on_conflict, settings_of(tables, spec.tenant, spec.queue));
    verdict = judge_child_key(held ? &held->holder : nullptr, spec, policy, now);
  }
  if (verdict.answer == domain::KeyAnswer::apart) {
    add_history(tables, {spec.tenant, spec.step->run}, domain::code::key_conflict_event(spec, held->holder.id), now);
    spec.identity = {};
    held.reset();
    verdict.answer = domain::KeyAnswer::claim;
  }
  if (verdict.answer == domain::KeyAnswer::claim) {
    if (execution.state == domain::State::suspended) execution.state = *next(execution.state, Event::resumed);
    claim_key(tables, task, held);
    enter_queue(tables, task, now);
    return std::nullopt;
  }
  if (execution.state == domain::State::pending) suspend(task, now);
  switch (verdict.answer) {
    case domain::KeyAnswer::take_result: return take_from(*held->execution, spec.kind);
    case domain::KeyAnswer::fail: return domain::TaskOutcome{domain::State::failed, std::nullopt, verdict.error};
    default: break;
  }
  tables.attachments[{spec.tenant, spec.id}] = held->holder.id;
  add_history(tables, {spec.tenant, spec.step->run}, attached_event(spec, held->holder.id), now);
  return std::nullopt;
}

void close_task(Tables& tables, Record& task, domain::TaskOutcome outcome, Time now) {
  domain::Execution& execution = task.execution;
  execution.state = *next(execution.state, event_of(outcome.state));
  execution.closed_at = now;
  execution.result = std::move(outcome.result);
  execution.error = std::move(outcome.error);
  tell(tables, task);
  has_closed(tables, task);
}

/// Those that wait for a task that has closed get its result, or go on without it.
void tell_attached(Tables& tables, const TenantAndId& closed, Time now) {
  std::vector<TenantAndId> attached;
  for (const auto& [task, holder] : tables.attachments) {
    if (task.first == closed.first && holder == closed.second) attached.push_back(task);
  }
  for (const TenantAndId& id : attached) {
    tables.attachments.erase(id);
    Record& task = tables.executions.at(id);
    const domain::Execution& holder = tables.executions.at(closed).execution;
    std::optional<domain::TaskOutcome> outcome = take_from(holder, task.execution.spec.kind);
    if (!outcome) outcome = enter_task(tables, task, now);
    if (task.execution.state == domain::State::pending) tell(tables, task);
    if (outcome) close_task(tables, task, *std::move(outcome), now);
  }
}

}  // namespace semel::store::memory
