#include <algorithm>
#include <deque>

#include "domain/workflow/advance.hpp"

namespace semel::domain {
namespace {

/// Steps that ended without success by themselves: the others follow from them.
bool can_be_retried(StepState state) { return has_not_succeeded(state) && state != StepState::upstream_failed; }

/// Decided without running: worth deciding again when an upstream is tried again.
bool is_only_decided(const StepFacts& step) {
  if (step.made) return false;
  return step.state == StepState::blocked || step.state == StepState::skipped || has_not_succeeded(step.state);
}

Result<std::vector<std::size_t>> choose(const Graph& graph, const RunFacts& facts, std::span<const std::size_t> steps) {
  std::vector<std::size_t> chosen(steps.begin(), steps.end());
  for (const std::size_t step : chosen) {
    const StepState state = facts.steps[step].state;
    if (state == StepState::blocked || state == StepState::upstream_failed)
      return bad_request("step '{}' has not run; retry the step that it depends on", graph.step(step).name);
    if (!can_be_retried(state))
      return bad_request("step '{}' is {}; only one that did not succeed can be retried", graph.step(step).name,
                         shown_state(state));
  }
  if (!chosen.empty()) return chosen;
  for (std::size_t i = 0; i < graph.size(); ++i) {
    if (can_be_retried(facts.steps[i].state)) chosen.push_back(i);
  }
  if (chosen.empty()) return bad_request("no step of the run can be retried");
  return chosen;
}

/// All that was only decided because of the steps waits again.
void forget_what_followed(const Graph& graph, RunFacts& facts, const std::vector<std::size_t>& steps) {
  std::deque<std::size_t> left(steps.begin(), steps.end());
  for (; !left.empty(); left.pop_front()) {
    for (const std::size_t downstream : graph.downstreams(left.front())) {
      StepFacts& step = facts.steps[downstream];
      if (!is_only_decided(step)) continue;
      step.state = StepState::waiting;
      left.push_back(downstream);
    }
  }
}

}  // namespace

Result<Decision> retry_steps(const Graph& graph, RunFacts& facts, const RunData& data,
                             std::span<const std::size_t> steps, const ByHand& by) {
  if (facts.phase == RunPhase::cancelling || facts.phase == RunPhase::out_of_time)
    return bad_request("the run is being cancelled; retry it when it has ended");
  const Result<std::vector<std::size_t>> chosen = choose(graph, facts, steps);
  if (!chosen) return pass_on(chosen.error());
  facts.phase = RunPhase::open;
  Advance advance(graph, facts, data);
  for (const std::size_t step : *chosen) {
    advance.note(HistoryKind::step_retried, step, by_hand_text(by));
    facts.steps[step].state = StepState::waiting;
  }
  forget_what_followed(graph, facts, *chosen);
  for (std::size_t i = 0; i < graph.size(); ++i) advance.judge(i);
  return advance.settle();
}

}  // namespace semel::domain
