#include "domain/attempt_timer.hpp"

#include <gmock/gmock.h>

#include "tests/unit/domain/domain_builders.hpp"

namespace semel::domain {
namespace {

using test::noon;
using testing::ElementsAre;
using testing::IsEmpty;
using TimerState = AttemptTimer::State;

/// A task that is in this state after its newest attempt.
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

Attempt begun(int number, Time at) {
  Attempt attempt = ended(number, AttemptOutcome::running);
  attempt.started_at = at;
  return attempt;
}

std::vector<AttemptTimer> only(AttemptTimer::Type type, std::vector<AttemptTimer> timers) {
  std::erase_if(timers, [&](const AttemptTimer& timer) { return timer.type != type; });
  return timers;
}

std::vector<AttemptTimer> heartbeats(const std::vector<Attempt>& attempts, const PushedAttempts& pushed = {}) {
  const Execution execution = with_attempts(State::running, static_cast<int>(attempts.size()));
  return only(AttemptTimer::Type::heartbeat, timers_of_attempts(execution, attempts, pushed));
}

std::vector<AttemptTimer> retries(const Execution& execution, const std::vector<Attempt>& attempts,
                                  const PushedAttempts& pushed = {}) {
  return only(AttemptTimer::Type::retry, timers_of_attempts(execution, attempts, pushed));
}

AttemptTimer retry_of(int attempt, Time fire_at, TimerState state) {
  return {AttemptTimer::Type::retry, attempt, fire_at, state};
}

TEST(HeartbeatTimer, FiresAtTheEndOfTheLeaseOnly) {
  const auto state_of = [](AttemptOutcome outcome) { return heartbeats({ended(1, outcome)}).at(0).state; };

  EXPECT_THAT(heartbeats({ended(1, AttemptOutcome::running)}),
              ElementsAre(AttemptTimer{AttemptTimer::Type::heartbeat, 1, noon + 25s, TimerState::scheduled}));
  EXPECT_EQ(state_of(AttemptOutcome::lease_ended), TimerState::fired);
  EXPECT_EQ(state_of(AttemptOutcome::timed_out), TimerState::fired);
  for (const AttemptOutcome outcome :
       {AttemptOutcome::completed, AttemptOutcome::failed, AttemptOutcome::cancelled, AttemptOutcome::undelivered})
    EXPECT_EQ(state_of(outcome), TimerState::cancelled) << name_of(outcome);
}

TEST(HeartbeatTimer, OfAPushedAttemptBeginsWhenTheTargetHasAcceptedIt) {
  const std::vector<Attempt> attempts{ended(1, AttemptOutcome::running)};

  EXPECT_THAT(heartbeats(attempts, {{1, {noon, false}}}), IsEmpty());
  EXPECT_EQ(heartbeats(attempts, {{1, {noon, true}}}).size(), 1u);
}

TEST(RetryTimer, WaitsUntilTheTaskIsDue) {
  EXPECT_THAT(retries(with_attempts(State::pending, 1), {ended(1, AttemptOutcome::failed)}),
              ElementsAre(retry_of(1, noon + 7s, TimerState::scheduled)));
}

TEST(RetryTimer, HasFiredWhenThePolicySaysOrTheNextAttemptBegan) {
  const Execution execution = with_attempts(State::running, 2);
  const Attempt first = ended(1, AttemptOutcome::lease_ended);

  EXPECT_THAT(retries(execution, {first, begun(2, noon + 30s)}),
              ElementsAre(retry_of(1, noon + 10s, TimerState::fired)));
  EXPECT_THAT(retries(execution, {first, begun(2, noon + 1s)}), ElementsAre(retry_of(1, noon + 1s, TimerState::fired)));
}

/// The target may have asked for another pause than the policy's.
TEST(RetryTimer, HasFiredWhenTheNextPushWasDue) {
  EXPECT_THAT(retries(with_attempts(State::running, 2), {ended(1, AttemptOutcome::failed), begun(2, noon + 1h)},
                      {{1, {noon, true}}, {2, {noon + 40s, false}}}),
              ElementsAre(retry_of(1, noon + 40s, TimerState::fired)));
}

TEST(RetryTimer, CountsPausesFromWhereTheTaskWasReopened) {
  Execution execution = with_attempts(State::running, 4);
  execution.spec.retry.backoff = Backoff::linear;
  execution.uncounted_attempts = 2;

  const auto timers = retries(execution, {ended(1, AttemptOutcome::failed), ended(2, AttemptOutcome::failed),
                                          ended(3, AttemptOutcome::failed), begun(4, noon + 1h)});

  EXPECT_THAT(timers, ElementsAre(retry_of(3, noon + 10s, TimerState::fired)));  // the first that counts
}

TEST(RetryTimer, DoesNotCountWhatWasGivenBack) {
  Execution execution = with_attempts(State::running, 4);
  execution.spec.retry.backoff = Backoff::linear;
  execution.uncounted_attempts = 1;

  const auto timers = retries(execution, {ended(1, AttemptOutcome::failed), ended(2, AttemptOutcome::undelivered),
                                          ended(3, AttemptOutcome::failed), begun(4, noon + 1h)});

  EXPECT_THAT(timers, ElementsAre(retry_of(1, noon - 5s, TimerState::fired),  // when the second began
                                  retry_of(3, noon + 20s, TimerState::fired)));
}

TEST(RetryTimer, CountsPausesOfActivationsFromTheLastThatWasAnswered) {
  Execution workflow = with_attempts(State::running, 9);
  workflow.spec.kind = Kind::workflow;
  workflow.spec.retry.backoff = Backoff::linear;
  workflow.uncounted_attempts = 6;

  const auto timers = retries(workflow, {ended(4, AttemptOutcome::failed), ended(7, AttemptOutcome::failed),
                                         ended(8, AttemptOutcome::failed), begun(9, noon + 1h)});

  EXPECT_EQ(timers.at(2), retry_of(8, noon + 20s, TimerState::fired));
}

TEST(RetryTimer, IsCancelledWithATaskThatClosesWhileItWaits) {
  Execution execution = with_attempts(State::cancelled, 1);
  execution.closed_at = noon + 3s;
  Execution at_once = execution;
  at_once.run_at = noon;

  EXPECT_THAT(retries(execution, {ended(1, AttemptOutcome::failed)}),
              ElementsAre(retry_of(1, noon + 7s, TimerState::cancelled)));
  EXPECT_THAT(retries(at_once, {ended(1, AttemptOutcome::failed)}),
              ElementsAre(retry_of(1, noon, TimerState::cancelled)));
}

TEST(RetryTimer, IsNotThereWhenTheTaskEndsWithItsAttempt) {
  Execution failed = with_attempts(State::failed, 1);
  failed.closed_at = noon;
  failed.run_at = noon - 10s;

  EXPECT_THAT(retries(failed, {ended(1, AttemptOutcome::failed)}), IsEmpty());
  for (const AttemptOutcome outcome :
       {AttemptOutcome::running, AttemptOutcome::completed, AttemptOutcome::cancelled, AttemptOutcome::undelivered})
    EXPECT_THAT(retries(with_attempts(State::running, 2), {ended(1, outcome), begun(2, noon + 9s)}), IsEmpty())
        << name_of(outcome);
}

TEST(RetryTimer, IsNotThereWhereSomebodyOpenedTheTaskAgain) {
  Execution waiting = with_attempts(State::pending, 1);
  waiting.uncounted_attempts = 1;
  Execution running = with_attempts(State::running, 2);
  running.uncounted_attempts = 1;
  const Attempt first = ended(1, AttemptOutcome::failed);
  const std::vector<Attempt> both{first, begun(2, noon + 9s)};

  EXPECT_THAT(retries(waiting, {first}), IsEmpty());
  EXPECT_THAT(retries(running, both), IsEmpty());
  EXPECT_THAT(retries(running, both, {{1, {noon, true}}, {2, {noon + 9s, false}}}), IsEmpty());
}

}  // namespace
}  // namespace semel::domain
