#include "tests/contract/dispatch_contract.hpp"

namespace semel::test {
namespace {

using domain::Dispatch;
using domain::DispatchState;

/// What is sent again, and by whom.
class DispatchAgainContract : public DispatchedTasks {};
SEMEL_ON_ALL_STORES(DispatchAgainContract);

TEST_P(DispatchAgainContract, WhoeverSaysNothingMoreIsFollowedByAnother) {
  create(task());
  const Lease lease = push_one();
  advance(hold - 1ms);
  EXPECT_TRUE(take().empty());
  advance(1ms);

  const std::vector<Lease> taken = take();

  ASSERT_EQ(taken.size(), 1u);
  EXPECT_EQ(taken[0].attempt_id, lease.attempt_id);
  EXPECT_EQ(taken[0].dispatch->ids, lease.dispatch->ids);
  EXPECT_EQ(taken[0].dispatch->sends, 2);
  EXPECT_EQ(taken[0].dispatch->state, DispatchState::ambiguous);
  EXPECT_EQ(taken[0].dispatch->next_send_at, now() + hold);
  EXPECT_EQ(describe(taken[0].execution), describe(lease.execution));
  EXPECT_TRUE(take().empty());
}

TEST_P(DispatchAgainContract, WhoeverIsAloneNeedNotWait) {
  create(task());
  const Lease lease = push_one();

  EXPECT_TRUE(as<Claimed>(apply(TakeDispatches{100, hold, hold - 1ms})).leases.empty());
  const std::vector<Lease> taken = as<Claimed>(apply(TakeDispatches{100, hold, hold})).leases;

  ASSERT_EQ(taken.size(), 1u);
  EXPECT_EQ(taken[0].attempt_id, lease.attempt_id);
}

TEST_P(DispatchAgainContract, WhatTheTargetDoesNotHaveIsSentAgainAfterThePause) {
  create(task());
  const Lease lease = push_one();

  EXPECT_EQ(postpone(lease.attempt_id, false, 3s).kind, AttemptAnswer::Kind::recorded);

  Dispatch dispatch = by_name(lease.dispatch->ids.external).dispatch;
  EXPECT_EQ(dispatch.state, DispatchState::unsent);
  EXPECT_EQ(dispatch.next_send_at, now() + 3s);
  EXPECT_EQ(dispatch.answer, "503");
  advance(3s);
  EXPECT_EQ(take().size(), 1u);
  postpone(lease.attempt_id, true, 3s);
  EXPECT_EQ(by_name(lease.dispatch->ids.external).dispatch.state, DispatchState::ambiguous);
}

TEST_P(DispatchAgainContract, WhatWasTakenAndNotSentCountsNoSend) {
  create(task());
  const Lease lease = push_one();
  postpone(lease.attempt_id, false, 0s);
  ASSERT_EQ(take().at(0).dispatch->sends, 2);

  PostponeDispatch command{std::string(default_tenant), lease.attempt_id, true, 1s, "503"};
  command.was_sent = false;
  EXPECT_EQ(as<AttemptAnswer>(apply(command)).kind, AttemptAnswer::Kind::recorded);

  const Dispatch dispatch = by_name(lease.dispatch->ids.external).dispatch;
  EXPECT_EQ(dispatch.sends, 1);
  EXPECT_EQ(dispatch.next_send_at, now() + 1s);
}

TEST_P(DispatchAgainContract, WhatIsOverIsNeitherPostponedNorTaken) {
  create(task());
  const Lease lease = push_one();
  complete(lease.attempt_id, "1");

  EXPECT_EQ(postpone(lease.attempt_id, true, 3s).kind, AttemptAnswer::Kind::stale);
  EXPECT_EQ(postpone(ids_.attempts(1).at(0), true, 3s).kind, AttemptAnswer::Kind::stale);

  EXPECT_TRUE(open_dispatches().empty());
  EXPECT_FALSE(by_name(lease.dispatch->ids.external).is_open);
  advance(hold);
  EXPECT_TRUE(take().empty());
  EXPECT_EQ(store().next_dispatch(), std::nullopt);
}

TEST_P(DispatchAgainContract, OnlySoManyAreTakenEarliestFirst) {
  std::vector<domain::AttemptId> ids;
  for (int i = 0; i < 3; ++i) {
    create(task());
    ids.push_back(push_one().attempt_id);
    postpone(ids.back(), false, Duration(30 - 10 * i));
  }
  advance(1s);

  const std::vector<Lease> taken = take(2);

  ASSERT_EQ(taken.size(), 2u);
  EXPECT_EQ(taken[0].attempt_id, ids[2]);
  EXPECT_EQ(taken[1].attempt_id, ids[1]);
}

TEST_P(DispatchAgainContract, AnAnswerToAnOldNameSaysNothingOfTheNewOne) {
  const domain::ExecutionId id = create(task()).id;
  const Lease lease = push_one();
  heartbeat(lease.attempt_id, 5min);
  const Dispatch repaired = *repair(id).dispatch;

  EXPECT_EQ(accepted(lease.attempt_id).kind, AttemptAnswer::Kind::stale);
  EXPECT_EQ(postpone(lease.attempt_id, true, 3s).kind, AttemptAnswer::Kind::stale);

  EXPECT_EQ(describe(by_name(repaired.ids.external).dispatch), describe(repaired));
  EXPECT_EQ(attempts(id).at(0).lease_until, now() + domain::unaccepted_lease);
  EXPECT_EQ(accepted(lease.attempt_id, 5min, 1).kind, AttemptAnswer::Kind::recorded);
  EXPECT_EQ(by_name(repaired.ids.external).dispatch.state, DispatchState::sent);
  EXPECT_EQ(attempts(id).at(0).lease_until, now() + 5min);
}

TEST_P(DispatchAgainContract, ARefusalUnderAnOldNameDoesNotEndTheAttempt) {
  const domain::ExecutionId id = create(task()).id;
  const Lease lease = push_one();
  heartbeat(lease.attempt_id, 5min);
  const Dispatch repaired = *repair(id).dispatch;

  EXPECT_EQ(refused(lease.attempt_id, 0).kind, AttemptAnswer::Kind::stale);

  EXPECT_EQ(attempts(id).at(0).outcome, domain::AttemptOutcome::running);
  ASSERT_EQ(take().size(), 1u);
  EXPECT_EQ(refused(lease.attempt_id, 1).kind, AttemptAnswer::Kind::recorded);
  EXPECT_EQ(attempts(id).at(0).outcome, domain::AttemptOutcome::failed);
  EXPECT_EQ(refused(lease.attempt_id, 0).kind, AttemptAnswer::Kind::already_recorded);
}

/// Whoever works on the task speaks for the attempt, whatever its name was when it began.
TEST_P(DispatchAgainContract, AFailureThatIsCalledBackCountsUnderAnyName) {
  const domain::ExecutionId id = create(task()).id;
  const Lease lease = push_one();
  heartbeat(lease.attempt_id, 5min);
  repair(id);

  EXPECT_EQ(fail(lease.attempt_id).kind, AttemptAnswer::Kind::recorded);
}

TEST_P(DispatchAgainContract, ARepairedDispatchHasANewNameEachTime) {
  const domain::ExecutionId id = create(task().handler("charge")).id;
  const Lease lease = push_one();
  accepted(lease.attempt_id);
  advance(1min);

  const RepairAnswer first = repair(id);

  EXPECT_EQ(first.kind, RepairAnswer::Kind::repaired);
  EXPECT_EQ(first.dispatch->ids, domain::dispatch_ids(id.text(), "charge", 1, 1));
  EXPECT_EQ(first.dispatch->state, DispatchState::unsent);
  EXPECT_EQ(first.dispatch->next_send_at, now());
  EXPECT_EQ(attempts(id).at(0).lease_until, now() + domain::unaccepted_lease);
  const std::vector<Lease> taken = take();
  ASSERT_EQ(taken.size(), 1u);
  EXPECT_EQ(taken[0].dispatch->ids, first.dispatch->ids);
  accepted(lease.attempt_id, 48h, 1);
  advance(24h);
  EXPECT_EQ(repair(id).dispatch->ids, domain::dispatch_ids(id.text(), "charge", 1, 2));
}

TEST_P(DispatchAgainContract, OnlyWhatIsOnItsWayIsRepaired) {
  const domain::ExecutionId id = create(task()).id;

  EXPECT_EQ(repair(ids_.execution()).kind, RepairAnswer::Kind::not_found);
  EXPECT_EQ(repair(id).kind, RepairAnswer::Kind::not_open);
  const Lease lease = push_one();
  EXPECT_EQ(repair(id).kind, RepairAnswer::Kind::not_sent);
  complete(lease.attempt_id);
  EXPECT_EQ(repair(id).kind, RepairAnswer::Kind::not_open);
}

}  // namespace
}  // namespace semel::test
