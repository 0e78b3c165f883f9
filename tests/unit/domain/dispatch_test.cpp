#include "domain/dispatch.hpp"

#include <gtest/gtest.h>

#include <set>

#include "domain/dispatch_timer.hpp"
#include "tests/support/manual_clock.hpp"

namespace semel::domain {
namespace {

constexpr Time start = semel::test::ManualClock::start;

Execution execution_of(int attempt) {
  Execution execution;
  execution.spec.id = {*Uuid::parse("019bddae-b818-7d82-b7c5-bd42e5db27fc")};
  execution.spec.handler = "charge";
  execution.state = State::running;
  execution.run_at = start;
  execution.attempt = attempt;
  return execution;
}

Attempt pushed_attempt(int number, AttemptOutcome outcome = AttemptOutcome::running) {
  Attempt attempt;
  attempt.number = number;
  attempt.worker = push_worker;
  attempt.started_at = start;
  attempt.lease_until = start + 5min;
  attempt.outcome = outcome;
  if (outcome != AttemptOutcome::running) attempt.ended_at = start + 1min;
  return attempt;
}

Dispatch dispatch_of(const Execution& execution, int number) {
  Dispatch dispatch = begin_dispatch(execution, {}, start, 40s);
  dispatch.attempt = number;
  dispatch.ids = dispatch_ids_of(execution.spec, number);
  return dispatch;
}

TEST(Dispatch, IsNamedByTheRunAndTheStepOfATask) {
  Execution execution = execution_of(3);
  EXPECT_EQ(begin_dispatch(execution, {}, start, 40s).ids.internal,
            "dispatch:019bddae-b818-7d82-b7c5-bd42e5db27fc:charge:3");
  execution.spec.step = StepOf{{*Uuid::parse("019bddae-0000-7d82-b7c5-bd42e5db27fc")}, "mail[17]"};

  EXPECT_EQ(begin_dispatch(execution, {}, start, 40s).ids.internal,
            "dispatch:019bddae-0000-7d82-b7c5-bd42e5db27fc:mail[17]:3");
}

TEST(Dispatch, AThousandItemsOfOneHandlerHaveAThousandNames) {
  Execution execution = execution_of(1);
  std::set<std::string> names;
  for (int i = 0; i < 1000; ++i) {
    execution.spec.step = StepOf{execution.spec.id, "mail[" + std::to_string(i) + "]"};
    names.insert(begin_dispatch(execution, {}, start, 40s).ids.external);
  }

  EXPECT_EQ(names.size(), 1000u);
}

TEST(Dispatch, ABeatShortensOnlyTheLeaseOfWhatIsPushed) {
  const Execution execution = execution_of(1);
  Attempt attempt = pushed_attempt(1);
  EXPECT_EQ(lease_after_beat(execution, attempt, start, 1min, BeatBy::caller), start + 1min);
  attempt.worker = "worker-1";

  EXPECT_EQ(lease_after_beat(execution, attempt, start, 1min, BeatBy::caller), start + 5min);
}

TEST(Dispatch, AnAnswerGivesNoMoreTimeThanACallHasLeft) {
  const Execution execution = execution_of(1);
  const Attempt attempt = pushed_attempt(1);

  EXPECT_EQ(lease_after_beat(execution, attempt, start, 24h, BeatBy::answer), start + 5min);
  EXPECT_EQ(lease_after_beat(execution, attempt, start, 1min, BeatBy::answer), start + 1min);
  EXPECT_EQ(lease_after_beat(execution, attempt, start, 24h, BeatBy::caller), start + 24h);
}

TEST(Dispatch, WhatCloudTasksHasMayBeginLater) {
  QueueSettings settings;
  settings.target = "https://mailer.example";
  EXPECT_EQ(lease_of_accepted(settings), 5min);
  settings.target = "cloudtasks://projects/p/locations/l/queues/q";

  EXPECT_EQ(lease_of_accepted(settings), 24h);
}

TEST(Dispatch, ARepairGivesANewNameEachTime) {
  const Execution execution = execution_of(1);
  Dispatch dispatch = dispatch_of(execution, 1);
  accept(dispatch, start, "202");

  repair(dispatch, execution.spec, start + 24h * 30);
  EXPECT_EQ(dispatch.repair, 1);
  EXPECT_EQ(dispatch.state, DispatchState::unsent);
  EXPECT_EQ(dispatch.ids, dispatch_ids_of(execution.spec, 1, 1));
  accept(dispatch, start + 24h * 30, std::nullopt);
  repair(dispatch, execution.spec, start + 24h * 60);

  EXPECT_EQ(dispatch.repair, 2);
  EXPECT_EQ(dispatch.ids, dispatch_ids_of(execution.spec, 1, 2));
}

TEST(Dispatch, RemembersWhatItWasCalled) {
  Execution execution = execution_of(1);
  execution.spec.handler = "send:all";
  Dispatch dispatch = dispatch_of(execution, 1);
  const std::string first = dispatch.ids.external;
  EXPECT_FALSE(was_called(dispatch, first));
  repair(dispatch, execution.spec, start);
  const std::string second = dispatch.ids.external;
  repair(dispatch, execution.spec, start);

  EXPECT_TRUE(was_called(dispatch, first));
  EXPECT_TRUE(was_called(dispatch, second));
  EXPECT_FALSE(was_called(dispatch, dispatch.ids.external));
  EXPECT_FALSE(was_called(dispatch, dispatch_ids_of(execution.spec, 2).external));
}

TEST(Dispatch, TasksOfATargetAreForTheDispatcherAndActivationsForWorkers) {
  QueueSettings pulled;
  QueueSettings pushed;
  pushed.target = "http://target";

  EXPECT_TRUE(may_claim(pulled, false, "charge"));
  EXPECT_FALSE(may_claim(pulled, true, "charge"));
  EXPECT_FALSE(may_claim(pushed, false, "charge"));
  EXPECT_TRUE(may_claim(pushed, true, "charge"));
  EXPECT_TRUE(may_claim(pushed, false, "workflow:order"));
  EXPECT_FALSE(may_claim(pushed, true, "workflow:order"));
}

TEST(DispatchTimer, AHeartbeatTimerExistsOnceTheTargetHasAccepted) {
  const Execution execution = execution_of(1);
  std::vector<Attempt> attempts{pushed_attempt(1)};
  std::vector<Dispatch> dispatches{dispatch_of(execution, 1)};
  EXPECT_TRUE(timers_of(execution, attempts, dispatches).empty());
  accept(dispatches[0], start, std::nullopt);

  const std::vector<DispatchTimer> timers = timers_of(execution, attempts, dispatches);

  ASSERT_EQ(timers.size(), 1u);
  EXPECT_EQ(timers[0].type, DispatchTimer::Type::heartbeat);
  EXPECT_EQ(timers[0].state, DispatchTimer::State::scheduled);
  EXPECT_EQ(timers[0].fire_at, start + 5min);
  const std::int64_t check = to_ms(start + 5min) / 1000;
  EXPECT_EQ(timers[0].ids, heartbeat_timer_ids(execution.spec.id.text(), "charge", check));
}

TEST(DispatchTimer, AHeartbeatTimerHasFiredWhereItEndedTheAttempt) {
  const Execution execution = execution_of(1);
  std::vector<Dispatch> dispatches{dispatch_of(execution, 1)};
  accept(dispatches[0], start, std::nullopt);
  const auto state_after = [&](AttemptOutcome outcome) {
    const std::vector<Attempt> attempts{pushed_attempt(1, outcome)};
    return timers_of(execution, attempts, dispatches).at(0).state;
  };

  EXPECT_EQ(state_after(AttemptOutcome::lease_ended), DispatchTimer::State::fired);
  EXPECT_EQ(state_after(AttemptOutcome::timed_out), DispatchTimer::State::fired);
  EXPECT_EQ(state_after(AttemptOutcome::completed), DispatchTimer::State::cancelled);
  EXPECT_EQ(state_after(AttemptOutcome::failed), DispatchTimer::State::cancelled);
  EXPECT_EQ(state_after(AttemptOutcome::cancelled), DispatchTimer::State::cancelled);
}

TEST(DispatchTimer, ARetryTimerWaitsFiresOrIsCancelled) {
  Execution execution = execution_of(1);
  execution.state = State::pending;
  execution.run_at = start + 2min;
  std::vector<Attempt> attempts{pushed_attempt(1, AttemptOutcome::failed)};
  std::vector<Dispatch> dispatches{dispatch_of(execution, 1)};
  const auto timer = [&] { return timers_of(execution, attempts, dispatches).at(0); };

  EXPECT_EQ(timer().state, DispatchTimer::State::scheduled);
  EXPECT_EQ(timer().type, DispatchTimer::Type::retry);
  EXPECT_EQ(timer().fire_at, start + 2min);
  EXPECT_EQ(timer().ids, retry_timer_ids(execution.spec.id.text(), "charge", 1, to_ms(start + 2min) / 1000));
  execution.state = State::cancelled;
  execution.closed_at = start + 90s;
  EXPECT_EQ(timer().state, DispatchTimer::State::cancelled);
  execution.state = State::running;
  execution.attempt = 2;
  attempts.push_back(pushed_attempt(2));
  dispatches.push_back(dispatch_of(execution, 2));
  EXPECT_EQ(timer().state, DispatchTimer::State::fired);
  EXPECT_EQ(timer().fire_at, start + 2min);
}

TEST(DispatchTimer, TheLastAttemptHasNoRetryTimer) {
  Execution execution = execution_of(1);
  execution.state = State::failed;
  execution.closed_at = start + 1min;
  const std::vector<Attempt> attempts{pushed_attempt(1, AttemptOutcome::failed)};
  const std::vector<Dispatch> dispatches{dispatch_of(execution, 1)};

  EXPECT_TRUE(timers_of(execution, attempts, dispatches).empty());
}

}  // namespace
}  // namespace semel::domain
