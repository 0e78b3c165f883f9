#include "store/postgres/closed.hpp"
#include "store/postgres/places.hpp"

/// Cancelling, releasing, and opening again by hand (DESIGN §3.4, §4).
namespace semel::store::postgres {
namespace {

/// The execution, locked, with its queue before it where that has to be. Nothing where it was put away.
std::optional<ExecutionRow> lock_with_queue(Batch& batch, const std::string& tenant, domain::ExecutionId id) {
  const std::optional<ExecutionRow> seen = find_execution(batch.connection, tenant, id);
  if (!seen) return std::nullopt;
  lock_place(batch, seen->execution.spec);
  std::optional<ExecutionRow> locked = lock_execution(batch.connection, tenant, id);
  if (!locked) throw Contention("the execution was put away, or removed, meanwhile");
  return locked;
}

void close_cancelled(Batch& batch, const ExecutionRow& row, domain::State state) {
  const domain::ExecutionSpec& spec = row.execution.spec;
  if (row.execution.state == domain::State::running) {
    batch.connection.run(
        "UPDATE attempts SET ended_at = $3, outcome = $4 WHERE tenant = $1 AND execution_id = $2 AND outcome = 0",
        spec.tenant, spec.id, batch.now, domain::AttemptOutcome::cancelled);
  }
  batch.connection.run("UPDATE executions SET state = $3, phase = 0, closed_at = $4 WHERE tenant = $1 AND id = $2",
                       spec.tenant, spec.id, state, batch.now);
  batch.usages.closed(spec.tenant, spec.context.size());
  tell(batch, row.execution, state);
  make_room(batch, spec);
}

void write_reopened(Batch& batch, const domain::Execution& execution, Phase phase) {
  batch.connection.run(
      "UPDATE executions SET state = $3, phase = $4, order_at = $5 - (run_at - order_at), run_at = $5,"
      " uncounted_attempts = $6, deadline = $7, closed_at = NULL, result = NULL, error = NULL, released_at = NULL,"
      " progress = NULL, progress_message = NULL, cancel_requested = false WHERE tenant = $1 AND id = $2",
      execution.spec.tenant, execution.spec.id, execution.state, phase, batch.now, execution.uncounted_attempts,
      execution.deadline);
}

/// It may be put away at any moment: then it is looked for there.
void mark_released(Batch& batch, const TenantAndId& id) {
  Rows marked = batch.connection.run("UPDATE executions SET released_at = $3 WHERE tenant = $1 AND id = $2 RETURNING 1",
                                     id.first, id.second, batch.now);
  if (!marked.empty()) return;
  marked = batch.connection.run("UPDATE closed SET released_at = $3 WHERE tenant = $1 AND id = $2 RETURNING 1",
                                id.first, id.second, batch.now);
  if (marked.empty()) throw Contention("the holder of the identity was moved meanwhile");
}

/// Gives a closed execution its identity again, which nobody else may hold. False when somebody does.
bool reclaim(Batch& batch, const domain::ExecutionSpec& spec, ReopenAnswer& answer) {
  const TenantAndHash identity{spec.tenant, spec.identity.hash};
  auto found = find_holders(batch.connection, {&identity, 1});
  if (found.empty()) {
    const Rows claimed = batch.connection.run(
        "INSERT INTO identities (tenant, hash, execution_id) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING RETURNING 1",
        spec.tenant, spec.identity.hash, spec.id);
    if (claimed.empty()) throw Contention("the identity was claimed meanwhile");
    return true;
  }
  const FoundHolder& other = found.begin()->second;
  const domain::Holder holder = other.holder();
  if (holder.id == spec.id) return true;
  if (!takes_over(domain::decide(holder, domain::Reuse::reject_duplicate, batch.now))) {
    answer.kind = ReopenAnswer::Kind::identity_held;
    answer.holder = holder.id;
    return false;
  }
  hand_over(batch, identity, other, spec.id);
  return true;
}

}  // namespace

Outcome apply(Batch& batch, const Cancel& command) {
  CancelAnswer answer;
  auto row = lock_with_queue(batch, command.tenant, command.id);
  if (!row) row = find_anywhere(batch.connection, command.tenant, command.id);
  if (!row) return answer;
  answer.created_by = row->execution.spec.created_by;
  answer.state = row->execution.state;
  if (domain::is_closed(*answer.state)) {
    answer.kind = CancelAnswer::Kind::already_closed;
    return answer;
  }
  if (command.force) write_audit(batch, command.tenant, command.by, "task.cancel.force", command.id.text());
  const domain::Event event = command.force ? domain::Event::cancelled_by_force : domain::Event::cancelled;
  if (const auto state = domain::next(*answer.state, event)) {
    close_cancelled(batch, *row, *state);
    answer.kind = CancelAnswer::Kind::cancelled;
    answer.state = state;
    return answer;
  }
  batch.connection.run("UPDATE executions SET cancel_requested = true WHERE tenant = $1 AND id = $2", command.tenant,
                       command.id);
  answer.kind = CancelAnswer::Kind::requested;
  return answer;
}

Outcome apply(Batch& batch, const Release& command) {
  const TenantAndHash identity{command.tenant, command.hash};
  const LockedIdentities locked = lock_identities(batch.connection, {&identity, 1});
  if (locked.empty()) return Released{};
  const LockedIdentity& held = locked.begin()->second;
  if (held.is_promised(batch.now)) return postpone(batch, identity, *held.promised_until);
  const auto found = find_holders(batch.connection, {&identity, 1});
  if (found.empty()) return Released{};
  const domain::Holder holder = found.begin()->second.holder();
  if (holder.released_at) return Released{Released::Kind::released, holder.id};
  if (domain::is_open(holder.state) && !command.force) return Released{Released::Kind::holder_open, holder.id};
  if (holder.tombstone) {
    batch.connection.run("UPDATE tombstones SET released_at = $3 WHERE tenant = $1 AND id = $2", command.tenant,
                         holder.id, batch.now);
  } else {
    mark_released(batch, {command.tenant, holder.id});
  }
  write_audit(batch, command.tenant, command.by, command.force ? "identity.release.force" : "identity.release",
              to_hex(command.hash));
  return Released{Released::Kind::released, holder.id};
}

Outcome apply(Batch& batch, const Reopen& command) {
  ReopenAnswer answer;
  const std::optional<ExecutionRow> seen = find_anywhere(batch.connection, command.tenant, command.id);
  if (!seen) return answer;
  const bool has_identity = seen->execution.spec.identity.mode != domain::Mode::none;
  const TenantAndHash identity{command.tenant, seen->execution.spec.identity.hash};
  if (has_identity) lock_identities(batch.connection, {&identity, 1});
  const TenantAndId id{command.tenant, command.id};
  bring_back(batch, {&id, 1});
  auto row = lock_with_queue(batch, command.tenant, command.id);
  if (!row) throw Contention("the execution was put away, or removed, meanwhile");
  domain::Execution& execution = row->execution;
  answer.state = execution.state;
  answer.kind = ReopenAnswer::Kind::not_retryable;
  if (!domain::next(execution.state, domain::Event::reopened)) return answer;
  if (has_identity && !reclaim(batch, execution.spec, answer)) return answer;
  reopen_execution(execution, batch.now);
  const Phase phase = entry_phase(batch, execution.spec);
  write_reopened(batch, execution, phase);
  batch.usages.opened(command.tenant, execution.spec.context.size());
  write_audit(batch, command.tenant, command.by, "task.retry", command.id.text());
  Change& change = tell(batch, execution, execution.state);
  change.is_ready = phase == Phase::ready;
  change.timer = pending_timer(true, execution.run_at, execution.deadline);
  answer.kind = ReopenAnswer::Kind::reopened;
  answer.state = execution.state;
  return answer;
}

}  // namespace semel::store::postgres
