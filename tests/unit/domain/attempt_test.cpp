#include "domain/attempt.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace semel::domain {
namespace {

std::string after(State state, bool cancel_requested, AttemptOutcome outcome) {
  Execution execution;
  execution.state = state;
  execution.cancel_requested = cancel_requested;
  const std::optional<State> next = state_after(execution, outcome);
  return next ? std::string(name_of(*next)) : "-";
}

TEST(Attempt, EndsARunningExecutionAsItsOutcomeSays) {
  EXPECT_EQ(after(State::running, false, AttemptOutcome::completed), "completed");
  EXPECT_EQ(after(State::running, false, AttemptOutcome::failed), "failed");
  EXPECT_EQ(after(State::running, false, AttemptOutcome::lease_ended), "timed_out");
}

TEST(Attempt, CancelsAnExecutionThatWasAskedToStopUnlessItCompletes) {
  EXPECT_EQ(after(State::running, true, AttemptOutcome::completed), "completed");
  EXPECT_EQ(after(State::running, true, AttemptOutcome::failed), "cancelled");
  EXPECT_EQ(after(State::running, true, AttemptOutcome::lease_ended), "cancelled");
}

TEST(Attempt, ChangesNothingWhereNoAttemptCanRun) {
  for (const State state : all_states) {
    if (state == State::running) continue;
    for (const bool cancel_requested : {false, true}) {
      EXPECT_EQ(after(state, cancel_requested, AttemptOutcome::completed), "-") << name_of(state);
      EXPECT_EQ(after(state, cancel_requested, AttemptOutcome::failed), "-") << name_of(state);
      EXPECT_EQ(after(state, cancel_requested, AttemptOutcome::lease_ended), "-") << name_of(state);
    }
  }
}

TEST(Attempt, IsNotEndedByTheOutcomeRunning) { EXPECT_EQ(after(State::running, false, AttemptOutcome::running), "-"); }

TEST(Attempt, TellsWhoseLeaseEndedAsJsonWhateverTheWorkerIsCalled) {
  Attempt attempt;
  attempt.number = 3;
  attempt.worker = "wörker \"7\"\\";

  const auto error = nlohmann::json::parse(lease_ended_error(attempt));

  EXPECT_EQ(error["type"], "LEASE_ENDED");
  EXPECT_EQ(error["message"], "attempt 3 by worker 'wörker \"7\"\\' ended without an answer: its lease ran out");
}

TEST(Attempt, KeepsTheNumbersAndNamesOfItsOutcomes) {
  const std::array outcomes{AttemptOutcome::running, AttemptOutcome::completed, AttemptOutcome::failed,
                            AttemptOutcome::lease_ended};
  const std::array<std::string_view, 4> names{"running", "completed", "failed", "lease_ended"};

  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    EXPECT_EQ(static_cast<std::size_t>(outcomes[i]), i);
    EXPECT_EQ(name_of(outcomes[i]), names[i]);
  }
}

TEST(Execution, IsKnownByItsKeyElseByItsId) {
  Execution execution;
  execution.spec.id = *ExecutionId::parse("019bddae-b818-7d82-b7c5-bd42e5db27fc");

  EXPECT_EQ(execution.task_id(), "019bddae-b818-7d82-b7c5-bd42e5db27fc");

  execution.spec.key = "order-1";

  EXPECT_EQ(execution.task_id(), "order-1");
}

TEST(Execution, WaitsInTheQueueAsIfEnqueuedEarlierByItsHeadStart) {
  EXPECT_EQ(order_time(from_ms(10'000), 3s), from_ms(7'000));
  EXPECT_EQ(order_time(from_ms(10'000), -3s), from_ms(13'000));
}

}  // namespace
}  // namespace semel::domain
