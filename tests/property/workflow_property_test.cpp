#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <set>

#include "domain/workflow/graph_view.hpp"
#include "domain/workflow/steps_text.hpp"
#include "tests/support/any_dag.hpp"
#include "tests/support/run_model.hpp"

// The model stops with an exception when a step starts before those that it depends on have ended, when a task is made
// twice, and when something is released, reopened or cancelled that cannot be.
namespace semel::domain {
namespace {

using semel::test::RunModel;

std::string key_in(const RunModel& run, TaskRef ref) { return task_key(run.graph().step(ref.step).name, ref.item); }

void close_as_expected(RunModel& run, const AnyDag& dag, TaskRef ref) {
  TaskOutcome outcome = dag.outcome_of(key_in(run, ref));
  run.close(ref, outcome.state, std::move(outcome.result));
}

TaskRef any_of(AnyDag& dag, const std::vector<TaskRef>& refs) {
  return refs[static_cast<std::size_t>(dag.pick(static_cast<int>(refs.size())))];
}

std::vector<TaskRef> closed_in(const RunModel& run) {
  std::vector<TaskRef> refs;
  for (const auto& [ref, task] : run.tasks()) {
    if (is_closed(task.state)) refs.push_back(ref);
  }
  return refs;
}

std::vector<StepState> states_in(const RunModel& run) {
  std::vector<StepState> states;
  for (const StepFacts& step : run.facts().steps) states.push_back(step.state);
  return states;
}

/// One task after the other, in the order of the template.
RunModel in_order(const Graph& graph, const AnyDag& dag) {
  RunModel run(graph);
  run.start();
  while (!run.running().empty()) close_as_expected(run, dag, run.running().front());
  return run;
}

/// Whether the two have come to the same; histories tell in which order.
bool same_end(const RunModel& left, const RunModel& right) {
  return left.facts() == right.facts() && left.tasks() == right.tasks() && left.outcomes() == right.outcomes() &&
         left.end() == right.end() && left.history().size() == right.history().size();
}

RC_GTEST_PROP(WorkflowProperty, EveryOrderWithDuplicatesAndRestartsEndsInTheSameStates, (std::uint32_t seed)) {
  AnyDag dag(seed);
  const Graph graph = dag.any_graph(12);
  RC_LOG() << graph_mermaid(graph) << std::endl;
  const RunModel expected = in_order(graph, dag);

  for (int order = 0; order < 5; ++order) {
    RunModel run(graph);
    run.start();
    while (!run.running().empty()) {
      const TaskRef ref = any_of(dag, run.running());
      RunModel lost = run;  // a commit that a crash has undone is decided again, in the same way
      close_as_expected(lost, dag, ref);
      close_as_expected(run, dag, ref);
      RC_ASSERT(lost.last() == run.last());
      if (dag.chance(30)) run.restart();
      if (dag.chance(50)) {
        const RunFacts before = run.facts();
        run.tell(any_of(dag, closed_in(run)));
        RC_ASSERT(run.facts() == before);
        RC_ASSERT(run.last() == Decision{});
      }
    }
    RC_ASSERT(same_end(run, expected));
  }
}

RC_GTEST_PROP(WorkflowProperty, StatesAreThoseThatFollowFromTheOutcomesAlone, (std::uint32_t seed)) {
  AnyDag dag(seed);
  const Graph graph = dag.any_graph(12);
  RC_LOG() << graph_mermaid(graph) << std::endl;

  const RunModel run = in_order(graph, dag);

  RC_ASSERT(states_in(run) == expected_states(graph, dag));
}

RC_GTEST_PROP(WorkflowProperty, StepsReadBackFromTheirText, (std::uint32_t seed)) {
  const Graph graph = AnyDag(seed).any_graph(12);

  RC_ASSERT(decode_steps(encode_steps(graph.steps())) == graph.steps());
}

/// Tries all orders, by depth first; states that were met before are not gone on from.
void try_all_orders(const RunModel& run, const AnyDag& dag, const RunModel& expected, std::set<std::string>& met) {
  if (!met.insert(encode_facts(run.facts())).second) return;
  if (run.running().empty()) RC_ASSERT(same_end(run, expected));
  for (const TaskRef ref : run.running()) {
    RunModel next = run;
    close_as_expected(next, dag, ref);
    try_all_orders(next, dag, expected, met);
  }
}

RC_GTEST_PROP(WorkflowProperty, ReallyEveryOrderOfASmallDagEndsInTheSameStates, (std::uint32_t seed)) {
  AnyDag dag(seed);
  const Graph graph = dag.any_graph(5);
  RC_LOG() << graph_mermaid(graph) << std::endl;
  const RunModel expected = in_order(graph, dag);
  RunModel run(graph);
  run.start();
  std::set<std::string> met;

  try_all_orders(run, dag, expected, met);
}

/// Does something that a person may do at any time.
void act_by_hand(RunModel& run, AnyDag& dag) {
  const auto step = static_cast<std::size_t>(dag.pick(static_cast<int>(run.graph().size())));
  switch (dag.pick(4)) {
    case 0: return run.cancel(dag.chance(50) ? WhyCancelled::asked_for : WhyCancelled::deadline);
    case 1: return static_cast<void>(run.retry());
    case 2: return static_cast<void>(run.retry({step}));
    default: return static_cast<void>(run.resolve(step, R"({"x": 2, "list": [1]})"));
  }
}

RC_GTEST_PROP(WorkflowProperty, WhateverIsDoneByHandTheRunEndsExactlyWhenAllIsClosed, (std::uint32_t seed)) {
  AnyDag dag(seed);
  RunModel run(dag.any_graph(8));
  RC_LOG() << graph_mermaid(run.graph()) << std::endl;
  run.start();
  for (int i = 0; i < 60; ++i) {
    if (!run.running().empty() && dag.chance(70)) {
      const State hows[] = {State::completed, State::completed, State::failed, State::cancelled, State::timed_out};
      run.close(any_of(dag, run.running()), hows[dag.pick(5)], R"({"x": 1, "list": [1, 2, 3]})");
    } else if (dag.chance(50)) {
      act_by_hand(run, dag);
    }
    run.restart();
    const auto& steps = run.facts().steps;
    const bool all_closed =
        std::all_of(steps.begin(), steps.end(), [](const StepFacts& step) { return is_closed(step.state); });
    RC_ASSERT(all_closed == (run.facts().phase == RunPhase::closed));
    RC_ASSERT(all_closed == run.end().has_value());
    if (all_closed) RC_ASSERT(run.running().empty());
  }
}

/// Whether a step below would run although this one fails. Then it has run, and is not decided again.
bool something_runs_in_spite_of(const Graph& graph, std::size_t step) {
  const auto& below = graph.downstreams(step);
  return std::any_of(below.begin(), below.end(), [&](std::size_t each) {
    return graph.step(each).on_upstream_failure == OnUpstreamFailure::run || something_runs_in_spite_of(graph, each);
  });
}

RC_GTEST_PROP(WorkflowProperty, ARunThatIsRetriedUntilAllCompletesHasCompletedEveryStepOnce, (std::uint32_t seed)) {
  AnyDag dag(seed);
  const Graph graph = dag.any_graph(10, false);
  RC_LOG() << graph_mermaid(graph) << std::endl;
  const RunModel expected = in_order(graph, dag);
  RunModel run(graph);
  run.start();
  for (int failures = 20; !run.running().empty();) {
    const TaskRef ref = any_of(dag, run.running());
    const bool is_settled = ref.item && graph.step(ref.step).for_each->join == Join::settled;
    if (failures > 0 && !is_settled && !something_runs_in_spite_of(graph, ref.step) && dag.chance(40)) {
      --failures;
      run.close(ref, State::failed);
    } else {
      close_as_expected(run, dag, ref);
    }
    if (run.running().empty() || dag.chance(10)) static_cast<void>(run.retry());
  }

  RC_ASSERT(states_in(run) == states_in(expected));
  RC_ASSERT(run.end() == expected.end());
}

}  // namespace
}  // namespace semel::domain
