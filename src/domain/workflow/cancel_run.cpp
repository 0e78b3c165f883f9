#include "domain/workflow/advance.hpp"

namespace semel::domain {
namespace {

/// Names the open tasks of a step. Items that wait to be tried again have none: they end here.
void cancel_step(StepFacts& facts, std::size_t step, Decision& decision) {
  if (facts.items.empty()) return decision.cancel.push_back({step, std::nullopt});
  for (std::size_t i = 0; i < facts.items.size(); ++i) {
    if (facts.items[i] == ItemState::held_again) facts.items[i] = ItemState::cancelled;
    else if (is_open(facts.items[i])) decision.cancel.push_back({step, i});
  }
}

}  // namespace

Decision cancel_run(const Graph& graph, RunFacts& facts, const RunData& data, const CancelRequest& request) {
  if (facts.phase == RunPhase::closed) return {};
  Advance advance(graph, facts, data);
  if (facts.phase == RunPhase::open) {
    const bool is_late = request.why == WhyCancelled::deadline;
    facts.phase = is_late ? RunPhase::out_of_time : RunPhase::cancelling;
    if (is_late) advance.note_run(HistoryKind::deadline_passed);
    else advance.note_run(HistoryKind::cancel_requested, by_hand_text(request.by));
  } else if (request.force) {
    advance.note_run(HistoryKind::cancel_requested, by_hand_text(request.by));  // somebody has had enough
  }
  for (std::size_t i = 0; i < graph.size(); ++i) {
    const StepState state = facts.steps[i].state;
    if (state == StepState::waiting || state == StepState::blocked) {
      advance.note(HistoryKind::step_dropped, i);
      advance.close(i, StepState::dropped);
    } else if (state == StepState::scheduled) {
      cancel_step(facts.steps[i], i, advance.decision);
      if (!facts.steps[i].items.empty()) advance.go_on_with_items(i);
    }
  }
  return advance.settle();
}

}  // namespace semel::domain
