#include <gtest/gtest.h>

#include "tests/support/run_model.hpp"
#include "tests/support/steps.hpp"

// What people do to a run: cancel it, and try steps again.
namespace semel::domain {
namespace {

using semel::test::graph_of;
using semel::test::only;
using semel::test::RunModel;
using Builder = semel::test::StepBuilder;

TEST(CancelRun, EndsAtOnceWhatNobodyWorksOn) {
  RunModel run(graph_of({Builder("a"), Builder("b", {"a"}).on_failure(OnUpstreamFailure::block), Builder("c", {"b"})}));
  run.start();
  run.close(only(0), State::failed);

  run.cancel();

  EXPECT_EQ(run.end(), (RunEnd{State::cancelled, std::nullopt, std::nullopt}));
  EXPECT_EQ(run.state_of("b"), "cancelled");
  EXPECT_EQ(reason_of(run.facts().steps[2].state), "run_cancelled");
}

TEST(CancelRun, WaitsForWhatRuns) {
  RunModel run(graph_of({Builder("a"), Builder("b"), Builder("c", {"a"})}));
  run.start();

  run.cancel();

  EXPECT_EQ(run.last().cancel, (std::vector{only(0), only(1)}));
  EXPECT_FALSE(run.end());
  run.close(only(0), State::completed, "1");  // it came to its end all the same
  EXPECT_EQ(run.state_of("a"), "completed");
  EXPECT_EQ(run.state_of("c"), "cancelled");
  run.close(only(1), State::cancelled);
  EXPECT_EQ(run.end()->state, State::cancelled);
}

TEST(CancelRun, NamesTheSameTasksAgainButTellsItOnce) {
  RunModel run(graph_of({Builder("a")}));
  run.start();
  run.cancel();

  run.cancel();

  EXPECT_EQ(run.last().cancel, std::vector{only(0)});
  EXPECT_TRUE(run.last().events.empty());
}

TEST(CancelRun, TellsWhoInsistsOnIt) {
  RunModel run(graph_of({Builder("a")}));
  run.start();
  run.cancel();

  run.cancel(WhyCancelled::asked_for, true);

  ASSERT_EQ(run.last().events.size(), 1u);
  EXPECT_EQ(run.last().events[0].kind, HistoryKind::cancel_requested);
}

TEST(CancelRun, ThatHasCompletedAllTheSameIsCompleted) {
  RunModel run(graph_of({Builder("a")}));
  run.start();
  run.cancel();

  run.close(only(0), State::completed, "1");

  EXPECT_EQ(run.end(), (RunEnd{State::completed, R"({"a":1})", std::nullopt}));
}

TEST(CancelRun, WhoseDeadlinePassedHasTimedOut) {
  RunModel run(graph_of({Builder("a"), Builder("b", {"a"})}));
  run.start();

  run.cancel(WhyCancelled::deadline);
  run.close(only(0), State::cancelled);

  EXPECT_EQ(run.end()->state, State::timed_out);
  EXPECT_NE(run.end()->error->find("TIMED_OUT"), std::string::npos);
  EXPECT_EQ(run.history()[2].kind, HistoryKind::deadline_passed);
}

TEST(CancelRun, ThatHasEndedStaysAsItIs) {
  RunModel run(graph_of({Builder("a")}));
  run.start();
  run.close(only(0), State::completed);

  run.cancel();

  EXPECT_EQ(run.last(), Decision{});
}

TEST(RetrySteps, TriesAFailedStepAgainAndDecidesAgainWhatFollowedFromIt) {
  RunModel run(graph_of({Builder("a"), Builder("b", {"a"}), Builder("c", {"b"})}));
  run.start();
  run.close(only(0), State::failed);
  ASSERT_EQ(run.end()->state, State::failed);

  ASSERT_TRUE(run.retry({0}));

  EXPECT_EQ(run.last().reopen, std::vector{only(0)});
  EXPECT_EQ(run.last().events[0], (HistoryEvent{HistoryKind::step_retried, "a", R"({"by":"admin","why":"again"})"}));
  EXPECT_EQ(run.state_of("c"), "waiting");
  run.close(only(0), State::completed);
  run.close(only(1), State::completed);
  run.close(only(2), State::completed);
  EXPECT_EQ(run.end()->state, State::completed);
}

TEST(RetrySteps, UnblocksWhatWaitedForIt) {
  RunModel run(graph_of({Builder("a"), Builder("b", {"a"}).on_failure(OnUpstreamFailure::block)}));
  run.start();
  run.close(only(0), State::failed);

  ASSERT_TRUE(run.retry({0}));
  run.close(only(0), State::completed);

  EXPECT_EQ(run.state_of("b"), "scheduled");
}

TEST(RetrySteps, LeavesWhatHasRun) {
  RunModel run(
      graph_of({Builder("a"), Builder("b", {"a"}), Builder("notify", {"b"}).on_failure(OnUpstreamFailure::run)}));
  run.start();
  run.close(only(0), State::failed);
  run.close(only(2), State::completed, "\"told\"");

  ASSERT_TRUE(run.retry({0}));
  run.close(only(0), State::completed);
  run.close(only(1), State::completed);

  EXPECT_EQ(run.tasks().at(only(2)).starts, 1);
  EXPECT_EQ(run.end()->result, R"({"a":null,"b":null,"notify":"told"})");
}

TEST(RetrySteps, TriesAStepAgainOnlyAfterThoseBeforeIt) {
  RunModel run(graph_of({Builder("a"), Builder("clean", {"a"}).on_failure(OnUpstreamFailure::run)}));
  run.start();
  run.close(only(0), State::failed);
  run.close(only(1), State::failed);

  ASSERT_TRUE(run.retry());

  EXPECT_EQ(run.running(), std::vector{only(0)});
  run.close(only(0), State::completed);
  EXPECT_EQ(run.last().reopen, std::vector{only(1)});
}

TEST(RetrySteps, BringsBackACancelledRun) {
  RunModel run(graph_of({Builder("a"), Builder("b", {"a"}), Builder("c")}));
  run.start();
  run.cancel();
  run.close(only(0), State::cancelled);
  run.close(only(2), State::completed);
  ASSERT_EQ(run.end()->state, State::cancelled);

  ASSERT_TRUE(run.retry());
  run.close(only(0), State::completed);
  run.close(only(1), State::completed);

  EXPECT_EQ(run.end()->state, State::completed);
}

TEST(RetrySteps, MakesATaskWhereNoneCouldBeMadeBefore) {
  RunModel run(graph_of({Builder("a"), Builder("b", {"a"}).on_failure(OnUpstreamFailure::run).for_each("a", "")}));
  run.start();
  run.close(only(0), State::failed);
  ASSERT_EQ(run.outcomes().at(1).error, R"({"type":"FOR_EACH_UNFIT","message":"for_each found no array at ''"})");

  ASSERT_TRUE(run.retry());
  run.close(only(0), State::completed, "[1,2]");

  EXPECT_EQ(run.running().size(), 2u);
}

TEST(RetrySteps, RefusesWhatDidNotFailByItself) {
  RunModel run(graph_of({Builder("a"), Builder("b", {"a"}), Builder("c")}));
  run.start();
  EXPECT_EQ(run.retry().error().message, "no step of the run can be retried");
  EXPECT_EQ(run.retry({0}).error().message, "step 'a' is scheduled; only one that did not succeed can be retried");
  run.close(only(0), State::failed);
  EXPECT_EQ(run.retry({1}).error().message, "step 'b' has not run; retry the step that it depends on");
  run.cancel();
  EXPECT_EQ(run.retry({0}).error().message, "the run is being cancelled; retry it when it has ended");
}

}  // namespace
}  // namespace semel::domain
