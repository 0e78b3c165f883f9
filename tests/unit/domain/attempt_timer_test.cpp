#include "domain/attempt_timer.hpp"

#include <gtest/gtest.h>

#include "tests/unit/domain/domain_builders.hpp"

namespace semel::domain {
namespace {

using test::noon;
using TimerState = AttemptTimer::State;

/// A task with three attempts, ten seconds apart, that is in this state after its newest.
Execution with_attempts(State state, int newest) {
  Execution execution;
  execution.state = state;
  execution.attempt = newest;
  execution.run_at = noon + 7s;
  execution.spec.retry = {3, Backoff::fixed, 10s, 1h, 0};
  return execution;
}

Attempt ended(int number, AttemptOutcome outcome) {
  Attempt attempt;
  attempt.number = number;
  attempt.started_at = noon - 5s;
  attempt.lease_until = noon + 25s;
  attempt.outcome = outcome;
  if (outcome != AttemptOutcome::running) attempt.ended_at = noon;
  return attempt;
}

TEST(HeartbeatTimer, FiresAtTheEndOfTheLeaseOnly) {
  const auto state_of = [](AttemptOutcome outcome) { return heartbeat_timer(ended(1, outcome)).state; };

  EXPECT_EQ(heartbeat_timer(ended(1, AttemptOutcome::running)),
            (AttemptTimer{AttemptTimer::Type::heartbeat, noon + 25s, TimerState::scheduled}));
  EXPECT_EQ(state_of(AttemptOutcome::lease_ended), TimerState::fired);
  EXPECT_EQ(state_of(AttemptOutcome::timed_out), TimerState::fired);
  for (const AttemptOutcome outcome :
       {AttemptOutcome::completed, AttemptOutcome::failed, AttemptOutcome::cancelled, AttemptOutcome::undelivered})
    EXPECT_EQ(state_of(outcome), TimerState::cancelled) << name_of(outcome);
}

TEST(RetryTimer, WaitsUntilTheTaskIsDue) {
  const auto timer = retry_timer(with_attempts(State::pending, 1), ended(1, AttemptOutcome::failed), std::nullopt);

  EXPECT_EQ(timer, (AttemptTimer{AttemptTimer::Type::retry, noon + 7s, TimerState::scheduled}));
}

TEST(RetryTimer, HasFiredWhenThePolicySaysOrTheNextAttemptBegan) {
  const Execution execution = with_attempts(State::running, 2);
  const Attempt first = ended(1, AttemptOutcome::lease_ended);

  EXPECT_EQ(retry_timer(execution, first, noon + 30s),
            (AttemptTimer{AttemptTimer::Type::retry, noon + 10s, TimerState::fired}));
  EXPECT_EQ(retry_timer(execution, first, noon + 1s),
            (AttemptTimer{AttemptTimer::Type::retry, noon + 1s, TimerState::fired}));
}

TEST(RetryTimer, CountsPausesFromWhereTheTaskWasReopened) {
  Execution execution = with_attempts(State::running, 4);
  execution.spec.retry.backoff = Backoff::linear;
  execution.uncounted_attempts = 2;

  const auto timer = retry_timer(execution, ended(3, AttemptOutcome::failed), noon + 1h);

  ASSERT_TRUE(timer);
  EXPECT_EQ(timer->fire_at, noon + 10s);  // the first that counts
}

TEST(RetryTimer, IsCancelledWithATaskThatClosesWhileItWaits) {
  Execution execution = with_attempts(State::cancelled, 1);
  execution.closed_at = noon + 3s;

  EXPECT_EQ(retry_timer(execution, ended(1, AttemptOutcome::failed), std::nullopt),
            (AttemptTimer{AttemptTimer::Type::retry, noon + 7s, TimerState::cancelled}));
}

TEST(RetryTimer, IsNotThereWhenTheTaskEndsWithItsAttempt) {
  Execution failed = with_attempts(State::failed, 3);
  failed.closed_at = noon;
  Execution reopened = with_attempts(State::pending, 3);
  reopened.uncounted_attempts = 3;

  EXPECT_FALSE(retry_timer(failed, ended(3, AttemptOutcome::failed), std::nullopt));
  EXPECT_FALSE(retry_timer(reopened, ended(3, AttemptOutcome::failed), std::nullopt));
  for (const AttemptOutcome outcome :
       {AttemptOutcome::running, AttemptOutcome::completed, AttemptOutcome::cancelled, AttemptOutcome::undelivered})
    EXPECT_FALSE(retry_timer(with_attempts(State::running, 1), ended(1, outcome), noon + 9s)) << name_of(outcome);
}

}  // namespace
}  // namespace semel::domain
