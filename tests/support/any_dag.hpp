#pragma once
#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "domain/workflow/run.hpp"

/// Random DAGs, what their tasks come to, and what follows from that, worked out without any order of events.
namespace semel::domain {

class AnyDag {
 public:
  explicit AnyDag(std::uint32_t seed) : seed_(seed), random_(seed) {}

  int pick(int below) { return static_cast<int>(random_() % static_cast<std::uint32_t>(below)); }
  bool chance(int percent) { return pick(100) < percent; }

  /// With all kinds of steps, in a random order in the template. Some fail, if `failures`.
  Graph any_graph(int steps_max, bool failures = true);

  /// What the task of that key comes to, whenever it does.
  TaskOutcome outcome_of(std::string_view task_key) const;

 private:
  Step any_step(int number, int upstream_percent);

  const std::uint32_t seed_;
  bool failures_ = true;
  std::mt19937 random_;
};

/// The final state of each step, when every task comes to its outcome.
std::vector<StepState> expected_states(const Graph& graph, const AnyDag& dag);

}  // namespace semel::domain
