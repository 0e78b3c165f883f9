#include "domain/attempt_name.hpp"

#include <gtest/gtest.h>

#include "domain/attempt_timer.hpp"
#include "tests/unit/domain/domain_builders.hpp"

namespace semel::domain {
namespace {

using test::noon;
using TimerType = AttemptTimer::Type;

/// A task that has had three attempts: two failed, the third runs.
class AttemptName : public testing::Test {
 protected:
  AttemptName() {
    execution_.spec.handler = "charge";
    execution_.state = State::running;
    execution_.attempt = 3;
    execution_.spec.retry = {5, Backoff::fixed, 10s, 1h, 0};
    attempts_ = {failed(1, noon), failed(2, noon + 1h), failed(3, noon + 2h)};
    attempts_[2].outcome = AttemptOutcome::running;
    attempts_[2].ended_at.reset();
  }

  static Attempt failed(int number, Time started_at) {
    Attempt attempt;
    attempt.number = number;
    attempt.started_at = started_at;
    attempt.lease_until = started_at + 30s;
    attempt.outcome = AttemptOutcome::failed;
    attempt.ended_at = started_at + 5s;
    return attempt;
  }
  Dispatch repaired(int attempt, int times) const {
    Dispatch dispatch;
    dispatch.attempt = attempt;
    dispatch.ids = dispatch_ids_of(execution_.spec, attempt);
    for (int i = 0; i < times; ++i) repair(dispatch, execution_.spec, noon);
    return dispatch;
  }
  std::string timer(TimerType type, int attempt, Time at) const {
    return timer_ids_of(execution_.spec, {type, attempt, at, AttemptTimer::State::fired}).external;
  }
  std::optional<int> called(const std::string& external_id) const {
    return attempt_called(execution_, attempts_, dispatches_, {external_id, first_leases_});
  }

  Execution execution_{};
  std::vector<Attempt> attempts_{};
  std::vector<Dispatch> dispatches_{};
  std::vector<Duration> first_leases_{};
};

TEST_F(AttemptName, OfEveryDispatchIsKnown) {
  for (int number = 1; number <= 3; ++number)
    EXPECT_EQ(called(dispatch_ids_of(execution_.spec, number).external), number);

  EXPECT_EQ(called(dispatch_ids_of(execution_.spec, 4).external), std::nullopt) << "it has not begun";
  EXPECT_EQ(called(external_id("d_", "something else")), std::nullopt);
}

TEST_F(AttemptName, OfADispatchThatWasGivenNewOnesIsEachOfThem) {
  dispatches_ = {repaired(2, 2)};

  for (int repair = 0; repair <= 2; ++repair)
    EXPECT_EQ(called(dispatch_ids_of(execution_.spec, 2, repair).external), 2) << repair;

  EXPECT_EQ(called(dispatch_ids_of(execution_.spec, 2, 3).external), std::nullopt);
  EXPECT_EQ(called(dispatch_ids_of(execution_.spec, 1, 1).external), std::nullopt);
}

TEST_F(AttemptName, OfEveryTimerIsKnown) {
  EXPECT_EQ(called(timer(TimerType::heartbeat, 1, noon + 30s)), 1);
  EXPECT_EQ(called(timer(TimerType::heartbeat, 3, noon + 2h + 30s)), 3);
  EXPECT_EQ(called(timer(TimerType::retry, 1, noon + 15s)), 1);
  EXPECT_EQ(called(timer(TimerType::retry, 2, noon + 1h + 15s)), 2);

  EXPECT_EQ(called(timer(TimerType::heartbeat, 1, noon + 31s)), std::nullopt);
  EXPECT_EQ(called(timer(TimerType::heartbeat, 1, noon + 29s)), std::nullopt) << "no heartbeat has moved it";
  EXPECT_EQ(called(timer(TimerType::retry, 1, noon + 4s)), std::nullopt) << "before the attempt had ended";
  EXPECT_EQ(called(timer(TimerType::retry, 1, noon + 1h + 1s)), std::nullopt) << "after the next one had begun";
}

TEST_F(AttemptName, OfAHeartbeatTimerIsKnownWhereItStoodBefore) {
  attempts_[0].last_heartbeat_at = noon + 20min;
  attempts_[0].lease_until = noon + 21min;

  EXPECT_EQ(called(timer(TimerType::heartbeat, 1, noon + 30s)), 1);
  EXPECT_EQ(called(timer(TimerType::heartbeat, 1, noon + 20min)), 1);
  EXPECT_EQ(called(timer(TimerType::heartbeat, 1, noon + 22min)), std::nullopt);
}

/// Cloud Tasks may take a day to deliver; when somebody has begun, minutes count.
TEST_F(AttemptName, OfAHeartbeatTimerIsKnownWhereItStoodUntilSomebodyBegan) {
  Dispatch dispatch = repaired(3, 0);
  accept(dispatch, noon + 2h + 1s, "202");
  dispatches_ = {dispatch};
  attempts_[2].last_heartbeat_at = noon + 3h;
  attempts_[2].lease_until = noon + 3h + 5min;
  EXPECT_EQ(called(timer(TimerType::heartbeat, 3, noon + 26h + 1s)), std::nullopt) << "no queue has such a window";

  first_leases_ = {5min, 24h};

  EXPECT_EQ(called(timer(TimerType::heartbeat, 3, noon + 26h + 1s)), 3);
  EXPECT_EQ(called(timer(TimerType::heartbeat, 3, noon + 26h + 2s)), std::nullopt);
}

TEST_F(AttemptName, OfARetryTimerIsKnownWhenItsWorkerHadWantedAnotherPause) {
  EXPECT_EQ(called(timer(TimerType::retry, 1, noon + 5s + 40min)), 1);
}

/// The lease of one that is on its way for years would be as many names.
TEST_F(AttemptName, IsNotLookedForInTheYearsOfALeaseThatNobodyHolds) {
  attempts_[2].last_heartbeat_at = noon + 2h;
  attempts_[2].lease_until = noon + unaccepted_lease;

  EXPECT_EQ(called(timer(TimerType::heartbeat, 3, noon + 2h + 5min)), 3);
  EXPECT_EQ(called(timer(TimerType::heartbeat, 3, noon + 24h * 3)), std::nullopt);
}

TEST(ExternalId, IsToldFromOtherTexts) {
  EXPECT_TRUE(is_external_id("d_cxtoltqhbncw6nevn7hy53kqn6"));
  EXPECT_TRUE(is_external_id("t_hlljqq57362d4n3x2kett7jrqf"));
  EXPECT_TRUE(is_timer_id("t_hlljqq57362d4n3x2kett7jrqf"));
  EXPECT_FALSE(is_timer_id("d_cxtoltqhbncw6nevn7hy53kqn6"));
  for (const char* text :
       {"", "d_", "x_cxtoltqhbncw6nevn7hy53kqn6", "d_cxtoltqhbncw6nevn7hy53kqn", "d_cxtoltqhbncw6nevn7hy53kqn66",
        "d_CXTOLTQHBNCW6NEVN7HY53KQN6", "d_cxtoltqhbncw6nevn7hy53kqn1", "dispatch:run1:extract:1"})
    EXPECT_FALSE(is_external_id(text)) << text;
}

}  // namespace
}  // namespace semel::domain
