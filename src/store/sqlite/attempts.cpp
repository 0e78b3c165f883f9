#include <algorithm>

#include "base/ensure.hpp"
#include "store/sqlite/attempt_row.hpp"
#include "store/sqlite/child_entry.hpp"
#include "store/sqlite/dispatch_row.hpp"
#include "store/sqlite/open_run.hpp"
#include "store/sqlite/open_workflow.hpp"
#include "store/sqlite/places.hpp"

namespace semel::store::sqlite {
namespace {

using domain::AttemptOutcome;

/// Only the current attempt ends its task; saying the same again is told so; anything else is stale, and counted.
Outcome answer(Batch& batch, const std::string& tenant, domain::AttemptId id, const domain::Ending& ending,
               const Outputs& outputs) {
  AttemptAnswer answered;
  const std::optional<Current> current = find_attempt(batch, tenant, id);
  if (!current) return answered;
  if (ending.outcome == AttemptOutcome::completed && is_code(current->execution.spec))
    return Rejected{{ErrorCode::bad_request, domain::code::answered_by_commands}};
  answered.execution_id = current->execution.spec.id;
  answered.state = current->execution.state;
  if (current->attempt.outcome == AttemptOutcome::running) {
    answered.kind = AttemptAnswer::Kind::recorded;
    answered.state = end_attempt(batch, *current, ending, outputs);
  } else if (current->attempt.outcome == ending.outcome) {
    answered.kind = AttemptAnswer::Kind::already_recorded;
  } else {
    count_stale_result(batch, id);
  }
  return answered;
}

/// A target has refused what has another name by now: that says nothing of the new one.
std::optional<AttemptAnswer> answer_to_old_name(Batch& batch, const Fail& command) {
  if (!command.repair) return std::nullopt;
  const std::optional<Current> current = find_attempt(batch, command.tenant, command.attempt_id);
  if (!current || current->attempt.outcome != AttemptOutcome::running) return std::nullopt;
  const std::optional<domain::Dispatch> dispatch =
      find_dispatch(batch.connection, current->tenant_id, command.attempt_id);
  if (!dispatch || dispatch->repair == *command.repair) return std::nullopt;
  AttemptAnswer stale;
  stale.execution_id = current->execution.spec.id;
  stale.state = current->execution.state;
  return stale;
}

std::size_t expire_leases(Batch& batch, std::int64_t max) {
  std::vector<std::pair<std::string, domain::AttemptId>> ended;
  {
    Scoped query = batch.connection.use(
        "SELECT id, tenant_id FROM attempts WHERE outcome = 0 AND lease_until <= ?1 ORDER BY lease_until LIMIT ?2");
    query->bind(1, batch.now).bind(2, max);
    while (query->step())
      ended.emplace_back(batch.tenants.name_of(query->integer(1)), domain::AttemptId{query->uuid(0)});
  }
  for (const auto& [tenant, id] : ended) {
    const std::optional<Current> current = find_attempt(batch, tenant, id);
    ensure(current.has_value());
    const AttemptOutcome outcome = outcome_of_lease_end(current->execution, current->attempt);
    const std::string error = lease_end_error(current->attempt, outcome);
    end_attempt(batch, *current, {outcome}, {std::nullopt, error});
  }
  return ended.size();
}

std::size_t expire_deadlines(Batch& batch, std::int64_t max) {
  std::vector<std::pair<std::string, std::int64_t>> late;
  {
    Scoped query = batch.connection.use(
        "SELECT tenant_id, seq FROM executions INDEXED BY executions_deadline"
        " WHERE deadline IS NOT NULL AND state IN (0, 2) AND cancel_requested = 0 AND deadline <= ?1 ORDER BY deadline "
        "LIMIT ?2");
    query->bind(1, batch.now).bind(2, max);
    while (query->step()) late.emplace_back(batch.tenants.name_of(query->integer(0)), query->integer(1));
  }
  for (const auto& [tenant, seq] : late) {
    const std::optional<ExecutionRow> row = find_by_seq(batch.connection, tenant, seq);
    ensure(row.has_value());
    const domain::Execution& execution = row->execution;  // one before may have begun it, and ended it
    const bool is_still_open = next(execution.state, domain::Event::deadline_passed) && !execution.cancel_requested;
    if (is_still_open) time_out(batch, *row);
  }
  return late.size();
}

}  // namespace

void time_out(Batch& batch, const ExecutionRow& row) {
  const std::int64_t tenant_id = *batch.tenants.find(row.execution.spec.tenant);
  if (is_code(row.execution.spec)) {
    cancel_workflow(batch, tenant_id, row.execution.spec, {domain::WhyCancelled::deadline, {}, false});
    return;
  }
  if (row.execution.spec.kind == domain::Kind::workflow)
    return cancel_run(batch, tenant_id, row, domain::WhyCancelled::deadline, {});
  const std::optional<domain::State> state = next(row.execution.state, domain::Event::deadline_passed);
  ensure(state.has_value());
  const std::string error = domain::deadline_error(row.execution.spec.kind);
  batch.begin_writing();
  if (row.execution.state == domain::State::suspended) detach(batch, tenant_id, row.execution.spec.id);
  batch.connection.use("UPDATE executions SET state = ?2, phase = 0, closed_at = ?3, error = ?4 WHERE seq = ?1")
      ->bind(1, row.seq)
      .bind(2, static_cast<std::int64_t>(*state))
      .bind(3, batch.now)
      .bind(4, std::string_view(error))
      .run();
  batch.usages.closed(batch.connection, row.seq);
  tell(batch, row.execution, *state);
  make_room(batch, tenant_id, row.execution.spec);
  has_closed(batch, tenant_id, row.execution, *state, row.awaited, {std::nullopt, error});
}

Outcome apply(Batch& batch, const Complete& command) {
  Outputs outputs;
  if (command.result) outputs.result = *command.result;
  return answer(batch, command.tenant, command.attempt_id, {AttemptOutcome::completed}, outputs);
}

Outcome apply(Batch& batch, const Fail& command) {
  if (const std::optional<AttemptAnswer> stale = answer_to_old_name(batch, command)) return *stale;
  return answer(batch, command.tenant, command.attempt_id,
                {AttemptOutcome::failed, command.retryable, command.retry_after}, {std::nullopt, command.error});
}

Outcome apply(Batch& batch, const Heartbeat& command) {
  AttemptAnswer answered;
  const std::optional<Current> current = find_attempt(batch, command.tenant, command.attempt_id);
  if (!current) return answered;
  answered.execution_id = current->execution.spec.id;
  answered.state = current->execution.state;
  const domain::Attempt& attempt = current->attempt;
  if (attempt.outcome != AttemptOutcome::running) return answered;
  std::optional<domain::Dispatch> dispatch;
  if (is_pushed(attempt)) dispatch = find_dispatch(batch.connection, current->tenant_id, attempt.id);
  if (dispatch && command.accepted && dispatch->repair != command.repair) return answered;
  answered.kind = AttemptAnswer::Kind::recorded;
  answered.lease_until = lease_after_beat(current->execution, attempt, batch.now, command.lease, command.by());
  answered.should_cancel = current->execution.cancel_requested;
  batch.begin_writing();
  batch.connection.use("UPDATE attempts SET lease_until = ?2, last_heartbeat_at = ?3 WHERE id = ?1")
      ->bind(1, command.attempt_id.uuid)
      .bind(2, answered.lease_until)
      .bind(3, batch.now)
      .run();
  if (dispatch) {
    accept(*dispatch, batch.now, command.accepted);
    write_dispatch(batch.connection, current->tenant_id, *dispatch);
  }
  if (!command.progress) return answered;
  batch.connection.use("UPDATE executions SET progress = ?2, progress_message = ?3 WHERE seq = ?1")
      ->bind(1, current->seq)
      .bind(2, std::int64_t{command.progress->millionths})
      .bind(3, std::string_view(command.progress->message))
      .run();
  return answered;
}

Outcome apply(Batch& batch, const GiveBack& command) {
  GivenBack back;
  for (const domain::AttemptId id : command.attempt_ids) {
    const std::optional<Current> current = find_attempt(batch, command.tenant, id);
    if (!current || current->attempt.outcome != AttemptOutcome::running) continue;
    give_back(batch, *current);
    back.count += 1;
  }
  return back;
}

Outcome apply(Batch& batch, const ExpireLeases& command) {
  std::size_t count = expire_leases(batch, command.max);
  count += expire_deadlines(batch, command.max - static_cast<std::int64_t>(count));
  return LeasesExpired{count == static_cast<std::size_t>(command.max)};
}

std::vector<domain::Attempt> read_attempts(Connection& connection, std::int64_t tenant_id, domain::ExecutionId id) {
  std::vector<domain::Attempt> attempts;
  Scoped query = connection.use(
      "SELECT a.id, a.number, a.worker, a.started_at, a.lease_until, a.ended_at, a.outcome, a.error, a.stale_results,"
      " a.last_heartbeat_at FROM executions e JOIN attempts a ON a.seq = e.seq WHERE e.tenant_id = ?1 AND e.id = ?2 "
      "ORDER BY a.number");
  query->bind(1, tenant_id).bind(2, id.uuid);
  while (query->step()) {
    domain::Attempt& attempt = attempts.emplace_back();
    attempt.id = {query->uuid(0)};
    attempt.execution_id = id;
    attempt.number = query->small(1);
    attempt.worker = query->text(2);
    attempt.started_at = query->time(3);
    attempt.lease_until = query->time(4);
    attempt.ended_at = query->optional_time(5);
    attempt.outcome = static_cast<AttemptOutcome>(query->integer(6));
    attempt.error = query->optional_text(7);
    attempt.stale_results = query->small(8);
    attempt.last_heartbeat_at = query->optional_time(9);
  }
  return attempts;
}

}  // namespace semel::store::sqlite
