#include <algorithm>

#include "domain/workflow/advance.hpp"

namespace semel::domain {

bool Advance::any_upstream(std::size_t step, bool (*is)(StepState)) const {
  const auto& upstreams = graph_.upstreams(step);
  return std::any_of(upstreams.begin(), upstreams.end(),
                     [&](std::size_t each) { return is(facts_.steps[each].state); });
}

bool Advance::all_upstreams(std::size_t step, bool (*is)(StepState)) const {
  const auto& upstreams = graph_.upstreams(step);
  return std::all_of(upstreams.begin(), upstreams.end(),
                     [&](std::size_t each) { return is(facts_.steps[each].state); });
}

void Advance::judge(std::size_t step) {
  if (facts_of(step).state != StepState::waiting) return;
  if (!all_upstreams(step, [](StepState state) { return is_closed(state); })) return;
  if (!may_run(step)) return;
  const bool is_fan_out = graph_.step(step).for_each.has_value();
  const bool again = facts_of(step).made;
  if (is_fan_out && again) expand_again(step);
  else if (is_fan_out) expand(step);
  else if (again) reopen(step);
  else schedule(step);
}

/// The order of these rules is that of ADR 0010.
bool Advance::may_run(std::size_t step) {
  if (facts_.phase != RunPhase::open) {
    note(HistoryKind::step_dropped, step);
    close(step, StepState::dropped);
    return false;
  }
  if (any_upstream(step, has_not_succeeded)) {
    switch (graph_.step(step).on_upstream_failure) {
      case OnUpstreamFailure::skip:
        note(HistoryKind::step_dropped, step);
        close(step, StepState::upstream_failed);
        return false;
      case OnUpstreamFailure::block:
        note(HistoryKind::step_blocked, step);
        facts_of(step).state = StepState::blocked;
        return false;
      case OnUpstreamFailure::run: break;
    }
  }
  const bool has_upstreams = !graph_.upstreams(step).empty();
  if (has_upstreams && all_upstreams(step, [](StepState state) { return state == StepState::skipped; })) {
    note(HistoryKind::step_skipped, step);
    close(step, StepState::skipped);
    return false;
  }
  return fulfils_when(step);
}

bool Advance::fulfils_when(std::size_t step) {
  for (const Condition& condition : graph_.step(step).when) {
    const Result<std::optional<std::string>> found = look_up(condition.source);
    if (!found) {
      close_unfit(step, "WHEN_UNREADABLE", found.error().message);
      return false;
    }
    if (holds(condition, *found)) continue;
    note(HistoryKind::step_skipped, step);
    close(step, StepState::skipped);
    return false;
  }
  return true;
}

void Advance::schedule(std::size_t step) {
  StepTask task{TaskRef{step, std::nullopt}, std::nullopt, std::nullopt, false};
  if (const auto& key = graph_.step(step).idempotency_key) {
    Result<std::string> filled_in = key->fill_in({canonical_context(), std::nullopt, 0});
    if (!filled_in) return close_unfit(step, "KEY_UNFIT", filled_in.error().message);
    task.key = *std::move(filled_in);
  }
  facts_of(step).state = StepState::scheduled;
  facts_of(step).made = true;
  note(HistoryKind::task_scheduled, task.ref);
  decision.make.push_back(std::move(task));
}

void Advance::reopen(std::size_t step) {
  facts_of(step).state = StepState::scheduled;
  note(HistoryKind::task_scheduled, TaskRef{step, std::nullopt});
  decision.reopen.push_back({step, std::nullopt});
}

}  // namespace semel::domain
