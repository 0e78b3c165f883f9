#include "store/sqlite/attempt_row.hpp"

#include "store/common/texts.hpp"
#include "store/sqlite/open_workflow.hpp"
#include "store/sqlite/places.hpp"

namespace semel::store::sqlite {
namespace {

using domain::AttemptOutcome;

void mark_ended(Batch& batch, const Current& current, AttemptOutcome outcome, std::optional<std::string_view> error) {
  batch.begin_writing();
  set_attempt_ended(batch.connection, current.attempt.id, batch.now, outcome, error);
}

void close(Batch& batch, const Current& current, domain::State state, const Outputs& outputs) {
  if (current.phase != Phase::neither)
    batch.connection.use("UPDATE executions SET phase = 0 WHERE seq = ?1")->bind(1, current.seq).run();
  set_closed(batch.connection, current.seq, batch.now, state, outputs);
  batch.usages.closed(batch.connection, current.seq);
  tell(batch, current.execution, state);
  make_room(batch, current.tenant_id, current.execution.spec);
  has_closed(batch, current.tenant_id, current.execution, state, current.awaited, outputs);
}

/// Back into the queue, now or later.
void queue_again(Batch& batch, const Current& current, domain::State state, Time run_at) {
  const domain::ExecutionSpec& spec = current.execution.spec;
  Phase phase = run_at > batch.now ? Phase::waiting : spec.concurrency_key ? Phase::blocked : Phase::ready;
  batch.connection
      .use(
          "UPDATE executions SET state = ?2, phase = ?3, order_at = ?4 - (run_at - order_at), run_at = ?4,"
          " uncounted_attempts = ?5 WHERE seq = ?1")
      ->bind(1, current.seq)
      .bind(2, static_cast<std::int64_t>(state))
      .bind(3, static_cast<std::int64_t>(phase))
      .bind(4, run_at)
      .bind(5, std::int64_t{current.execution.uncounted_attempts})
      .run();
  if (phase == Phase::blocked) phase = enter_again(batch, current.tenant_id, spec, current.seq);
  else make_room(batch, current.tenant_id, spec);
  Change& change = tell(batch, current.execution, state);
  change.is_ready = phase == Phase::ready;
  change.timer = pending_timer(phase != Phase::waiting, run_at, current.execution.deadline);
}

/// An activation has ended without an answer. The state that its workflow comes to.
domain::State end_activation_badly(Batch& batch, const Current& current, const domain::Ending& ending,
                                   std::optional<std::string_view> error) {
  mark_ended(batch, current, ending.outcome, error);
  const domain::ExecutionSpec& spec = current.execution.spec;
  OpenWorkflow workflow(batch, current.tenant_id, spec.tenant, spec.id);
  workflow.activation_failed(ending, error);
  workflow.save();
  return workflow.loaded.state;
}

}  // namespace

std::optional<Current> find_attempt(Batch& batch, const std::string& tenant, domain::AttemptId id) {
  const auto tenant_id = batch.tenants.find(tenant);
  if (!tenant_id) return std::nullopt;
  Scoped query = batch.connection.use(
      "SELECT a.seq, a.number, a.worker, a.started_at, a.lease_until, a.outcome, e.id, e.state, e.cancel_requested,"
      " e.queue, e.handler, e.namespace, e.name, e.attempt, e.uncounted_attempts, e.retry, e.timeout_ms, e.deadline,"
      " e.run_at, e.concurrency_key, e.phase, e.run, e.task_key, e.awaited FROM attempts a JOIN executions e ON e.seq "
      "= a.seq WHERE a.id = ?1 AND "
      "a.tenant_id = ?2");
  query->bind(1, id.uuid).bind(2, *tenant_id);
  if (!query->step()) return std::nullopt;
  Current current;
  current.tenant_id = *tenant_id;
  current.seq = query->integer(0);
  current.attempt.id = id;
  current.attempt.number = query->small(1);
  current.attempt.worker = query->text(2);
  current.attempt.started_at = query->time(3);
  current.attempt.lease_until = query->time(4);
  current.attempt.outcome = static_cast<AttemptOutcome>(query->integer(5));
  domain::Execution& execution = current.execution;
  execution.spec.tenant = tenant;
  execution.spec.id = {query->uuid(6)};
  execution.state = static_cast<domain::State>(query->integer(7));
  execution.cancel_requested = query->integer(8) != 0;
  execution.spec.queue = query->text(9);
  execution.spec.handler = query->text(10);
  if (!query->is_null(12)) execution.spec.named_task = domain::NamedTask{{}, query->text(11), query->text(12), {}, 1};
  execution.attempt = query->small(13);
  execution.uncounted_attempts = query->small(14);
  if (!query->is_null(15)) execution.spec.retry = read_retry(query->view(15));
  if (!query->is_null(16)) execution.spec.timeout = Duration{query->integer(16)};
  execution.deadline = query->optional_time(17);
  execution.run_at = query->time(18);
  execution.spec.concurrency_key = query->optional_text(19);
  current.phase = static_cast<Phase>(query->integer(20));
  if (!query->is_null(21)) execution.spec.step = domain::StepOf{{query->uuid(21)}, query->text(22), std::nullopt};
  current.awaited = query->integer(23) != 0;
  return current;
}

domain::State end_attempt(Batch& batch, const Current& current, const domain::Ending& ending, const Outputs& outputs) {
  if (is_code(current.execution.spec)) return end_activation_badly(batch, current, ending, outputs.error);
  const domain::Aftermath after = aftermath(current.execution, current.attempt, ending, batch.now);
  mark_ended(batch, current, ending.outcome, outputs.error);
  if (after.run_at) queue_again(batch, current, after.state, *after.run_at);
  else close(batch, current, after.state, outputs);
  return after.state;
}

void give_back(Batch& batch, const Current& given) {
  if (is_code(given.execution.spec)) {
    end_activation_badly(batch, given, {AttemptOutcome::undelivered}, std::nullopt);
    return;
  }
  Current current = given;
  current.execution.uncounted_attempts += 1;
  mark_ended(batch, current, AttemptOutcome::undelivered, std::nullopt);
  const domain::State pending = *next(current.execution.state, domain::Event::retried);
  if (current.execution.cancel_requested) close(batch, current, *next(pending, domain::Event::cancelled), {});
  else queue_again(batch, current, pending, current.execution.run_at);
}

void count_stale_result(Batch& batch, domain::AttemptId id) {
  batch.begin_writing();
  batch.connection.use("UPDATE attempts SET stale_results = stale_results + 1 WHERE id = ?1")->bind(1, id.uuid).run();
}

void stop_attempt(Batch& batch, std::int64_t seq) {
  batch.connection.use("UPDATE attempts SET ended_at = ?2, outcome = ?3 WHERE seq = ?1 AND outcome = 0")
      ->bind(1, seq)
      .bind(2, batch.now)
      .bind(3, static_cast<std::int64_t>(AttemptOutcome::cancelled))
      .run();
}

}  // namespace semel::store::sqlite
