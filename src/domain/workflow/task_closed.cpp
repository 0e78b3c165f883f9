#include "base/ensure.hpp"
#include "domain/workflow/advance.hpp"

namespace semel::domain {
namespace {

struct Ended {
  StepState step;
  ItemState item;
  HistoryKind event;
};

Ended ended_as(State how) {
  switch (how) {
    case State::completed: return {StepState::completed, ItemState::completed, HistoryKind::task_completed};
    case State::failed: return {StepState::failed, ItemState::failed, HistoryKind::task_failed};
    case State::cancelled: return {StepState::cancelled, ItemState::cancelled, HistoryKind::task_cancelled};
    case State::timed_out: return {StepState::timed_out, ItemState::timed_out, HistoryKind::task_timed_out};
    default: break;
  }
  ensure(false);  // an open task has not ended
  return {};
}

}  // namespace

Decision task_closed(const Graph& graph, RunFacts& facts, const RunData& data, TaskRef task, State how) {
  const Ended ended = ended_as(how);
  if (facts.phase == RunPhase::closed || task.step >= facts.steps.size()) return {};
  StepFacts& step = facts.steps[task.step];
  if (step.state != StepState::scheduled || task.item.has_value() == step.items.empty()) return {};
  Advance advance(graph, facts, data);
  if (!task.item) {
    advance.note(ended.event, task);
    advance.close(task.step, ended.step);
    return advance.settle();
  }
  // A held item can only end by being cancelled. One that will be tried again has ended, and was told of, before.
  if (*task.item >= step.items.size()) return {};
  ItemState& item = step.items[*task.item];
  if (item != ItemState::scheduled && item != ItemState::held) return {};
  advance.note(ended.event, task);
  item = ended.item;
  advance.go_on_with_items(task.step);
  return advance.settle();
}

}  // namespace semel::domain
