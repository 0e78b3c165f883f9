#include "domain/workflow/code/names.hpp"
#include "store/sqlite/attempt_row.hpp"
#include "store/sqlite/audit.hpp"
#include "store/sqlite/child_entry.hpp"
#include "store/sqlite/open_run.hpp"
#include "store/sqlite/open_workflow.hpp"
#include "store/sqlite/places.hpp"

namespace semel::store::sqlite {
namespace {

void set_released(Batch& batch, std::int64_t tenant_id, const FoundHolder& found) {
  if (found.row) {
    batch.connection.use("UPDATE executions SET released_at = ?2 WHERE seq = ?1")
        ->bind(1, found.row->seq)
        .bind(2, batch.now)
        .run();
    return;
  }
  batch.connection.use("UPDATE tombstones SET released_at = ?3 WHERE tenant_id = ?1 AND id = ?2")
      ->bind(1, tenant_id)
      .bind(2, found.tombstone->holder.id.uuid)
      .bind(3, batch.now)
      .run();
}

domain::State state_of(Batch& batch, std::int64_t seq) {
  Scoped query = batch.connection.use("SELECT state FROM executions WHERE seq = ?1");
  query->bind(1, seq);
  query->step();
  return static_cast<domain::State>(query->integer(0));
}

}  // namespace

bool cancel_row(Batch& batch, std::int64_t tenant_id, const ExecutionRow& row, bool force) {
  if (is_closed(row.execution.state)) return true;  // in the step that also ends its run
  if (is_code(row.execution.spec))
    return is_closed(
        cancel_workflow(batch, tenant_id, row.execution.spec, {domain::WhyCancelled::asked_for, {}, force}));
  const domain::Event event = force ? domain::Event::cancelled_by_force : domain::Event::cancelled;
  const auto state = domain::next(row.execution.state, event);
  if (!state) {
    batch.connection.use("UPDATE executions SET cancel_requested = 1 WHERE seq = ?1")->bind(1, row.seq).run();
    return false;
  }
  if (row.execution.state == domain::State::running) stop_attempt(batch, row.seq);
  if (row.execution.state == domain::State::suspended) detach(batch, tenant_id, row.execution.spec.id);
  batch.connection.use("UPDATE executions SET state = ?2, phase = 0, closed_at = ?3 WHERE seq = ?1")
      ->bind(1, row.seq)
      .bind(2, static_cast<std::int64_t>(*state))
      .bind(3, batch.now)
      .run();
  batch.usages.closed(batch.connection, row.seq);
  tell(batch, row.execution, *state);
  make_room(batch, tenant_id, row.execution.spec);
  has_closed(batch, tenant_id, row.execution, *state, row.awaited);
  return true;
}

/// Where the task is a part of something, that remembers who asked for it; again only when it is to end by force.
void note_cancel(Batch& batch, std::int64_t tenant_id, const domain::Execution& task, const Cancel& command) {
  const domain::ExecutionSpec& spec = task.spec;
  if (!spec.step || (task.cancel_requested && !command.force)) return;
  const domain::HistoryEvent event = cancel_event(spec, {command.by, command.why});
  if (domain::code::command_of(spec.step->task_key)) {
    OpenWorkflow workflow(batch, tenant_id, spec.tenant, spec.step->run);
    workflow.add_event(event);
    workflow.save();
    return;
  }
  OpenRun run(batch, tenant_id, spec.tenant, spec.step->run);
  run.record(event);
  run.save();
}

Outcome apply(Batch& batch, const Cancel& command) {
  CancelAnswer answer;
  const auto tenant_id = batch.tenants.find(command.tenant);
  if (!tenant_id) return answer;
  const auto row = find_by_id(batch.connection, command.tenant, *tenant_id, command.id);
  if (!row) return answer;
  answer.created_by = row->execution.spec.created_by;
  answer.state = row->execution.state;
  if (domain::is_closed(*answer.state)) {
    answer.kind = CancelAnswer::Kind::already_closed;
    return answer;
  }
  batch.begin_writing();
  if (command.force) write_audit(batch, *tenant_id, command.by, "task.cancel.force", command.id.text());
  if (is_code(row->execution.spec)) {
    cancel_workflow(batch, *tenant_id, row->execution.spec,
                    {domain::WhyCancelled::asked_for, {command.by, command.why}, command.force});
    settle_runs(batch);
    answer.state = state_of(batch, row->seq);
  } else if (row->execution.spec.kind == domain::Kind::workflow) {
    cancel_run(batch, *tenant_id, *row, domain::WhyCancelled::asked_for, command);
    answer.state = state_of(batch, row->seq);
  } else {
    note_cancel(batch, *tenant_id, row->execution, command);
    if (cancel_row(batch, *tenant_id, *row, command.force)) answer.state = domain::State::cancelled;
  }
  answer.kind = domain::is_closed(*answer.state) ? CancelAnswer::Kind::cancelled : CancelAnswer::Kind::requested;
  return answer;
}

Outcome apply(Batch& batch, const Release& command) {
  const auto tenant_id = batch.tenants.find(command.tenant);
  if (!tenant_id) return Released{};
  const IdentityKey key{*tenant_id, command.hash};
  const auto found = load_holder(batch.connection, command.tenant, key, batch.identities.find(batch.connection, key));
  if (!found) return Released{};
  const domain::Holder holder = found->holder();
  if (holder.released_at) return Released{Released::Kind::released, holder.id};
  if (domain::is_open(holder.state) && !command.force) return Released{Released::Kind::holder_open, holder.id};
  batch.begin_writing();
  set_released(batch, *tenant_id, *found);
  write_audit(batch, *tenant_id, command.by, command.force ? "identity.release.force" : "identity.release",
              to_hex(command.hash));
  return Released{Released::Kind::released, holder.id};
}

}  // namespace semel::store::sqlite
