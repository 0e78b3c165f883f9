#pragma once
#include <optional>
#include <string>
#include <vector>

#include "domain/workflow/run.hpp"

namespace semel::domain {

/// One decision under way; private to this folder. It changes the facts, and collects what is to be done.
class Advance {
 public:
  Advance(const Graph& graph, RunFacts& facts, const RunData& data) : graph_(graph), facts_(facts), data_(data) {}

  StepFacts& facts_of(std::size_t step) { return facts_.steps[step]; }
  void note(HistoryKind kind, std::size_t step, std::string detail = "");
  void note(HistoryKind kind, TaskRef task);
  void note_run(HistoryKind kind, std::string detail = "");

  /// The step has come to its end: those that depend on it are looked at by settle().
  void close(std::size_t step, StepState state);
  /// No task can be made of the step.
  void close_unfit(std::size_t step, std::string_view type, std::string_view message);

  /// Judges the step if it waits and all its upstreams are closed.
  void judge(std::size_t step);
  /// Judges all that wait for what has closed, and what closes because of that; then ends the run, if all is closed.
  Decision settle();

  /// Gives out as many items as may run at once, and joins the step when all have ended.
  void go_on_with_items(std::size_t step);

  Decision decision{};

 private:
  bool any_upstream(std::size_t step, bool (*is)(StepState)) const;
  bool all_upstreams(std::size_t step, bool (*is)(StepState)) const;
  /// Whether the step is to run; closes or blocks it where not.
  bool may_run(std::size_t step);
  bool fulfils_when(std::size_t step);
  void schedule(std::size_t step);
  void reopen(std::size_t step);
  void expand(std::size_t step);
  void expand_again(std::size_t step);
  std::optional<std::vector<StepTask>> tasks_of_items(std::size_t step);
  void join(std::size_t step);
  void end_if_all_is_closed();
  RunEnd end_of_run() const;

  /// Absent when there is nothing; refused when what is there cannot be looked into.
  Result<std::optional<std::string>> look_up(const Source& source);
  const std::string& canonical_context();
  /// Of a step that has succeeded, also by this decision.
  std::optional<std::string> result_of(std::size_t step) const;
  std::string results_of_steps() const;

  const Graph& graph_;
  RunFacts& facts_;
  const RunData& data_;
  std::vector<std::size_t> closed_{};  // whose downstreams are still to be looked at
  std::optional<std::string> canonical_context_{};
};

/// {"type": …, "message": …}
std::string error_text(std::string_view type, std::string_view message);
/// {"by": …, "why": …}, without what is empty.
std::string by_hand_text(const ByHand& by);

}  // namespace semel::domain
