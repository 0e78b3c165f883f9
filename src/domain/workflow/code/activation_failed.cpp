#include <algorithm>

#include "domain/workflow/code/course.hpp"

namespace semel::domain::code {

Duration activation_pause(int failures) {
  constexpr Duration longest = 60s;
  constexpr int doublings_max = 6;  // 64 s
  return std::min<Duration>(1s * (1 << std::clamp(failures - 1, 0, doublings_max)), longest);
}

Trial next_activation(const Execution& workflow, const Ending& ending, Time now) {
  if (ending.outcome == AttemptOutcome::undelivered) return {workflow.run_at, false, false};
  Trial trial{now, is_late(workflow, now), true};
  const bool is_lost = ending.outcome == AttemptOutcome::lease_ended;
  const int failures = workflow.attempt - workflow.uncounted_attempts;
  if (!is_lost) trial.run_at += ending.retry_after.value_or(activation_pause(failures));
  return trial;
}

Decision activation_failed(Workflow& workflow, const WorkflowData& data, Time run_at, bool is_late) {
  if (workflow.facts.phase == RunPhase::closed) return {};
  workflow.state = State::suspended;
  if (is_late && workflow.facts.phase == RunPhase::open) {
    Decision decision = cancel_workflow(workflow, data, {WhyCancelled::deadline, {}, false});
    if (!decision.end) decision.next = Next::waits;
    return decision;
  }
  Course course(workflow);
  course.wait();
  if (workflow.facts.phase == RunPhase::open) {
    workflow.state = State::pending;
    course.decision.next = Next::later;
    course.decision.run_at = run_at;
  }
  course.end_if_nothing_is_left();
  return course.settle();
}

}  // namespace semel::domain::code
