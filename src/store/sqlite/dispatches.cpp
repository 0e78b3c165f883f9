#include "base/ensure.hpp"
#include "domain/workflow/code/names.hpp"
#include "store/sqlite/attempt_row.hpp"
#include "store/sqlite/audit.hpp"
#include "store/sqlite/dispatch_row.hpp"
#include "store/sqlite/open_run.hpp"

/// Attempts on their way to a target (DESIGN §5, ADR 0021).
namespace semel::store::sqlite {
namespace {

/// A dispatch that somebody has to look at.
struct DueDispatch {
  std::int64_t tenant_id = 0;
  domain::AttemptId attempt_id{};
  std::int64_t seq = 0;
  Time lease_until{};
  bool is_open = false;
};

std::vector<DueDispatch> read_due_dispatches(Batch& batch, const TakeDispatches& command) {
  std::vector<DueDispatch> due;
  Scoped query = batch.connection.use(
      "SELECT d.tenant_id, d.attempt_id, a.seq, a.lease_until, a.outcome FROM dispatches d INDEXED BY dispatches_due"
      " JOIN attempts a ON a.id = d.attempt_id WHERE d.next_send_at IS NOT NULL AND d.next_send_at <= ?1"
      " ORDER BY d.next_send_at, d.attempt_id LIMIT ?2");
  query->bind(1, batch.now + command.ahead).bind(2, std::int64_t{command.max});
  while (query->step()) {
    const bool is_open = query->integer(4) == static_cast<std::int64_t>(domain::AttemptOutcome::running);
    due.push_back({query->integer(0), {query->uuid(1)}, query->integer(2), query->time(3), is_open});
  }
  return due;
}

/// Nobody has to look again at what has ended.
void leave(Batch& batch, const DueDispatch& due) {
  batch.connection.use("UPDATE dispatches SET next_send_at = NULL WHERE tenant_id = ?1 AND attempt_id = ?2")
      ->bind(1, due.tenant_id)
      .bind(2, due.attempt_id.uuid)
      .run();
}

Lease take_one(Batch& batch, const DueDispatch& due, Duration hold, StepInputs& inputs) {
  std::optional<domain::Dispatch> dispatch = find_dispatch(batch.connection, due.tenant_id, due.attempt_id);
  auto row = find_by_seq(batch.connection, batch.tenants.name_of(due.tenant_id), due.seq);
  ensure(dispatch && row);
  take(*dispatch, batch.now, hold);
  write_dispatch(batch.connection, due.tenant_id, *dispatch);
  Lease lease{std::move(row->execution), due.attempt_id, due.lease_until};
  const domain::ExecutionSpec& spec = lease.execution.spec;
  if (spec.step && !domain::code::command_of(spec.step->task_key)) lease.input = inputs.of(due.tenant_id, spec);
  lease.dispatch = std::move(dispatch);
  return lease;
}

/// The attempt of an execution that runs, if it is pushed.
std::optional<Current> pushed_attempt(Batch& batch, const std::string& tenant, std::int64_t seq) {
  std::optional<domain::AttemptId> id;
  {
    Scoped query = batch.connection.use("SELECT id FROM attempts WHERE seq = ?1 AND outcome = 0 AND worker = ?2");
    query->bind(1, seq).bind(2, domain::push_worker);
    if (query->step()) id = domain::AttemptId{query->uuid(0)};
  }
  return id ? find_attempt(batch, tenant, *id) : std::nullopt;
}

}  // namespace

Outcome apply(Batch& batch, const PostponeDispatch& command) {
  AttemptAnswer answer;
  const std::optional<Current> current = find_attempt(batch, command.tenant, command.attempt_id);
  if (!current) return answer;
  answer.execution_id = current->execution.spec.id;
  answer.state = current->execution.state;
  if (current->attempt.outcome != domain::AttemptOutcome::running) return answer;
  std::optional<domain::Dispatch> dispatch = find_dispatch(batch.connection, current->tenant_id, command.attempt_id);
  if (!dispatch || dispatch->state == domain::DispatchState::sent) return answer;
  if (dispatch->repair != command.repair) return answer;
  postpone(*dispatch, command.is_ambiguous, batch.now + command.pause, command.answer);
  if (!command.was_sent) count_no_send(*dispatch);
  batch.begin_writing();
  write_dispatch(batch.connection, current->tenant_id, *dispatch);
  answer.kind = AttemptAnswer::Kind::recorded;
  return answer;
}

Outcome apply(Batch& batch, const TakeDispatches& command) {
  Claimed taken;
  const std::vector<DueDispatch> due = read_due_dispatches(batch, command);
  if (!due.empty()) batch.begin_writing();
  StepInputs inputs(batch);
  for (const DueDispatch& each : due) {
    if (each.is_open) taken.leases.push_back(take_one(batch, each, command.hold, inputs));
    else leave(batch, each);
  }
  return taken;
}

Outcome apply(Batch& batch, const RepairDispatch& command) {
  const auto tenant_id = batch.tenants.find(command.tenant);
  if (!tenant_id) return RepairAnswer{};
  const auto row = find_by_id(batch.connection, command.tenant, *tenant_id, command.id);
  if (!row) return RepairAnswer{};
  const std::optional<Current> current = pushed_attempt(batch, command.tenant, row->seq);
  if (!current) return RepairAnswer{RepairAnswer::Kind::not_open, std::nullopt};
  std::optional<domain::Dispatch> dispatch = find_dispatch(batch.connection, *tenant_id, current->attempt.id);
  ensure(dispatch.has_value());
  if (dispatch->state != domain::DispatchState::sent) return RepairAnswer{RepairAnswer::Kind::not_sent, dispatch};
  repair(*dispatch, row->execution.spec, batch.now);
  batch.begin_writing();
  write_dispatch(batch.connection, *tenant_id, *dispatch);
  batch.connection.use("UPDATE attempts SET lease_until = ?2 WHERE id = ?1")
      ->bind(1, current->attempt.id.uuid)
      .bind(2, unaccepted_lease_end(row->execution, current->attempt, batch.now))
      .run();
  write_audit(batch, *tenant_id, command.by, "dispatch.repair", command.id.text());
  return RepairAnswer{RepairAnswer::Kind::repaired, std::move(dispatch)};
}

Outcome apply(Batch& batch, const KeepSecret& command) {
  batch.begin_writing();
  batch.connection.use("INSERT INTO secrets (tenant_id, name, value) VALUES (0, ?1, ?2) ON CONFLICT DO NOTHING")
      ->bind(1, command.name)
      .bind(2, command.proposed)
      .run();
  Scoped query = batch.connection.use("SELECT value FROM secrets WHERE tenant_id = 0 AND name = ?1");
  query->bind(1, command.name);
  ensure(query->step());
  return SecretKept{query->hash(0)};
}

}  // namespace semel::store::sqlite
