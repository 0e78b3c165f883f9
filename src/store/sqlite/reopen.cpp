#include "base/ensure.hpp"
#include "domain/workflow/code/workflow.hpp"
#include "store/sqlite/audit.hpp"
#include "store/sqlite/open_run.hpp"
#include "store/sqlite/places.hpp"

/// Opening a closed execution again by hand (DESIGN §3.4, §4).
namespace semel::store::sqlite {

void write_reopened(Batch& batch, const ExecutionRow& row, Phase phase, bool superseded) {
  const domain::Execution& execution = row.execution;
  batch.connection
      .use(
          "UPDATE executions SET state = ?2, phase = ?3, order_at = ?4 - (run_at - order_at), run_at = ?4,"
          " uncounted_attempts = ?5, deadline = ?6, closed_at = NULL, result = NULL, error = NULL, released_at = NULL,"
          " progress = NULL, progress_message = NULL, cancel_requested = 0, superseded = ?7, started_at = ?8 WHERE seq"
          " = ?1")
      ->bind(1, row.seq)
      .bind(2, static_cast<std::int64_t>(execution.state))
      .bind(3, static_cast<std::int64_t>(phase))
      .bind(4, batch.now)
      .bind(5, std::int64_t{execution.uncounted_attempts})
      .bind(6, execution.deadline)
      .bind(7, std::int64_t{superseded})
      .bind(8, execution.started_at)
      .run();
}

void reclaim(Batch& batch, std::int64_t tenant_id, const ExecutionRow& row) {
  const domain::Identity& identity = row.execution.spec.identity;
  if (identity.mode == domain::Mode::none) return;
  const IdentityKey key{tenant_id, identity.hash};
  if (!row.superseded && batch.identities.find(batch.connection, key) == row.seq) return;
  batch.identities.stage(key, row.seq);
  batch.connection.use("INSERT OR IGNORE INTO reclaimed (seq) VALUES (?1)")->bind(1, row.seq).run();
}

std::optional<FoundHolder> other_holder(Batch& batch, std::int64_t tenant_id, const domain::ExecutionSpec& spec) {
  if (spec.identity.mode == domain::Mode::none) return std::nullopt;
  const IdentityKey key{tenant_id, spec.identity.hash};
  auto found = load_holder(batch.connection, spec.tenant, key, batch.identities.find(batch.connection, key));
  if (found && found->holder().id == spec.id) found.reset();
  return found;
}

namespace {

/// Opens the run of what is asked for again, as far as that is needed.
ReopenAnswer reopen_in_run(Batch& batch, const ExecutionRow& row, const RetrySteps& retry) {
  const RunAnswer answer = retry_run(batch, retry);
  const domain::ExecutionSpec& spec = row.execution.spec;
  const auto now = find_by_id(batch.connection, spec.tenant, *batch.tenants.find(spec.tenant), spec.id);
  switch (answer.kind) {
    case RunAnswer::Kind::done: return {ReopenAnswer::Kind::reopened, now->execution.state, std::nullopt, {}};
    case RunAnswer::Kind::identity_held:
      return {ReopenAnswer::Kind::identity_held, now->execution.state, answer.holder, {}};
    default: return {ReopenAnswer::Kind::not_retryable, now->execution.state, std::nullopt, answer.refusal};
  }
}

}  // namespace

Outcome apply(Batch& batch, const Reopen& command) {
  ReopenAnswer answer;
  const auto tenant_id = batch.tenants.find(command.tenant);
  if (!tenant_id) return answer;
  auto row = find_by_id(batch.connection, command.tenant, *tenant_id, command.id);
  if (!row) return answer;
  domain::Execution& execution = row->execution;
  answer.state = execution.state;
  answer.kind = ReopenAnswer::Kind::not_retryable;
  if (!domain::next(execution.state, domain::Event::reopened)) return answer;
  if (const char* refusal = domain::code::refusal_of_retry(execution.spec)) {
    answer.refusal = refusal;
    return answer;
  }

  if (execution.spec.kind == domain::Kind::workflow)
    return reopen_in_run(batch, *row, {command.tenant, command.id, {}, command.by, {}});
  if (const auto& step = execution.spec.step)
    return reopen_in_run(batch, *row, {command.tenant, step->run, {domain::step_of(step->task_key)}, command.by, {}});
  const std::optional<FoundHolder> other = other_holder(batch, *tenant_id, execution.spec);
  if (other && !takes_over(domain::decide(other->holder(), domain::Reuse::reject_duplicate, batch.now))) {
    answer.kind = ReopenAnswer::Kind::identity_held;
    answer.holder = other->holder().id;
    return answer;
  }
  batch.begin_writing();
  if (other) hand_over(batch, *tenant_id, *other);
  reopen_execution(execution, batch.now);
  const Phase phase = entry_phase(batch, *tenant_id, execution.spec);
  write_reopened(batch, *row, phase);
  reclaim(batch, *tenant_id, *row);
  batch.usages.opened(*tenant_id, execution.spec.context.size());
  write_audit(batch, *tenant_id, command.by, "task.retry", command.id.text());
  Change& change = tell(batch, execution, execution.state);
  change.is_ready = phase == Phase::ready;
  change.timer = pending_timer(true, execution.run_at, execution.deadline);
  answer.kind = ReopenAnswer::Kind::reopened;
  answer.state = execution.state;
  return answer;
}

}  // namespace semel::store::sqlite
