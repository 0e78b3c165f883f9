#include <algorithm>

#include "store/postgres/answer_set.hpp"
#include "store/postgres/workflows.hpp"

/// How the workers of code workflows answer (ADR 0018): decided under the lock of the workflow, and written with all
/// else that becomes of it.
namespace semel::store::postgres {
namespace {

AttemptAnswer answer_as(AttemptAnswer::Kind kind, const HeldWorkflow& workflow) {
  AttemptAnswer answer;
  answer.kind = kind;
  answer.execution_id = workflow.loaded.spec.id;
  answer.state = workflow.loaded.state;
  return answer;
}

}  // namespace

/// The workflow is asked for by its id: of an activation that was answered, it alone still knows.
void AnswerSet::expect(const EndActivation& command) {
  const TenantAndId id{command.tenant, command.workflow};
  may_make_ready_ = true;
  owners_.workflows.insert(id);
  const auto known = executions_.find(id);
  if (known == executions_.end()) return;
  const auto& step = known->second.execution.spec.step;
  // What a child comes to is told to its parent before that answers, if it does so after it.
  in_order_ = in_order_ || (step && executions_.contains({command.tenant, step->run}));
  for (const domain::code::Command& each : command.answer.commands) {
    const auto* task = std::get_if<domain::code::ScheduleTask>(&each.what);
    if (task == nullptr || !task->concurrency_key) continue;
    queues_.emplace(command.tenant, task->queue.value_or(known->second.execution.spec.queue));
  }
}

/// The workflow of a running activation. It was looked at before the workflow was locked.
HeldWorkflow& AnswerSet::activated(const Current& current) {
  const domain::ExecutionSpec& spec = current.of->execution.spec;
  const auto found = batch_.runs.workflows.find({spec.tenant, spec.id});
  const bool still_runs = found != batch_.runs.workflows.end() &&
                          found->second.loaded.state == domain::State::running &&
                          found->second.execution.attempt == current.attempt.number;
  if (!still_runs) throw Contention("an activation has ended meanwhile");
  return found->second;
}

/// The attempt is gone since it was answered, or there never was one.
AttemptAnswer AnswerSet::answer_unknown(const EndActivation& command) {
  const auto found = batch_.runs.workflows.find({command.tenant, command.workflow});
  const bool was_answered = found != batch_.runs.workflows.end() && found->second.last_activation == command.attempt_id;
  if (!was_answered) return {};
  return answer_as(AttemptAnswer::Kind::already_recorded, found->second);
}

Outcome AnswerSet::answer(const EndActivation& command) {
  const TenantAndAttempt id{command.tenant, command.attempt_id};
  Current* const current = find(id.first, id.second);
  if (current == nullptr) return answer_unknown(command);
  const domain::ExecutionSpec& spec = current->of->execution.spec;
  if (spec.id != command.workflow || !is_code(spec))
    return Rejected{{ErrorCode::bad_request, domain::code::is_no_activation}};
  if (current->attempt.outcome != domain::AttemptOutcome::running) {
    const auto held = batch_.runs.workflows.find({spec.tenant, spec.id});
    if (held == batch_.runs.workflows.end()) throw Contention("the workflow was removed meanwhile");
    stale_[id] += 1;
    return answer_as(AttemptAnswer::Kind::stale, held->second);
  }
  HeldWorkflow& workflow = activated(*current);
  batch_.command_began = batch_.changes.size();
  const domain::code::Workflow before = workflow.loaded;
  const auto decision = end_activation(workflow.loaded, *rows_of(batch_, workflow), command.answer, batch_.now);
  if (!decision) {
    workflow.loaded = before;
    return Rejected{decision.error()};
  }
  domain::Execution& execution = workflow.execution;
  execution.uncounted_attempts = execution.attempt;
  execution.error.reset();
  workflow.sets_error = true;
  workflow.answered.push_back(command.attempt_id);
  workflow.last_activation = command.attempt_id;
  if (command.answer.status) workflow.status = command.answer.status;
  carry_out(batch_, workflow, *decision);
  const AttemptAnswer recorded = answer_as(AttemptAnswer::Kind::recorded, workflow);
  current->of->execution.state = workflow.loaded.state;
  write_beats();  // while the attempt is there
  attempts_.erase(id);
  if (in_order_) settle_in_order();
  return recorded;
}

void AnswerSet::lose(Current& current, const domain::Ending& ending, std::optional<std::string_view> error) {
  HeldWorkflow& workflow = activated(current);
  may_make_ready_ = true;
  end_activation_badly(batch_, workflow, ending, error);
  lost_.push_back({{workflow.loaded.spec.tenant, workflow.loaded.spec.id}, current.attempt.id, ending.outcome, error});
  current.attempt.outcome = ending.outcome;
  current.of->execution.state = workflow.loaded.state;
}

}  // namespace semel::store::postgres
