#include "domain/workflow/step_id.hpp"
#include "store/postgres/closed.hpp"
#include "store/postgres/places.hpp"
#include "store/postgres/reopen.hpp"
#include "store/postgres/runs.hpp"
#include "store/postgres/workflows.hpp"

/// Cancelling, releasing, and opening again by hand (DESIGN §3.4, §4).
namespace semel::store::postgres {
namespace {

/// The execution, locked, with its queue and the runs that its end is told to before it. Nothing where it was put away.
std::optional<ExecutionRow> lock_for_change(Batch& batch, const std::string& tenant, domain::ExecutionId id) {
  settle_runs(batch);  // what was decided before
  const std::optional<ExecutionRow> seen = find_execution(batch.connection, tenant, id);
  if (!seen) return std::nullopt;
  const TenantAndId place = seen->id();
  if (is_code(seen->execution.spec)) lock_before_cancelling_code(batch, {place});
  else if (seen->execution.spec.kind == domain::Kind::workflow) lock_before_cancelling(batch, {&place, 1});
  else lock_before(batch, *seen);
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
  if (spec.step && row.execution.state == domain::State::suspended) detach(batch, spec);
  batch.connection.run("UPDATE executions SET state = $3, phase = 0, closed_at = $4 WHERE tenant = $1 AND id = $2",
                       spec.tenant, spec.id, state, batch.now);
  batch.usages.closed(spec.tenant, spec.context.size());
  tell(batch, row.execution, state);
  make_room(batch, spec);
  has_closed(batch, row, {state, std::nullopt, std::nullopt});
}

/// A code workflow. The state that it comes to.
domain::State cancel_code(Batch& batch, const ExecutionRow& row, const Cancel& command) {
  HeldWorkflow* const workflow = hold_workflow(batch, row.id());
  if (workflow == nullptr) throw StoreFault("a workflow has no facts");
  observe(*workflow, row.execution);
  cancel_workflow(batch, *workflow, {domain::WhyCancelled::asked_for, {command.by, command.why}, command.force});
  settle_runs(batch);
  return workflow->loaded.state;
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

/// Of a run, or of a task of one: the run decides. What is asked for is tried again, as far as that is needed.
ReopenAnswer reopen_in_run(Batch& batch, const Reopen& command, const RetrySteps& retry) {
  const RunAnswer answer = retry_run(batch, retry);
  const std::optional<ExecutionRow> now = find_execution(batch.connection, command.tenant, command.id);
  if (!now) throw Contention("the execution was removed meanwhile");
  const domain::State state = now->execution.state;
  switch (answer.kind) {
    case RunAnswer::Kind::done: return {ReopenAnswer::Kind::reopened, state, std::nullopt, {}};
    case RunAnswer::Kind::identity_held: return {ReopenAnswer::Kind::identity_held, state, answer.holder, {}};
    default: return {ReopenAnswer::Kind::not_retryable, state, std::nullopt, answer.refusal};
  }
}

/// The execution may have come to another state meanwhile: the run knows.
std::optional<ReopenAnswer> reopen_in_run(Batch& batch, const Reopen& command, const domain::Execution& seen) {
  const bool is_run = seen.spec.kind == domain::Kind::workflow;
  const char* const refusal = domain::code::refusal_of_retry(seen.spec);
  if (!is_run && !seen.spec.step && refusal == nullptr) return std::nullopt;
  if (!domain::next(seen.state, domain::Event::reopened))
    return ReopenAnswer{ReopenAnswer::Kind::not_retryable, seen.state, std::nullopt, {}};
  if (refusal != nullptr) return ReopenAnswer{ReopenAnswer::Kind::not_retryable, seen.state, std::nullopt, refusal};
  if (is_run) return reopen_in_run(batch, command, RetrySteps{command.tenant, command.id, {}, command.by, {}});
  const std::string step = domain::step_of(seen.spec.step->task_key);
  return reopen_in_run(batch, command, RetrySteps{command.tenant, seen.spec.step->run, {step}, command.by, {}});
}

}  // namespace

void write_reopened(Batch& batch, const domain::Execution& execution, Phase phase) {
  batch.connection.run(
      "UPDATE executions SET state = $3, phase = $4, order_at = $5 - (run_at - order_at), run_at = $5,"
      " uncounted_attempts = $6, deadline = $7, closed_at = NULL, result = NULL, error = NULL, released_at = NULL,"
      " progress = NULL, progress_message = NULL, cancel_requested = false, awaited = false"
      " WHERE tenant = $1 AND id = $2",
      execution.spec.tenant, execution.spec.id, execution.state, phase, batch.now, execution.uncounted_attempts,
      execution.deadline);
}

std::optional<domain::ExecutionId> reclaim(Batch& batch, const domain::ExecutionSpec& spec) {
  const TenantAndHash identity{spec.tenant, spec.identity.hash};
  auto found = find_holders(batch.connection, {&identity, 1});
  if (found.empty()) {
    if (!claim_identity(batch, identity, spec.id)) throw Contention("the identity was claimed meanwhile");
    return std::nullopt;
  }
  const FoundHolder& other = found.begin()->second;
  const domain::Holder holder = other.holder();
  if (holder.id == spec.id) return std::nullopt;
  if (!takes_over(domain::decide(holder, domain::Reuse::reject_duplicate, batch.now))) return holder.id;
  hand_over(batch, identity, other, spec.id);
  return std::nullopt;
}

std::optional<domain::State> cancel_execution(Batch& batch, const ExecutionRow& row, bool by_force) {
  const domain::Event event = by_force ? domain::Event::cancelled_by_force : domain::Event::cancelled;
  const std::optional<domain::State> state = domain::next(row.execution.state, event);
  if (state) {
    close_cancelled(batch, row, *state);
    return state;
  }
  batch.connection.run("UPDATE executions SET cancel_requested = true WHERE tenant = $1 AND id = $2",
                       row.execution.spec.tenant, row.execution.spec.id);
  return std::nullopt;
}

/// Where the task is a part of something, that remembers who asked for it; again only when it is to end by force.
void note_cancel(Batch& batch, const domain::Execution& task, const Cancel& command) {
  if (!task.spec.step || (task.cancel_requested && !command.force)) return;
  add_history(batch, task.spec, cancel_event(task.spec, {command.by, command.why}));
}

Outcome apply(Batch& batch, const Cancel& command) {
  CancelAnswer answer;
  auto row = lock_for_change(batch, command.tenant, command.id);
  if (!row) row = find_anywhere(batch.connection, command.tenant, command.id);
  if (!row) return answer;
  answer.created_by = row->execution.spec.created_by;
  answer.state = row->execution.state;
  if (domain::is_closed(*answer.state)) {
    answer.kind = CancelAnswer::Kind::already_closed;
    return answer;
  }
  if (command.force) write_audit(batch, command.tenant, command.by, "task.cancel.force", command.id.text());
  if (is_code(row->execution.spec)) {
    answer.state = cancel_code(batch, *row, command);
  } else if (row->execution.spec.kind == domain::Kind::workflow) {
    cancel_run(batch, *row, domain::WhyCancelled::asked_for, command);
    answer.state = batch.runs.held.at(row->id()).state;
  } else {
    note_cancel(batch, row->execution, command);
    const auto state = cancel_execution(batch, *row, command.force);
    settle_runs(batch);
    if (state) answer.state = state;
  }
  answer.kind = domain::is_closed(*answer.state) ? CancelAnswer::Kind::cancelled : CancelAnswer::Kind::requested;
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
  if (auto answered = reopen_in_run(batch, command, seen->execution)) return *std::move(answered);
  const bool has_identity = seen->execution.spec.identity.mode != domain::Mode::none;
  const TenantAndHash identity{command.tenant, seen->execution.spec.identity.hash};
  if (has_identity) lock_identities(batch.connection, {&identity, 1});
  const TenantAndId id{command.tenant, command.id};
  bring_back(batch, {&id, 1});
  auto row = lock_for_change(batch, command.tenant, command.id);
  if (!row) throw Contention("the execution was put away, or removed, meanwhile");
  domain::Execution& execution = row->execution;
  answer.state = execution.state;
  answer.kind = ReopenAnswer::Kind::not_retryable;
  if (!domain::next(execution.state, domain::Event::reopened)) return answer;
  if (const auto other = has_identity ? reclaim(batch, execution.spec) : std::nullopt) {
    answer.kind = ReopenAnswer::Kind::identity_held;
    answer.holder = other;
    return answer;
  }
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
