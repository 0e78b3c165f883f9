#include "domain/attempt.hpp"

#include <gtest/gtest.h>

#include "tests/support/json.hpp"
#include "tests/unit/domain/domain_builders.hpp"

namespace semel::domain {
namespace {

using test::noon;

Execution running(int attempt = 1) {
  Execution execution;
  execution.state = State::running;
  execution.attempt = attempt;
  execution.spec.retry = {3, Backoff::fixed, 10s, 1h, 0};
  return execution;
}

Attempt attempt_of(const Execution& execution) {
  Attempt attempt;
  attempt.number = execution.attempt;
  attempt.started_at = noon - 5s;
  return attempt;
}

Aftermath after(const Execution& execution, const Ending& ending) {
  return aftermath(execution, attempt_of(execution), ending, noon);
}

std::string state_after(const Execution& execution, const Ending& ending) {
  return std::string(name_of(after(execution, ending).state));
}

constexpr std::array failures{AttemptOutcome::failed, AttemptOutcome::lease_ended, AttemptOutcome::timed_out};

TEST(Aftermath, ACompletedAttemptCompletesTheTask) {
  EXPECT_EQ(state_after(running(), {AttemptOutcome::completed}), "completed");
  EXPECT_EQ(state_after(running(3), {AttemptOutcome::completed}), "completed");
}

TEST(Aftermath, AFailureIsTriedAgainAfterThePauseWhileAttemptsAreLeft) {
  for (const AttemptOutcome outcome : failures) {
    for (const int attempt : {1, 2}) {
      const Aftermath result = after(running(attempt), {outcome});
      EXPECT_EQ(result.state, State::pending) << name_of(outcome);
      EXPECT_EQ(result.run_at, noon + 10s) << name_of(outcome);
    }
  }
}

TEST(Aftermath, TheLastAttemptDecides) {
  EXPECT_EQ(state_after(running(3), {AttemptOutcome::failed}), "failed");
  EXPECT_EQ(state_after(running(3), {AttemptOutcome::lease_ended}), "timed_out");
  EXPECT_EQ(state_after(running(3), {AttemptOutcome::timed_out}), "timed_out");
  EXPECT_EQ(after(running(3), {AttemptOutcome::failed}).run_at, std::nullopt);
}

TEST(Aftermath, AttemptsThatDoNotCountLeaveMore) {
  Execution execution = running(7);
  execution.uncounted_attempts = 5;
  EXPECT_EQ(state_after(execution, {AttemptOutcome::failed}), "pending");
  execution.uncounted_attempts = 4;
  EXPECT_EQ(state_after(execution, {AttemptOutcome::failed}), "failed");
}

TEST(Aftermath, ThePauseGrowsWithTheAttemptsThatCount) {
  Execution execution = running(6);
  execution.spec.retry.backoff = Backoff::linear;
  execution.uncounted_attempts = 4;
  EXPECT_EQ(after(execution, {AttemptOutcome::failed}).run_at, noon + 20s);
}

TEST(Aftermath, AWorkerCanForbidARetryOrSayWhen) {
  EXPECT_EQ(state_after(running(), {AttemptOutcome::failed, false}), "failed");
  EXPECT_EQ(after(running(), {AttemptOutcome::failed, true, 3min}).run_at, noon + 3min);
  EXPECT_EQ(after(running(), {AttemptOutcome::failed, true, 0ms}).run_at, noon);
}

TEST(Aftermath, ATaskThatWasAskedToStopIsCancelledUnlessItCompletes) {
  Execution execution = running();
  execution.cancel_requested = true;
  EXPECT_EQ(state_after(execution, {AttemptOutcome::completed}), "completed");
  for (const AttemptOutcome outcome : failures) EXPECT_EQ(state_after(execution, {outcome}), "cancelled");
  EXPECT_EQ(state_after(execution, {AttemptOutcome::cancelled}), "cancelled");
}

TEST(Aftermath, NoAttemptBeginsAtOrAfterTheDeadline) {
  Execution execution = running();
  execution.deadline = noon + 10s;
  EXPECT_EQ(state_after(execution, {AttemptOutcome::failed}), "failed");
  EXPECT_EQ(state_after(execution, {AttemptOutcome::lease_ended}), "timed_out");
  execution.deadline = noon + 10s + 1ms;
  EXPECT_EQ(state_after(execution, {AttemptOutcome::failed}), "pending");
}

TEST(Lease, EndsWhereItWasAskedToUnlessTheAttemptOrTheWholeMustEndBefore) {
  Execution execution = running();
  EXPECT_EQ(lease_end(execution, noon - 5s, noon, 30s), noon + 30s);
  execution.spec.timeout = 20s;
  EXPECT_EQ(lease_end(execution, noon - 5s, noon, 30s), noon + 15s);
  EXPECT_EQ(lease_end(execution, noon - 5s, noon, 10s), noon + 10s);
  execution.deadline = noon + 7s;
  EXPECT_EQ(lease_end(execution, noon - 5s, noon, 30s), noon + 7s);
}

TEST(Lease, ThatEndsWithTheAttemptsTimeOrTheDeadlineTimedOut) {
  Execution execution = running();
  Attempt attempt = attempt_of(execution);
  attempt.lease_until = noon + 15s;
  EXPECT_EQ(outcome_of_lease_end(execution, attempt), AttemptOutcome::lease_ended);
  execution.spec.timeout = 20s;
  EXPECT_EQ(outcome_of_lease_end(execution, attempt), AttemptOutcome::timed_out);
  execution.spec.timeout = 21s;
  EXPECT_EQ(outcome_of_lease_end(execution, attempt), AttemptOutcome::lease_ended);
  execution.deadline = noon + 15s;
  EXPECT_EQ(outcome_of_lease_end(execution, attempt), AttemptOutcome::timed_out);
}

TEST(Reopening, MakesATaskAsGoodAsNewButKeepsItsAttempts) {
  for (const State state : {State::failed, State::cancelled, State::timed_out}) {
    Execution execution = running(3);
    execution.state = state;
    execution.closed_at = execution.released_at = noon - 1h;
    execution.error = "{}";
    execution.cancel_requested = true;
    execution.progress = Progress{500'000, "half"};
    execution.deadline = noon;

    reopen_execution(execution, noon);

    EXPECT_EQ(execution.state, State::pending);
    EXPECT_EQ(execution.run_at, noon);
    EXPECT_EQ(execution.attempt, 3);
    EXPECT_EQ(execution.uncounted_attempts, 3);
    EXPECT_FALSE(execution.closed_at || execution.released_at || execution.error || execution.progress);
    EXPECT_FALSE(execution.cancel_requested);
    EXPECT_EQ(execution.deadline, std::nullopt);
  }
}

TEST(Reopening, KeepsADeadlineThatIsStillAhead) {
  Execution execution = running();
  execution.state = State::failed;
  execution.deadline = noon + 1ms;
  reopen_execution(execution, noon);
  EXPECT_EQ(execution.deadline, noon + 1ms);
}

TEST(Attempt, TellsWhoseLeaseEndedAsJsonWhateverTheWorkerIsCalled) {
  Attempt attempt;
  attempt.number = 3;
  attempt.worker = "wörker \"7\"\\";

  const auto error = nlohmann::json::parse(lease_end_error(attempt, AttemptOutcome::lease_ended));

  EXPECT_EQ(error["type"], "LEASE_ENDED");
  EXPECT_EQ(error["message"], "attempt 3 by worker 'wörker \"7\"\\' ended without an answer: its lease ran out");
}

TEST(Attempt, KeepsTheNumbersAndNamesOfItsOutcomes) {
  const std::array outcomes{AttemptOutcome::running,     AttemptOutcome::completed, AttemptOutcome::failed,
                            AttemptOutcome::lease_ended, AttemptOutcome::timed_out, AttemptOutcome::cancelled,
                            AttemptOutcome::undelivered};
  const std::array<std::string_view, 7> names{"running",   "completed", "failed",     "lease_ended",
                                              "timed_out", "cancelled", "undelivered"};

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
