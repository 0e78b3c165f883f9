#include "domain/workflow/advance.hpp"

namespace semel::domain {

Result<Decision> resolve_step(const Graph& graph, RunFacts& facts, const RunData& data, std::size_t step,
                              std::string result, const ByHand& by) {
  const StepState state = facts.steps[step].state;
  if (state != StepState::blocked)
    return bad_request("step '{}' is {}; only a blocked step can be given a result", graph.step(step).name,
                       shown_state(state));
  Advance advance(graph, facts, data);
  advance.note(HistoryKind::step_resolved, step, by_hand_text(by));
  advance.decision.outcomes.push_back({step, std::move(result), std::nullopt});
  advance.close(step, StepState::resolved);
  return advance.settle();
}

}  // namespace semel::domain
