#include <fmt/format.h>

#include <algorithm>

#include "base/ensure.hpp"
#include "base/json/writer.hpp"
#include "domain/workflow/advance.hpp"

namespace semel::domain {
namespace {

HistoryKind event_of_end(State state) {
  switch (state) {
    case State::completed: return HistoryKind::run_completed;
    case State::failed: return HistoryKind::run_failed;
    case State::cancelled: return HistoryKind::run_cancelled;
    default: return HistoryKind::run_timed_out;
  }
}

/// Names all that did not succeed by themselves; the message is about the first.
std::string failure_of_steps(const Graph& graph, const RunFacts& facts) {
  constexpr std::size_t named_max = 20;
  std::vector<std::size_t> failed;
  for (std::size_t i = 0; i < graph.size(); ++i) {
    const StepState state = facts.steps[i].state;
    if (has_not_succeeded(state) && state != StepState::upstream_failed) failed.push_back(i);
  }
  ensure(!failed.empty());
  const std::string_view what = shown_state(facts.steps[failed.front()].state);
  json::Writer writer;
  writer.begin_object().string("type", "STEP_FAILED");
  writer.string("message", fmt::format("step '{}' {}{}", graph.step(failed.front()).name,
                                       what == "cancelled" ? "was " : "", what == "timed_out" ? "timed out" : what));
  writer.key("steps").begin_array();
  for (std::size_t i = 0; i < std::min(failed.size(), named_max); ++i) writer.string(graph.step(failed[i]).name);
  return writer.end_array().end_object().take();
}

}  // namespace

/// {"step": result, …} of those that have succeeded.
std::string Advance::results_of_steps() const {
  json::Writer writer;
  writer.begin_object();
  for (std::size_t i = 0; i < graph_.size(); ++i) {
    if (has_succeeded(facts_.steps[i].state)) writer.raw(graph_.step(i).name, result_of(i).value_or("null"));
  }
  return writer.end_object().take();
}

RunEnd Advance::end_of_run() const {
  const auto& steps = facts_.steps;
  const bool is_success =
      std::none_of(steps.begin(), steps.end(), [](const StepFacts& step) { return has_not_succeeded(step.state); });
  if (!is_success && facts_.phase == RunPhase::cancelling) return {State::cancelled, std::nullopt, std::nullopt};
  if (!is_success && facts_.phase == RunPhase::out_of_time)
    return {State::timed_out, std::nullopt, error_text("TIMED_OUT", "the deadline passed before all steps had ended")};
  if (!is_success) return {State::failed, std::nullopt, failure_of_steps(graph_, facts_)};
  std::string result = results_of_steps();
  if (result.size() <= limits::run_result_bytes_max) return {State::completed, std::move(result), std::nullopt};
  return {State::failed, std::nullopt,
          error_text("RESULT_TOO_LARGE", fmt::format("the results of all steps are {} bytes; at most {} are allowed. "
                                                     "Each can be read by itself",
                                                     result.size(), limits::run_result_bytes_max))};
}

void Advance::end_if_all_is_closed() {
  const auto& steps = facts_.steps;
  if (facts_.phase == RunPhase::closed) return;
  if (!std::all_of(steps.begin(), steps.end(), [](const StepFacts& step) { return is_closed(step.state); })) return;
  RunEnd end = end_of_run();
  facts_.phase = RunPhase::closed;
  note_run(event_of_end(end.state), end.error.value_or(""));
  decision.end = std::move(end);
}

}  // namespace semel::domain
