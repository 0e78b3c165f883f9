#include <gmock/gmock.h>

#include "tests/contract/store_contract.hpp"

namespace semel::test {
namespace {

/// Tasks that wait for their time, and what wakes them (DESIGN §4).
class PromoteContract : public StoreContract {};
SEMEL_ON_ALL_STORES(PromoteContract);

TEST_P(PromoteContract, ATaskForLaterWaitsAndIsNotClaimed) {
  const Created at = create(task().run_at(now() + 10s));
  const Created after = create(task().delay(20s));

  EXPECT_FALSE(at.ready);
  EXPECT_EQ(at.run_at, now() + 10s);
  EXPECT_FALSE(after.ready);
  EXPECT_EQ(after.run_at, now() + 20s);
  EXPECT_EQ(find(after.id).value().run_at, now() + 20s);
  EXPECT_EQ(state_of(at.id), State::pending);
  EXPECT_TRUE(claim(10).empty());
}

TEST_P(PromoteContract, ARunAtOfNowIsReadyAtOnce) {
  EXPECT_TRUE(create(task().run_at(now())).ready);
  EXPECT_TRUE(create(task().delay(0s)).ready);
  EXPECT_FALSE(create(task().run_at(now() + 1ms)).ready);

  EXPECT_EQ(claim(10).size(), 2u);
}

TEST_P(PromoteContract, ADueTaskIsClaimedOnlyAfterItsPromotion) {
  create(task().delay(10s));
  advance(10s);

  EXPECT_TRUE(claim(10).empty());
  promote();
  EXPECT_EQ(claim(10).size(), 1u);
}

TEST_P(PromoteContract, ItIsDueAtItsTickAndNotBefore) {
  const Created created = create(task().delay(10s));
  advance(10s - 1ms);
  promote();
  EXPECT_TRUE(ready_.empty());
  EXPECT_TRUE(claim(10).empty());

  advance(1ms);
  promote();
  EXPECT_THAT(ready_, testing::ElementsAre(Ready{std::string(default_tenant), std::string(default_queue),
                                                 std::string(default_handler)}));

  promote();
  EXPECT_TRUE(ready_.empty());  // once only
  ASSERT_EQ(claim(10).size(), 1u);
  EXPECT_EQ(find(created.id).value().run_at, now());
}

TEST_P(PromoteContract, APromotedTaskStandsWhereItsRunAtPutsIt) {
  const Created delayed = create(task().delay(10s));
  advance(20s);
  const Created young = create(task());
  promote();

  const std::vector<Lease> leases = claim(10);

  ASSERT_EQ(leases.size(), 2u);
  EXPECT_EQ(leases[0].execution.spec.id, delayed.id);
  EXPECT_EQ(leases[1].execution.spec.id, young.id);
}

TEST_P(PromoteContract, EveryTaskThatBecameReadyIsTold) {
  for (int i = 0; i < 3; ++i) {
    create(task().queue("a").delay(1s));
    create(task().queue("b").delay(1s));
    create(task().queue("a").tenant("globex").delay(1s));
    create(task().queue("later").delay(1h));
    create(task().queue("ready"));
  }
  advance(1s);

  const Promoted promoted = promote();

  const Ready a{std::string(default_tenant), "a", std::string(default_handler)};
  const Ready b{std::string(default_tenant), "b", std::string(default_handler)};
  const Ready other{"globex", "a", std::string(default_handler)};
  EXPECT_THAT(ready_, testing::UnorderedElementsAre(a, a, a, b, b, b, other, other, other));
  EXPECT_FALSE(promoted.more);
}

TEST_P(PromoteContract, TheEarliestArePromotedFirstAndALimitIsKept) {
  const Created third = create(task().delay(3s));
  const Created first = create(task().delay(1s));
  const Created second = create(task().delay(2s));
  advance(1h);

  EXPECT_TRUE(promote(2).more);

  const std::vector<Lease> leases = claim(10);
  ASSERT_EQ(leases.size(), 2u);
  EXPECT_EQ(leases[0].execution.spec.id, first.id);
  EXPECT_EQ(leases[1].execution.spec.id, second.id);
  EXPECT_FALSE(promote(2).more);
  EXPECT_EQ(claim(10).at(0).execution.spec.id, third.id);
}

TEST_P(PromoteContract, ACancelledTaskIsNotPromoted) {
  const Created created = create(task().delay(1s));
  cancel(created.id);
  advance(1h);

  promote();

  EXPECT_TRUE(ready_.empty());
  EXPECT_TRUE(claim(10).empty());
  EXPECT_EQ(state_of(created.id), State::cancelled);
}

TEST_P(PromoteContract, WaitingOutlivesARestart) {
  create(task().delay(10s));
  reopen();
  EXPECT_TRUE(claim(10).empty());
  EXPECT_EQ(store().next_timer(), now() + 10s);
  advance(10s);
  reopen();
  EXPECT_TRUE(claim(10).empty());

  promote();
  reopen();

  EXPECT_EQ(claim(10).size(), 1u);
}

TEST_P(PromoteContract, TheNextTimerIsTheSoonestLeaseOrRunAt) {
  EXPECT_EQ(store().next_timer(), std::nullopt);
  create(task());
  EXPECT_EQ(store().next_timer(), std::nullopt);  // ready tasks wait for workers, not for time

  create(task().delay(60s).tenant("globex"));
  EXPECT_EQ(store().next_timer(), now() + 60s);
  const domain::AttemptId attempt = claim_one(20s);
  EXPECT_EQ(store().next_timer(), now() + 20s);
  heartbeat(attempt, 40s);
  EXPECT_EQ(store().next_timer(), now() + 40s);
  const Created sooner = create(task().delay(30s));
  EXPECT_EQ(store().next_timer(), now() + 30s);

  cancel(sooner.id);
  EXPECT_EQ(store().next_timer(), now() + 40s);
  complete(attempt);
  EXPECT_EQ(store().next_timer(), now() + 60s);
  advance(60s);
  EXPECT_EQ(store().next_timer(), now());  // due, until it was promoted
  promote();
  EXPECT_EQ(store().next_timer(), std::nullopt);
}

TEST_P(PromoteContract, TheNextTimerIsGoneWhenTheLeaseWasEnded) {
  create(task());
  claim_one(20s);
  advance(30s);
  EXPECT_EQ(store().next_timer(), now() - 10s);

  expire();

  EXPECT_EQ(store().next_timer(), std::nullopt);
}

}  // namespace
}  // namespace semel::test
