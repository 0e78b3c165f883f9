#include <algorithm>

#include "base/ensure.hpp"
#include "store/memory/workflow_rows.hpp"

/// What the workers of code workflows get, and how they answer (ADR 0018).
namespace semel::store::memory {
namespace {

using domain::AttemptOutcome;

AttemptAnswer answer_as(AttemptAnswer::Kind kind, domain::ExecutionId id, domain::State state) {
  AttemptAnswer given;
  given.kind = kind;
  given.execution_id = id;
  given.state = state;
  return given;
}

/// The attempt is gone since it was answered, or there never was one.
AttemptAnswer answer_unknown(Tables& tables, const EndActivation& end) {
  Record* record = find_record(tables, end.tenant, end.workflow);
  const WorkflowRecord* workflow = record == nullptr ? nullptr : find_workflow(tables, record->execution.spec);
  if (workflow == nullptr || workflow->last_activation != end.attempt_id) return {};
  return answer_as(AttemptAnswer::Kind::already_recorded, end.workflow, record->execution.state);
}

/// The history says what an activation did that ended well.
void forget_attempt(Tables& tables, Record& record, domain::AttemptId id) {
  tables.attempts.erase({record.execution.spec.tenant, id});
  std::erase_if(record.attempts, [&](const domain::Attempt& attempt) { return attempt.id == id; });
}

}  // namespace

Activation read_activation(const WorkflowRecord& workflow) {
  Activation activation = activation_of(workflow.facts);
  ActivationEvents events;
  for (const HistoryEntry& entry : workflow.history) {
    if (entry.sequence > workflow.facts.seen && !events.add(entry)) break;
  }
  activation.events = events.take();
  return activation;
}

Outcome apply(Tables& tables, const EndActivation& end, Time now) {
  const auto known = tables.attempts.find({end.tenant, end.attempt_id});
  if (known == tables.attempts.end()) return answer_unknown(tables, end);
  Record& record = tables.executions.at({end.tenant, known->second});
  domain::Execution& execution = record.execution;
  WorkflowRecord* workflow = find_workflow(tables, execution.spec);
  if (workflow == nullptr || known->second != end.workflow)
    return Rejected{{ErrorCode::bad_request, domain::code::is_no_activation}};
  const auto attempt = std::find_if(record.attempts.begin(), record.attempts.end(),
                                    [&](const domain::Attempt& each) { return each.id == end.attempt_id; });
  ensure(attempt != record.attempts.end());
  if (attempt->outcome != AttemptOutcome::running) {
    attempt->stale_results += 1;
    return answer_as(AttemptAnswer::Kind::stale, end.workflow, execution.state);
  }
  CodeRows rows(tables, record, now);
  const Result<domain::code::Decision> decision = end_activation(rows.loaded, rows, end.answer, now);
  if (!decision) return Rejected{decision.error()};
  forget_attempt(tables, record, end.attempt_id);
  execution.uncounted_attempts = execution.attempt;
  execution.error.reset();
  workflow->last_activation = end.attempt_id;
  if (end.answer.status) workflow->status = end.answer.status;
  rows.carry_out(*decision);
  return answer_as(AttemptAnswer::Kind::recorded, end.workflow, rows.loaded.state);
}

void end_activation_badly(Tables& tables, Record& workflow, domain::Attempt& attempt, const domain::Ending& ending,
                          std::optional<std::string> error, Time now) {
  domain::Execution& execution = workflow.execution;
  const domain::code::Trial trial = domain::code::next_activation(execution, ending, now);
  attempt.ended_at = now;
  attempt.outcome = ending.outcome;
  attempt.error = error;
  execution.uncounted_attempts += trial.counts ? 0 : 1;
  if (trial.counts) execution.error = std::move(error);
  if (trial.is_late) execution.cancel_requested = true;
  CodeRows rows(tables, workflow, now);
  rows.carry_out(activation_failed(rows.loaded, rows, trial.run_at, trial.is_late));
}

}  // namespace semel::store::memory
