#include <gtest/gtest.h>

#include <map>

#include "domain/names.hpp"
#include "tests/support/run_model.hpp"
#include "tests/support/steps.hpp"

namespace semel::domain {
namespace {

using semel::test::graph_of;
using semel::test::only;
using semel::test::RunModel;
using Builder = semel::test::StepBuilder;

constexpr auto block = OnUpstreamFailure::block;
constexpr auto run_on = OnUpstreamFailure::run;

std::vector<TaskRef> tasks(std::initializer_list<std::size_t> steps) {
  std::vector<TaskRef> refs;
  for (const std::size_t step : steps) refs.push_back(only(step));
  return refs;
}

/// "a completed" …: the history without details.
std::vector<std::string> told(const std::vector<HistoryEvent>& events) {
  std::vector<std::string> lines;
  for (const HistoryEvent& event : events)
    lines.push_back((event.task_key.empty() ? "" : event.task_key + " ") + std::string(name_of(event.kind)));
  return lines;
}

Graph linear() { return graph_of({Builder("a"), Builder("b", {"a"}), Builder("c", {"b"})}); }
Graph diamond(OnUpstreamFailure policy = OnUpstreamFailure::skip) {
  return graph_of(
      {Builder("a"), Builder("b", {"a"}), Builder("c", {"a"}), Builder("d", {"b", "c"}).on_failure(policy)});
}

TEST(Run, StartsTheStepsThatDependOnNothing) {
  RunModel run(graph_of({Builder("a"), Builder("b", {"a"}), Builder("c")}));

  run.start();

  EXPECT_EQ(run.running(), tasks({0, 2}));
  EXPECT_EQ(run.state_of("b"), "waiting");
  EXPECT_EQ(told(run.history()), (std::vector<std::string>{"run_started", "a task_scheduled", "c task_scheduled"}));
  EXPECT_FALSE(run.end());
}

TEST(Run, GoesFromStepToStepAndEndsWithAllResults) {
  RunModel run(linear());
  run.start();

  run.close(only(0), State::completed, "1");
  EXPECT_EQ(run.running(), tasks({1}));
  run.close(only(1), State::completed);
  run.close(only(2), State::completed, R"({"x":[1.50]})");

  EXPECT_EQ(run.end(), (RunEnd{State::completed, R"({"a":1,"b":null,"c":{"x":[1.50]}})", std::nullopt}));
  EXPECT_EQ(told(run.last().events), (std::vector<std::string>{"c task_completed", "run_completed"}));
}

TEST(Run, JoinsOnlyWhenBothArmsOfADiamondHaveEnded) {
  RunModel run(diamond());
  run.start();
  run.close(only(0), State::completed);
  EXPECT_EQ(run.running(), tasks({1, 2}));

  run.close(only(2), State::completed);
  EXPECT_EQ(run.running(), tasks({1}));
  run.close(only(1), State::completed);

  EXPECT_EQ(run.running(), tasks({3}));
}

TEST(Run, IsNotMovedByWhatItWasToldBefore) {
  RunModel run(diamond());
  run.start();
  run.close(only(0), State::completed);
  const RunFacts before = run.facts();

  run.tell(only(0));

  EXPECT_EQ(run.facts(), before);
  EXPECT_EQ(run.last(), Decision{});
}

TEST(Run, IsNotMovedByTasksThatItDoesNotWaitFor) {
  RunModel run(linear());
  run.start();
  RunFacts facts = run.facts();

  for (const TaskRef other : {only(1), only(7), TaskRef{0, 0}, TaskRef{1, 3}})
    EXPECT_EQ(task_closed(run.graph(), facts, run, other, State::completed), Decision{});
  EXPECT_EQ(facts, run.facts());
}

TEST(Run, CallsEveryEndOfATaskByItsName) {
  const std::map<State, std::pair<std::string, std::string>> ends{
      {State::completed, {"completed", "task_completed"}},
      {State::failed, {"failed", "task_failed"}},
      {State::cancelled, {"cancelled", "task_cancelled"}},
      {State::timed_out, {"timed_out", "task_timed_out"}},
  };
  for (const auto& [how, names] : ends) {
    RunModel run(graph_of({Builder("a")}));
    run.start();

    run.close(only(0), how);

    EXPECT_EQ(run.state_of("a"), names.first);
    EXPECT_EQ(told(run.last().events)[0], "a " + names.second);
    EXPECT_EQ(run.end()->state, how == State::completed ? State::completed : State::failed);
  }
}

TEST(Run, FailsWhenAStepDoesAndNamesIt) {
  RunModel run(graph_of({Builder("a"), Builder("b"), Builder("c", {"b"})}));
  run.start();

  run.close(only(1), State::timed_out);
  EXPECT_FALSE(run.end());
  run.close(only(0), State::failed);

  EXPECT_EQ(run.end(), (RunEnd{State::failed, std::nullopt,
                               R"({"type":"STEP_FAILED","message":"step 'a' failed","steps":["a","b"]})"}));
}

TEST(Run, NeverRunsWhatDependsOnAFailedStep) {
  for (const State how : {State::failed, State::timed_out, State::cancelled}) {
    RunModel run(linear());
    run.start();

    run.close(only(0), how);

    EXPECT_EQ(run.state_of("b"), "cancelled");
    EXPECT_EQ(reason_of(run.facts().steps[1].state), "upstream_failed");
    EXPECT_EQ(run.facts().steps[2].state, StepState::upstream_failed);
    EXPECT_EQ(run.end()->state, State::failed);
    EXPECT_EQ(run.tasks().size(), 1u);
  }
}

TEST(Run, WaitsForTheOtherArmBeforeItGivesUpAStep) {
  RunModel run(diamond());
  run.start();
  run.close(only(0), State::completed);

  run.close(only(1), State::failed);

  EXPECT_EQ(run.state_of("d"), "waiting");
  run.close(only(2), State::completed);
  EXPECT_EQ(run.state_of("d"), "cancelled");
}

TEST(Run, BlocksAStepUntilSomebodyDecides) {
  RunModel run(diamond(block));
  run.start();
  run.close(only(0), State::completed);
  run.close(only(1), State::failed);
  run.close(only(2), State::completed, "2");

  EXPECT_EQ(run.state_of("d"), "blocked");
  EXPECT_FALSE(run.end());
  EXPECT_TRUE(run.running().empty());
}

TEST(Run, GoesOnWithTheResultThatABlockedStepIsGiven) {
  RunModel run(graph_of({Builder("a"), Builder("b", {"a"}).on_failure(block),
                         Builder("c", {"b"}).when("b", "/ok", Comparison::equals, "true")}));
  run.start();
  run.close(only(0), State::failed);

  ASSERT_TRUE(run.resolve(1, R"({"ok": true})"));

  EXPECT_EQ(run.state_of("b"), "completed");
  EXPECT_EQ(run.history()[run.history().size() - 2],
            (HistoryEvent{HistoryKind::step_resolved, "b", R"({"by":"admin","why":"by hand"})"}));
  EXPECT_EQ(run.running(), tasks({2}));
  run.close(only(2), State::completed);
  EXPECT_EQ(run.end()->state, State::failed);  // a has failed
}

TEST(Run, GivesAResultToBlockedStepsOnly) {
  RunModel run(linear());
  run.start();

  EXPECT_EQ(run.resolve(0, "1").error().message, "step 'a' is scheduled; only a blocked step can be given a result");
  EXPECT_EQ(run.resolve(1, "1").error().message, "step 'b' is waiting; only a blocked step can be given a result");
}

TEST(Run, RunsAStepAllTheSameWhereItSaysSo) {
  RunModel run(graph_of({Builder("a"), Builder("clean", {"a"}).on_failure(run_on)}));
  run.start();

  run.close(only(0), State::failed);

  EXPECT_EQ(run.running(), tasks({1}));
  run.close(only(1), State::completed);
  EXPECT_EQ(run.end()->state, State::failed);
}

Graph choice() {
  return graph_of({Builder("check"), Builder("big", {"check"}).when("check", "/amount", Comparison::at_least, "100"),
                   Builder("small", {"check"}).when("check", "/amount", Comparison::less_than, "100"),
                   Builder("pack", {"small"}), Builder("notify", {"big", "small"})});
}

TEST(Run, TakesTheArmOfAChoiceThatFits) {
  RunModel run(choice());
  run.start();

  run.close(only(0), State::completed, R"({"amount": 100.00})");

  EXPECT_EQ(run.running(), tasks({1}));
  EXPECT_EQ(run.state_of("small"), "skipped");
  EXPECT_EQ(run.state_of("pack"), "skipped");  // all that it depends on was
  run.close(only(1), State::completed, "1");
  EXPECT_EQ(run.running(), tasks({4}));  // one arm has completed; the other does not count
  run.close(only(4), State::completed, "2");
  EXPECT_EQ(run.end(), (RunEnd{State::completed, R"({"check":{"amount": 100.00},"big":1,"notify":2})", std::nullopt}));
}

TEST(Run, SkipsAStepWhoseUpstreamsWereAllSkipped) {
  RunModel run(choice());
  run.start();

  run.close(only(0), State::completed);  // no result: neither arm fits

  EXPECT_EQ(run.state_of("notify"), "skipped");
  EXPECT_EQ(run.end()->state, State::completed);
}

TEST(Run, NeedsAllOfSeveralConditions) {
  const auto with = [](std::string_view context) {
    RunModel run(
        graph_of({Builder("a").when("", "/x", Comparison::equals, "1").when("", "/y", Comparison::exists, "false")}),
        std::string(context));
    run.start();
    return run.state_of("a");
  };

  EXPECT_EQ(with(R"({"x": 1.0})"), "scheduled");
  EXPECT_EQ(with(R"({"x": 1, "y": null})"), "skipped");
  EXPECT_EQ(with(R"({"x": 2})"), "skipped");
}

TEST(Run, FillsInTheKeyOfAStep) {
  RunModel run(graph_of({Builder("pay").key("payment-{{/order_id}}")}), R"({"order_id": "O-7"})");

  run.start();

  EXPECT_EQ(run.tasks().at(only(0)).key, "payment-O-7");
}

TEST(Run, FailsAStepWhoseKeyCannotBeFilledIn) {
  RunModel run(graph_of({Builder("pay").key("payment-{{/order_id}}"), Builder("next", {"pay"})}));

  run.start();

  EXPECT_EQ(run.state_of("pay"), "failed");
  EXPECT_EQ(run.outcomes().at(0).error, R"({"type":"KEY_UNFIT","message":"{{/order_id}} leads to nothing"})");
  EXPECT_EQ(run.state_of("next"), "cancelled");
  EXPECT_EQ(run.end()->state, State::failed);
}

TEST(Run, FailsWhenItsResultIsTooLarge) {
  const std::string large = "\"" + std::string(limits::context_bytes_max - 2, 'x') + "\"";
  std::vector<Step> steps;
  for (int i = 0; i < 17; ++i) steps.push_back(Builder("s" + std::to_string(i)));
  RunModel run(graph_of(std::move(steps)));
  run.start();

  for (std::size_t i = 0; i < 17; ++i) run.close(only(i), State::completed, large);

  EXPECT_EQ(run.end()->state, State::failed);
  EXPECT_NE(run.end()->error->find("RESULT_TOO_LARGE"), std::string::npos);
}

}  // namespace
}  // namespace semel::domain
