#include "base/ensure.hpp"
#include "store/sqlite/life_rows.hpp"
#include "store/sqlite/open_run.hpp"
#include "store/sqlite/places.hpp"

/// How tasks of runs enter their queues, get their keys, and what becomes of those whose key another has (DESIGN §3.6).
namespace semel::store::sqlite {

using domain::KeyAnswer;
using domain::State;

/// How a task enters its queue.
struct OpenRun::Entry {
  State state = State::pending;
  Phase phase = Phase::neither;
  bool superseded = false;                           // it does not hold its identity
  std::optional<domain::ExecutionId> previous{};     // from whom it has the identity
  std::optional<domain::ExecutionId> attached_to{};  // for whom it waits
  std::optional<domain::TaskOutcome> outcome{};      // what it came to at once
};

OpenRun::Entry OpenRun::enter(const domain::ExecutionSpec& task) {
  Entry entry;
  const std::optional<FoundHolder> other = other_holder(batch_, tenant_id_, task);
  std::optional<domain::Holder> holder;
  if (other) holder = other->holder();
  domain::KeyVerdict verdict = judge_key(holder ? &*holder : nullptr, task, batch_.now);
  if (verdict.answer == KeyAnswer::claim) {
    if (other) hand_over(batch_, tenant_id_, *other);
    if (holder) entry.previous = holder->id;
    entry.phase = entry_phase(batch_, tenant_id_, task);
    return entry;
  }
  entry.state = State::suspended;
  entry.superseded = true;
  if (verdict.answer == KeyAnswer::attach) entry.attached_to = holder->id;
  if (verdict.answer == KeyAnswer::take_result)
    entry.outcome = domain::TaskOutcome{State::completed, other->row->execution.result, std::nullopt};
  if (verdict.answer == KeyAnswer::fail)
    entry.outcome = domain::TaskOutcome{State::failed, std::nullopt, std::move(verdict.error)};
  return entry;
}

void OpenRun::settle(const domain::ExecutionSpec& task, const Entry& entry) {
  if (!entry.attached_to) return;
  batch_.connection.use("INSERT INTO attachments (tenant_id, id, holder) VALUES (?1, ?2, ?3)")
      ->bind(1, tenant_id_)
      .bind(2, task.id.uuid)
      .bind(3, entry.attached_to->uuid)
      .run();
  batch_.connection.use("UPDATE executions SET awaited = 1 WHERE tenant_id = ?1 AND id = ?2")
      ->bind(1, tenant_id_)
      .bind(2, entry.attached_to->uuid)
      .run();
  record(attached_event(task, *entry.attached_to));
}

void OpenRun::make(const domain::ExecutionSpec& task, bool held) {
  Entry entry;
  entry.superseded = task.identity.mode != domain::Mode::none;
  if (!held) entry = enter(task);
  NewRow row{batch_.last_seq + 1, tenant_id_, batch_.now, batch_.now, entry.phase, entry.previous};
  row.state = entry.state;
  row.superseded = entry.superseded;
  insert_execution(batch_.connection, row, task);
  batch_.last_seq = row.seq;
  batch_.usages.opened(tenant_id_, task.context.size());
  if (task.identity.mode != domain::Mode::none && !entry.superseded)
    batch_.identities.stage({tenant_id_, task.identity.hash}, row.seq);
  settle(task, entry);
  Change change = change_of(task, entry.state);
  change.is_new = true;
  change.took_over = entry.previous.has_value();
  change.is_ready = entry.phase == Phase::ready;
  batch_.changes.push_back(std::move(change));
  if (entry.outcome) close(task_row(task.id), *entry.outcome);
}

ExecutionRow OpenRun::task_row(domain::ExecutionId task) const {
  std::optional<ExecutionRow> row = find_by_id(batch_.connection, loaded.spec.tenant, tenant_id_, task);
  ensure(row.has_value());  // the facts say which tasks were made
  return *std::move(row);
}

/// Of a task that is open.
void OpenRun::write_entry(const ExecutionRow& task, const Entry& entry) {
  const std::optional<domain::ExecutionId> previous = entry.previous ? entry.previous : task.execution.previous;
  Scoped update = batch_.connection.use(
      "UPDATE executions SET state = ?2, phase = ?3, superseded = ?4, previous = ?5 WHERE seq = ?1");
  update->bind(1, task.seq).bind(2, static_cast<std::int64_t>(entry.state));
  update->bind(3, static_cast<std::int64_t>(entry.phase)).bind(4, std::int64_t{entry.superseded}).bind_null(5);
  if (previous) update->bind(5, previous->uuid);
  update->run();
  if (!entry.superseded) reclaim(batch_, tenant_id_, task);
  settle(task.execution.spec, entry);
}

void OpenRun::release(domain::ExecutionId id) {
  ExecutionRow task = task_row(id);
  const domain::ExecutionSpec& spec = task.execution.spec;
  const Entry entry = enter(spec);
  write_entry(task, entry);
  if (entry.state != State::pending) tell(batch_, task.execution, entry.state);
  else if (entry.phase == Phase::ready) batch_.ready.push_back({spec.tenant, spec.queue, spec.handler});
  task.execution.state = entry.state;
  if (entry.outcome) close(task, *entry.outcome);
}

void OpenRun::reopen(domain::ExecutionId id) {
  ExecutionRow task = task_row(id);
  reopen_execution(task.execution, batch_.now);
  const Entry entry = enter(task.execution.spec);
  task.execution.state = entry.state;
  write_reopened(batch_, task, entry.phase, entry.superseded);
  write_entry(task, entry);
  batch_.usages.opened(tenant_id_, task.execution.spec.context.size());
  tell(batch_, task.execution, entry.state).is_ready = entry.phase == Phase::ready;
  if (entry.outcome) close(task, *entry.outcome);
}

void OpenRun::resume(ExecutionRow& task) {
  const Entry entry = enter(task.execution.spec);
  write_entry(task, entry);
  if (entry.state == State::pending) tell(batch_, task.execution, entry.state).is_ready = entry.phase == Phase::ready;
  task.execution.state = entry.state;
  if (entry.outcome) close(task, *entry.outcome);
}

void OpenRun::cancel(domain::ExecutionId id) { cancel_row(batch_, tenant_id_, task_row(id), by_force); }

/// Of a task that waits: nobody works on it.
void OpenRun::close(const ExecutionRow& task, const domain::TaskOutcome& outcome) {
  Outputs outputs;
  if (outcome.result) outputs.result = *outcome.result;
  if (outcome.error) outputs.error = *outcome.error;
  set_closed(batch_.connection, task.seq, batch_.now, outcome.state, outputs);
  batch_.usages.closed(batch_.connection, task.seq);
  tell(batch_, task.execution, outcome.state);
  has_closed(batch_, tenant_id_, task.execution, outcome.state, task.awaited);
}

void detach(Batch& batch, std::int64_t tenant_id, domain::ExecutionId task) {
  batch.connection.use("DELETE FROM attachments WHERE tenant_id = ?1 AND id = ?2")
      ->bind(1, tenant_id)
      .bind(2, task.uuid)
      .run();
}

}  // namespace semel::store::sqlite
