#include "tests/support/any_dag.hpp"

#include <algorithm>
#include <functional>

#include "base/json/canonical.hpp"

namespace semel::domain {
namespace {

std::string dag_step_name(int number) { return "s" + std::to_string(number); }

json::Pointer place(std::string_view path) { return json::Pointer::parse(path).value(); }

/// The states one by one, by recursion over the upstreams.
class ExpectedStates {
 public:
  ExpectedStates(const Graph& graph, const AnyDag& dag) : graph_(graph), dag_(dag), states_(graph.size()) {}

  StepState of(std::size_t step) {
    if (!states_[step]) states_[step] = work_out(step);
    return *states_[step];
  }

 private:
  StepState work_out(std::size_t index) {
    const Step& step = graph_.step(index);
    bool some_open = false;
    bool some_bad = false;
    bool some_good = false;
    for (const std::size_t upstream : graph_.upstreams(index)) {
      const StepState state = of(upstream);
      some_open |= !is_closed(state);
      some_bad |= has_not_succeeded(state);
      some_good |= has_succeeded(state);
    }
    if (some_open) return StepState::waiting;
    if (some_bad && step.on_upstream_failure == OnUpstreamFailure::skip) return StepState::upstream_failed;
    if (some_bad && step.on_upstream_failure == OnUpstreamFailure::block) return StepState::blocked;
    if (!step.depends_on.empty() && !some_bad && !some_good) return StepState::skipped;
    for (const Condition& condition : step.when) {
      const std::optional<std::string> found = look_up(condition.source);
      if (!holds(condition, found)) return StepState::skipped;
    }
    return step.for_each ? joined(step) : state_of(dag_.outcome_of(step.name).state);
  }

  StepState joined(const Step& step) {
    const std::optional<std::string> array = look_up(step.for_each->over);
    if (!array || array->front() != '[') return StepState::unfit;
    const auto elements = std::count(array->begin(), array->end(), ',') + (*array == "[]" ? 0 : 1);
    for (std::size_t i = 0; i < static_cast<std::size_t>(elements); ++i) {
      const bool completed = dag_.outcome_of(task_key(step.name, i)).state == State::completed;
      if (!completed && step.for_each->join == Join::all) return StepState::failed;
    }
    return StepState::completed;
  }

  /// Only steps without items are looked at.
  std::optional<std::string> look_up(const Source& source) {
    if (!has_succeeded(of(graph_.find(source.step).value()))) return std::nullopt;
    const std::optional<std::string> result = dag_.outcome_of(source.step).result;
    if (!result) return std::nullopt;
    const std::string canonical = json::canonicalize(*result).value();
    const auto found = json::find(canonical, source.path);
    return found ? std::optional(std::string(*found)) : std::nullopt;
  }

  static StepState state_of(State state) {
    switch (state) {
      case State::completed: return StepState::completed;
      case State::failed: return StepState::failed;
      case State::timed_out: return StepState::timed_out;
      default: return StepState::cancelled;
    }
  }

  const Graph& graph_;
  const AnyDag& dag_;
  std::vector<std::optional<StepState>> states_;
};

}  // namespace

Step AnyDag::any_step(int number, int upstream_percent) {
  Step step;
  step.name = dag_step_name(number);
  step.handler = "h";
  for (int i = 0; i < number; ++i) {
    if (chance(upstream_percent)) step.depends_on.push_back(dag_step_name(i));
  }
  step.on_upstream_failure = static_cast<OnUpstreamFailure>(pick(3));
  if (step.depends_on.empty()) return step;
  const std::string& upstream = step.depends_on.front();
  if (chance(25)) step.when.push_back({{upstream, place("/x")}, Comparison::at_least, std::to_string(pick(4))});
  if (!chance(25)) return step;
  step.for_each = ForEach{{upstream, place("/list")}, std::nullopt, static_cast<Join>(pick(2))};
  if (chance(50)) step.for_each->max_parallel = 1 + pick(2);
  return step;
}

Graph AnyDag::any_graph(int steps_max, bool failures) {
  failures_ = failures;
  const int count = 1 + pick(steps_max);
  const int upstream_percent = 15 + pick(70);
  std::vector<Step> steps;
  for (int i = 0; i < count; ++i) steps.push_back(any_step(i, upstream_percent));
  // Joined results are arrays, which nothing here looks into.
  for (Step& step : steps) {
    const auto is_joined = [&](const Source& source) {
      return std::any_of(steps.begin(), steps.end(),
                         [&](const Step& each) { return each.name == source.step && each.for_each; });
    };
    if (step.for_each && is_joined(step.for_each->over)) step.for_each.reset();
    std::erase_if(step.when, [&](const Condition& condition) { return is_joined(condition.source); });
  }
  std::shuffle(steps.begin(), steps.end(), random_);
  return Graph(std::move(steps));
}

TaskOutcome AnyDag::outcome_of(std::string_view task_key) const {
  std::mt19937 random(seed_ ^ static_cast<std::uint32_t>(std::hash<std::string_view>{}(task_key)));
  const auto next = [&](std::uint32_t below) { return static_cast<std::uint32_t>(random()) % below; };
  constexpr State failed[] = {State::failed, State::timed_out, State::cancelled};
  const bool fails = next(100) < 25;
  if (failures_ && fails) return {failed[next(3)], std::nullopt, R"({"type":"X"})"};
  if (next(100) < 10) return {State::completed, std::nullopt, std::nullopt};
  std::string list;
  for (std::uint32_t i = next(5); i > 0; --i) list += std::to_string(i) + (i > 1 ? ", " : "");
  return {State::completed, "{\"x\": " + std::to_string(next(4)) + ".0, \"list\": [" + list + "]}", std::nullopt};
}

std::vector<StepState> expected_states(const Graph& graph, const AnyDag& dag) {
  ExpectedStates expected(graph, dag);
  std::vector<StepState> states;
  for (std::size_t i = 0; i < graph.size(); ++i) states.push_back(expected.of(i));
  return states;
}

}  // namespace semel::domain
