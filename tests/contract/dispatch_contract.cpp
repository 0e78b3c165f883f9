#include "tests/contract/dispatch_contract.hpp"

namespace semel::test {
namespace {

using domain::Dispatch;
using domain::DispatchState;

class DispatchContract : public DispatchedTasks {};
SEMEL_ON_ALL_STORES(DispatchContract);

TEST_P(DispatchContract, TheClaimOfTheDispatcherMakesADispatchBesideTheAttempt) {
  const domain::ExecutionId id = create(task().handler("charge")).id;

  const Lease lease = push_one();

  Dispatch expected;
  expected.attempt_id = lease.attempt_id;
  expected.execution_id = id;
  expected.ids = domain::dispatch_ids(id.text(), "charge", 1);
  expected.created_at = now();
  expected.due_at = now();
  expected.next_send_at = now() + hold;
  EXPECT_EQ(describe(lease.dispatch), describe(expected));
  EXPECT_EQ(describe(by_name(expected.ids.external)), describe(StoredDispatch{expected, "default", "charge", true}));
  EXPECT_EQ(describe_all(open_dispatches()), describe(by_name(expected.ids.external)) + "\n");
  EXPECT_EQ(store().next_dispatch(), now() + hold);
  EXPECT_EQ(lease.lease_until, now() + domain::unaccepted_lease);
}

TEST_P(DispatchContract, WorkersThatPollGetNothingOfAQueueWithATarget) {
  create(task());

  EXPECT_TRUE(claim(5).empty());

  set_target("");
  EXPECT_EQ(claim(5).size(), 1u);
}

TEST_P(DispatchContract, TheDispatcherGetsNothingOfAQueueWithoutTarget) {
  set_target("");
  create(task());

  EXPECT_TRUE(claim_pushed(5).empty());
}

TEST_P(DispatchContract, OfSeveralQueuesAWorkerGetsTheTasksOfThoseWithoutTarget) {
  create(task().priority(9));
  const domain::ExecutionId other = create(task().queue("other")).id;
  Claim both = claim_of(ids_, 5);
  both.queues = {"other", std::string(default_queue)};

  const std::vector<Lease> leases = as<Claimed>(apply(both)).leases;

  ASSERT_EQ(leases.size(), 1u);
  EXPECT_EQ(leases[0].execution.spec.id, other);
}

TEST_P(DispatchContract, LimitsOfTheQueueHoldForTheDispatcher) {
  domain::QueueOptions options;
  options.target = "http://target/hook";
  options.max_running = 2;
  put_queue(options);
  for (int i = 0; i < 3; ++i) create(task());

  EXPECT_EQ(claim_pushed(5).size(), 2u);
}

TEST_P(DispatchContract, TheRateOfTheQueueHoldsForTheDispatcher) {
  domain::QueueOptions options;
  options.target = "http://target/hook";
  options.rate_limit = domain::RateLimit{10, 1s, 2};
  put_queue(options);
  for (int i = 0; i < 5; ++i) create(task());

  EXPECT_EQ(claim_pushed(5).size(), 2u);
  advance(99ms);
  EXPECT_TRUE(claim_pushed(5).empty());
  advance(1ms);
  EXPECT_EQ(claim_pushed(5).size(), 1u);
}

TEST_P(DispatchContract, WhatTheTargetHasAcceptedIsKeptByHeartbeatsAlone) {
  create(task());
  const Lease lease = push_one();
  advance(1s);

  const AttemptAnswer answer = accepted(lease.attempt_id);

  EXPECT_EQ(answer.kind, AttemptAnswer::Kind::recorded);
  EXPECT_EQ(answer.lease_until, now() + 5min);
  const Dispatch dispatch = by_name(lease.dispatch->ids.external).dispatch;
  EXPECT_EQ(dispatch.state, DispatchState::sent);
  EXPECT_EQ(dispatch.accepted_at, now());
  EXPECT_EQ(dispatch.next_send_at, std::nullopt);
  EXPECT_EQ(dispatch.answer, "202");
  EXPECT_EQ(store().next_dispatch(), std::nullopt);
  EXPECT_EQ(store().next_timer(), now() + 5min);
  advance(1min);
  EXPECT_EQ(heartbeat(lease.attempt_id, 5min).lease_until, now() + 5min);
  EXPECT_EQ(by_name(lease.dispatch->ids.external).dispatch.accepted_at, now() - 1min);
}

TEST_P(DispatchContract, ATargetThatHasAcceptedAnAttemptWasHeardOf) {
  const domain::ExecutionId id = create(task()).id;
  const Lease lease = push_one();
  advance(1s);
  EXPECT_EQ(attempts(id).at(0).last_heartbeat_at, std::nullopt);

  accepted(lease.attempt_id);

  EXPECT_EQ(attempts(id).at(0).last_heartbeat_at, now());
}

TEST_P(DispatchContract, ATargetThatIsNotHeardOfLosesTheTaskToTheNextAttempt) {
  const domain::ExecutionId id = create(task().retry({3, domain::Backoff::fixed, 10s, 10s, 0})).id;
  const Lease first = push_one();
  accepted(first.attempt_id, 1min);
  advance(1min);

  expire();

  EXPECT_EQ(state_of(id), State::pending);
  EXPECT_TRUE(open_dispatches().empty());
  advance(10s);
  promote();
  const Lease second = push_one();
  EXPECT_EQ(second.dispatch->ids, domain::dispatch_ids(id.text(), second.execution.spec.handler, 2));
  EXPECT_EQ(second.dispatch->due_at, now());
  EXPECT_FALSE(by_name(first.dispatch->ids.external).is_open);
}

TEST_P(DispatchContract, WhatIsNotAcceptedDoesNotRunOutOfTime) {
  const domain::ExecutionId id = create(task()).id;
  push_one();
  advance(24h * 30);

  expire();

  EXPECT_EQ(state_of(id), State::running);
  EXPECT_EQ(take().size(), 1u);
}

TEST_P(DispatchContract, TheTimeOfOneAttemptHoldsAlsoForWhatIsNotAccepted) {
  const domain::ExecutionId id = create(task().timeout(30s).retry({1, domain::Backoff::fixed, 1s, 1s, 0})).id;
  push_one();
  advance(30s);

  expire();

  EXPECT_EQ(state_of(id), State::timed_out);
}

TEST_P(DispatchContract, ACallbackThatComesFirstIsNotUndone) {
  create(task());
  const Lease lease = push_one();
  accepted(lease.attempt_id);

  EXPECT_EQ(postpone(lease.attempt_id, true, 3s).kind, AttemptAnswer::Kind::stale);

  EXPECT_EQ(by_name(lease.dispatch->ids.external).dispatch.state, DispatchState::sent);
  EXPECT_EQ(store().next_dispatch(), std::nullopt);
}

TEST_P(DispatchContract, AnAnswerAfterTheFirstCallGivesNoMoreTime) {
  const domain::ExecutionId id = create(task()).id;
  const Lease lease = push_one();
  heartbeat(lease.attempt_id, 5min);

  EXPECT_EQ(accepted(lease.attempt_id, 24h).lease_until, now() + 5min);

  EXPECT_EQ(attempts(id).at(0).lease_until, now() + 5min);
  EXPECT_EQ(by_name(lease.dispatch->ids.external).dispatch.answer, "202");
  advance(5min);
  expire();
  EXPECT_NE(state_of(id), State::running);
}

TEST_P(DispatchContract, DispatchesAreCountedByWhatIsKnownOfThem) {
  for (int i = 0; i < 4; ++i) create(task());
  const std::vector<Lease> leases = claim_pushed(4);
  postpone(leases[0].attempt_id, false, 1s);
  accepted(leases[1].attempt_id);
  complete(leases[2].attempt_id);

  const std::vector<DispatchDepth> depths = store().dispatch_depths();

  ASSERT_EQ(depths.size(), 1u);
  EXPECT_EQ(describe(depths[0]), describe(DispatchDepth{std::string(default_tenant), "default", 1, 1, 1}));
}

TEST_P(DispatchContract, OpenDispatchesAreListedNewestFirstInPages) {
  for (int i = 0; i < 3; ++i) create(task());
  const std::vector<Lease> leases = claim_pushed(3);
  DispatchQuery asked = query();
  asked.limit = 2;

  const std::vector<StoredDispatch> page = store().dispatches(asked);

  ASSERT_EQ(page.size(), 2u);
  EXPECT_EQ(page[0].dispatch.attempt_id, leases[2].attempt_id);
  asked.before = page[1].dispatch.attempt_id;
  ASSERT_EQ(store().dispatches(asked).size(), 1u);
  EXPECT_EQ(store().dispatches(asked)[0].dispatch.attempt_id, leases[0].attempt_id);
}

TEST_P(DispatchContract, ATaskThatIsRemovedTakesItsDispatchesWithIt) {
  const domain::ExecutionId id = create(task()).id;
  const Lease lease = push_one();
  complete(lease.attempt_id);

  remove(id);

  DispatchQuery asked = query();
  asked.external_id = lease.dispatch->ids.external;
  EXPECT_TRUE(store().dispatches(asked).empty());
  advance(hold);
  EXPECT_TRUE(take().empty());
}

TEST_P(DispatchContract, DispatchesAndSecretsOutliveTheServer) {
  create(task());
  const Lease lease = push_one();
  const std::string before = describe(by_name(lease.dispatch->ids.external));
  const Hash32 kept = as<SecretKept>(apply(KeepSecret{"callbacks", Hash32{1, 2, 3}})).value;

  reopen();

  EXPECT_EQ(describe(by_name(lease.dispatch->ids.external)), before);
  EXPECT_EQ(as<SecretKept>(apply(KeepSecret{"callbacks", Hash32{9}})).value, kept);
  EXPECT_EQ(as<SecretKept>(apply(KeepSecret{"other", Hash32{9}})).value, Hash32{9});
}

TEST_P(DispatchContract, AnotherTenantSeesNothing) {
  create(task());
  const Lease lease = push_one();
  DispatchQuery asked = query();
  asked.tenant = "other";

  EXPECT_TRUE(store().dispatches(asked).empty());
  asked.external_id = lease.dispatch->ids.external;
  EXPECT_TRUE(store().dispatches(asked).empty());
}

}  // namespace
}  // namespace semel::test
