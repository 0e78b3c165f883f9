#include "store/sqlite/open_workflow.hpp"

#include <algorithm>

#include "base/ensure.hpp"
#include "domain/workflow/code/names.hpp"
#include "store/sqlite/attempt_row.hpp"
#include "store/sqlite/child_entry.hpp"

namespace semel::store::sqlite {

using domain::State;
using domain::code::Next;

bool is_code(const domain::ExecutionSpec& spec) { return domain::code::is_workflow_handler(spec.handler); }

OpenWorkflow::OpenWorkflow(Batch& batch, std::int64_t tenant_id, const std::string& tenant, domain::ExecutionId id,
                           std::optional<domain::AttemptId> attempt)
    : batch_(batch), tenant_id_(tenant_id) {
  Scoped query = batch.connection.use(
      "SELECT w.phase, w.history_length, w.history_bytes, w.first_event, w.seen, w.last_command, w.first_command,"
      " w.open_children, w.last_activation, e.seq, e.state, e.queue, e.handler, e.priority, e.run_at - e.order_at,"
      " e.run_at, e.created_by, e.traceparent, e.deadline, e.attempt, e.uncounted_attempts, e.run, e.task_key,"
      " e.cancel_requested, a.outcome FROM workflows w JOIN executions e ON e.tenant_id = w.tenant_id AND e.id = w.id"
      " LEFT JOIN attempts a ON a.id = ?3 AND a.seq = e.seq WHERE w.tenant_id = ?1 AND w.id = ?2");
  query->bind(1, tenant_id).bind(2, id.uuid).bind_null(3);
  if (attempt) query->bind(3, attempt->uuid);
  if (!query->step()) return;
  domain::code::Facts& facts = loaded.facts;
  facts.phase = static_cast<domain::RunPhase>(query->integer(0));
  facts.history_length = query->integer(1);
  facts.history_bytes = query->integer(2);
  facts.first_event = query->integer(3);
  facts.seen = query->integer(4);
  facts.last_command = query->integer(5);
  facts.first_command = query->integer(6);
  facts.open_children = query->integer(7);
  if (!query->is_null(8)) last_activation_ = domain::AttemptId{query->uuid(8)};
  seq_ = query->integer(9);
  execution_.state = static_cast<State>(query->integer(10));
  domain::ExecutionSpec& spec = execution_.spec;
  spec.tenant = tenant;
  spec.id = id;
  spec.kind = domain::Kind::workflow;
  spec.queue = query->text(11);
  spec.handler = query->text(12);
  spec.priority = query->small(13);
  spec.head_start = Duration{query->integer(14)};
  execution_.run_at = query->time(15);
  spec.created_by = query->text(16);
  spec.traceparent = query->text(17);
  execution_.deadline = query->optional_time(18);
  execution_.attempt = query->small(19);
  execution_.uncounted_attempts = query->small(20);
  if (!query->is_null(21)) spec.step = domain::StepOf{{query->uuid(21)}, query->text(22), std::nullopt};
  execution_.cancel_requested = query->integer(23) != 0;
  if (!query->is_null(24)) activation_ = static_cast<domain::AttemptOutcome>(query->integer(24));
  loaded.state = execution_.state;
  loaded.spec = spec;
}

void OpenWorkflow::carry_out(const domain::code::Decision& decision) {
  started_ = timer_of_answer(decision, std::nullopt);
  store::carry_out(decision, loaded, batch_.now, *this);
}

void OpenWorkflow::save() {
  const domain::code::Facts& facts = loaded.facts;
  Scoped update = batch_.connection.use(
      "UPDATE workflows SET phase = ?3, history_length = ?4, history_bytes = ?5, first_event = ?6, seen = ?7,"
      " last_command = ?8, first_command = ?9, open_children = ?10, last_activation = ?11,"
      " status = coalesce(?12, status) WHERE tenant_id = ?1 AND id = ?2");
  update->bind(1, tenant_id_).bind(2, loaded.spec.id.uuid).bind(3, static_cast<std::int64_t>(facts.phase));
  update->bind(4, facts.history_length).bind(5, facts.history_bytes).bind(6, facts.first_event).bind(7, facts.seen);
  update->bind(8, facts.last_command).bind(9, facts.first_command).bind(10, facts.open_children).bind_null(11);
  if (last_activation_) update->bind(11, last_activation_->uuid);
  update->bind(12, status_).run();
}

void OpenWorkflow::child_closed(const ClosedTask& child) {
  carry_out(domain::code::child_closed(loaded, child.step->task_key, child.outcome));
}

void OpenWorkflow::resume(ExecutionRow& child) {
  resume_child(batch_, tenant_id_, child, [this](const domain::HistoryEvent& event) { add_event(event); });
}

void OpenWorkflow::cancel_requested() {
  if (execution_.cancel_requested) return;
  execution_.cancel_requested = true;
  batch_.connection.use("UPDATE executions SET cancel_requested = 1 WHERE seq = ?1")->bind(1, seq_).run();
}

void OpenWorkflow::answered(domain::AttemptId attempt, const std::optional<std::string>& status) {
  batch_.connection.use("DELETE FROM attempts WHERE id = ?1")->bind(1, attempt.uuid).run();
  execution_.uncounted_attempts = execution_.attempt;
  sets_error_ = true;
  last_activation_ = attempt;
  status_ = status;
}

void OpenWorkflow::activation_failed(const domain::Ending& ending, std::optional<std::string_view> error) {
  const domain::code::Trial trial = domain::code::next_activation(execution_, ending, batch_.now);
  execution_.uncounted_attempts += trial.counts ? 0 : 1;
  sets_error_ = trial.counts;
  if (error) execution_.error = std::string(*error);
  if (trial.is_late) cancel_requested();
  carry_out(domain::code::activation_failed(loaded, *this, trial.run_at, trial.is_late));
}

void OpenWorkflow::add_event(const domain::HistoryEvent& event) {
  record(domain::code::add_event(loaded.facts, event), event);
}

void OpenWorkflow::record(std::int64_t sequence, const domain::HistoryEvent& event) {
  insert_history(batch_, tenant_id_, loaded.spec.id, sequence, event);
}

void OpenWorkflow::stop_activation() { stop_attempt(batch_, seq_); }

void OpenWorkflow::set_input(const std::string& input) {
  batch_.usages.closed(batch_.connection, seq_);
  batch_.connection.use("UPDATE executions SET context = ?2 WHERE seq = ?1")->bind(1, seq_).bind(2, input).run();
  batch_.usages.opened(tenant_id_, input.size());
}

void OpenWorkflow::go_on(Next next, Time run_at) {
  const bool waits = next == Next::waits;
  const Phase phase = waits ? Phase::neither : run_at > batch_.now ? Phase::waiting : Phase::ready;
  if (!waits) execution_.run_at = run_at;
  execution_.state = waits ? State::suspended : State::pending;
  write_state(phase);
  Change& change = tell(batch_, execution_, execution_.state);
  change.is_ready = phase == Phase::ready;
  if (!waits) change.timer = pending_timer(phase != Phase::waiting, run_at, execution_.deadline);
  else if (!execution_.cancel_requested) change.timer = execution_.deadline;
  if (started_) change.timer = std::min(change.timer.value_or(*started_), *started_);
}

/// Indexes stand on the times: one that waits keeps them.
void OpenWorkflow::write_state(Phase phase) {
  const bool waits = phase == Phase::neither;
  Scoped update = batch_.connection.use(
      waits ? "UPDATE executions SET state = ?2, phase = ?3, uncounted_attempts = ?4,"
              " error = CASE WHEN ?5 THEN ?6 ELSE error END WHERE seq = ?1"
            : "UPDATE executions SET state = ?2, phase = ?3, uncounted_attempts = ?4,"
              " error = CASE WHEN ?5 THEN ?6 ELSE error END, order_at = ?7, run_at = ?8 WHERE seq = ?1");
  update->bind(1, seq_).bind(2, static_cast<std::int64_t>(execution_.state));
  update->bind(3, static_cast<std::int64_t>(phase)).bind(4, std::int64_t{execution_.uncounted_attempts});
  update->bind(5, std::int64_t{sets_error_}).bind(6, execution_.error);
  if (!waits) update->bind(7, domain::order_time(execution_.run_at, loaded.spec.head_start)).bind(8, execution_.run_at);
  update->run();
}

void OpenWorkflow::end(const domain::RunEnd& end) {
  execution_.state = end.state;
  batch_.connection
      .use(
          "UPDATE executions SET state = ?2, phase = 0, closed_at = ?3, result = ?4, error = ?5,"
          " uncounted_attempts = ?6 WHERE seq = ?1")
      ->bind(1, seq_)
      .bind(2, static_cast<std::int64_t>(end.state))
      .bind(3, batch_.now)
      .bind(4, end.result)
      .bind(5, end.error)
      .bind(6, std::int64_t{execution_.uncounted_attempts})
      .run();
  batch_.usages.closed(batch_.connection, seq_);
  tell(batch_, execution_, end.state);
  has_closed(batch_, tenant_id_, execution_, end.state, false, {end.result, end.error});
}

}  // namespace semel::store::sqlite
