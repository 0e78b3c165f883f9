#include "store/sqlite/child_entry.hpp"

#include "store/sqlite/life_rows.hpp"
#include "store/sqlite/places.hpp"

namespace semel::store::sqlite {
namespace {

using domain::KeyAnswer;
using domain::State;

Phase phase_of_entry(Batch& batch, std::int64_t tenant_id, const domain::ExecutionSpec& child, Time run_at) {
  if (child.kind == domain::Kind::promise) return Phase::neither;
  return run_at > batch.now ? Phase::waiting : entry_phase(batch, tenant_id, child);
}

ChildEntry not_entered(const domain::KeyVerdict& verdict, const FoundHolder& other) {
  ChildEntry entry;
  entry.state = State::suspended;
  entry.superseded = true;
  if (verdict.answer == KeyAnswer::attach) entry.attached_to = other.holder().id;
  if (verdict.answer == KeyAnswer::take_result)
    entry.outcome = domain::TaskOutcome{State::completed, other.row->execution.result, std::nullopt};
  if (verdict.answer == KeyAnswer::fail)
    entry.outcome = domain::TaskOutcome{State::failed, std::nullopt, verdict.error};
  return entry;
}

}  // namespace

ChildEntry enter_child(Batch& batch, std::int64_t tenant_id, const domain::ExecutionSpec& child, Time run_at,
                       domain::code::KeyConflict on_conflict) {
  ChildEntry entry;
  entry.phase = phase_of_entry(batch, tenant_id, child, run_at);
  const std::optional<FoundHolder> other = other_holder(batch, tenant_id, child);
  if (!other) return entry;
  const domain::Holder holder = other->holder();
  const auto policy = domain::code::key_policy(on_conflict, batch.queues.settings(tenant_id, child.queue));
  const domain::KeyVerdict verdict = judge_child_key(&holder, child, policy, batch.now);
  if (verdict.answer == KeyAnswer::claim) {
    hand_over(batch, tenant_id, *other);
    entry.previous = holder.id;
    return entry;
  }
  if (verdict.answer != KeyAnswer::apart) return not_entered(verdict, *other);
  entry.apart_from = holder.id;
  return entry;
}

void settle_entry(Batch& batch, std::int64_t tenant_id, const domain::ExecutionSpec& child, const ChildEntry& entry,
                  const AddEvent& add_event) {
  if (entry.apart_from) add_event(domain::code::key_conflict_event(child, *entry.apart_from));
  if (!entry.attached_to) return;
  batch.connection.use("INSERT INTO attachments (tenant_id, id, holder) VALUES (?1, ?2, ?3)")
      ->bind(1, tenant_id)
      .bind(2, child.id.uuid)
      .bind(3, entry.attached_to->uuid)
      .run();
  batch.connection.use("UPDATE executions SET awaited = 1 WHERE tenant_id = ?1 AND id = ?2")
      ->bind(1, tenant_id)
      .bind(2, entry.attached_to->uuid)
      .run();
  add_event(attached_event(child, *entry.attached_to));
}

void write_entry(Batch& batch, std::int64_t tenant_id, const ExecutionRow& child, const ChildEntry& entry,
                 const AddEvent& add_event) {
  const std::optional<domain::ExecutionId> previous = entry.previous ? entry.previous : child.execution.previous;
  Scoped update = batch.connection.use(
      "UPDATE executions SET state = ?2, phase = ?3, superseded = ?4, previous = ?5 WHERE seq = ?1");
  update->bind(1, child.seq).bind(2, static_cast<std::int64_t>(entry.state));
  update->bind(3, static_cast<std::int64_t>(entry.phase)).bind(4, std::int64_t{entry.superseded}).bind_null(5);
  if (previous) update->bind(5, previous->uuid);
  update->run();
  if (!entry.superseded) reclaim(batch, tenant_id, child);
  settle_entry(batch, tenant_id, child.execution.spec, entry, add_event);
}

void resume_child(Batch& batch, std::int64_t tenant_id, ExecutionRow& child, const AddEvent& add_event) {
  domain::Execution& execution = child.execution;
  const ChildEntry entry = enter_child(batch, tenant_id, execution.spec, execution.run_at);
  write_entry(batch, tenant_id, child, entry, add_event);
  if (entry.state == State::pending) {
    Change& change = tell(batch, execution, entry.state);
    change.is_ready = entry.phase == Phase::ready;
    change.timer = timer_of(entry, execution.run_at, execution.deadline);
  }
  execution.state = entry.state;
  if (entry.outcome) close_child(batch, tenant_id, child, *entry.outcome);
}

void close_child(Batch& batch, std::int64_t tenant_id, const ExecutionRow& child, const domain::TaskOutcome& outcome) {
  Outputs outputs;
  if (outcome.result) outputs.result = *outcome.result;
  if (outcome.error) outputs.error = *outcome.error;
  set_closed(batch.connection, child.seq, batch.now, outcome.state, outputs);
  batch.usages.closed(batch.connection, child.seq);
  tell(batch, child.execution, outcome.state);
  has_closed(batch, tenant_id, child.execution, outcome.state, child.awaited, outputs);
}

std::optional<Time> timer_of(const ChildEntry& entry, Time run_at, std::optional<Time> deadline) {
  if (entry.state != State::pending) return deadline;
  return pending_timer(entry.phase != Phase::waiting, run_at, deadline);
}

void insert_history(Batch& batch, std::int64_t tenant_id, domain::ExecutionId run, std::int64_t sequence,
                    const domain::HistoryEvent& event) {
  Scoped insert = batch.connection.use(
      "INSERT INTO history (tenant_id, run, sequence, at, kind, task_key, detail) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)");
  insert->bind(1, tenant_id).bind(2, run.uuid).bind(3, sequence).bind(4, batch.now);
  insert->bind(5, static_cast<std::int64_t>(event.kind)).bind_null(6).bind_null(7);
  if (!event.task_key.empty()) insert->bind(6, event.task_key);
  if (!event.detail.empty()) insert->bind(7, event.detail);
  insert->run();
}

void detach(Batch& batch, std::int64_t tenant_id, domain::ExecutionId child) {
  batch.connection.use("DELETE FROM attachments WHERE tenant_id = ?1 AND id = ?2")
      ->bind(1, tenant_id)
      .bind(2, child.uuid)
      .run();
}

}  // namespace semel::store::sqlite
