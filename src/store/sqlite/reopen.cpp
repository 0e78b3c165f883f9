#include "base/ensure.hpp"
#include "store/sqlite/audit.hpp"
#include "store/sqlite/places.hpp"

/// Opening a closed execution again by hand (DESIGN §3.4, §4).
namespace semel::store::sqlite {
namespace {

void write_reopened(Batch& batch, const ExecutionRow& row, Phase phase) {
  const domain::Execution& execution = row.execution;
  batch.connection
      .use(
          "UPDATE executions SET state = ?2, phase = ?3, order_at = ?4 - (run_at - order_at), run_at = ?4,"
          " uncounted_attempts = ?5, deadline = ?6, closed_at = NULL, result = NULL, error = NULL, released_at = NULL,"
          " progress = NULL, progress_message = NULL, cancel_requested = 0, superseded = 0 WHERE seq = ?1")
      ->bind(1, row.seq)
      .bind(2, static_cast<std::int64_t>(execution.state))
      .bind(3, static_cast<std::int64_t>(phase))
      .bind(4, batch.now)
      .bind(5, std::int64_t{execution.uncounted_attempts})
      .bind(6, execution.deadline)
      .run();
}

void reclaim(Batch& batch, const IdentityKey& key, std::int64_t seq) {
  batch.identities.stage(key, seq);
  batch.connection.use("INSERT OR IGNORE INTO reclaimed (seq) VALUES (?1)")->bind(1, seq).run();
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

  const IdentityKey key{*tenant_id, execution.spec.identity.hash};
  const bool has_identity = execution.spec.identity.mode != domain::Mode::none;
  std::optional<FoundHolder> other;
  if (has_identity)
    other = load_holder(batch.connection, command.tenant, key, batch.identities.find(batch.connection, key));
  const bool holds_it = other && other->holder().id == execution.spec.id;
  if (holds_it) other.reset();
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
  if (has_identity && !holds_it) reclaim(batch, key, row->seq);
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
