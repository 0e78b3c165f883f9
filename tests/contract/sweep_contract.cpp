#include "tests/contract/store_contract.hpp"

namespace semel::test {
namespace {

using domain::QueueOptions;

/// How executions leave when nobody removes them one by one (DESIGN §4).
class SweepContract : public StoreContract {
 protected:
  Swept sweep(int max = 1000) { return as<Swept>(apply(Sweep{max})); }
  void keep_for(Duration retention, std::string_view queue = default_queue) {
    QueueOptions options;
    options.retention = retention;
    put_queue(options, queue);
  }
};
SEMEL_ON_STORES_THAT_SWEEP_ONE_BY_ONE(SweepContract);

TEST_P(SweepContract, AClosedTaskGoesWhenItsRetentionHasPassedAndNotBefore) {
  for (const State state : closed_states) {
    const domain::ExecutionId id = create_in(state, task().window(after_closing(0s)));
    advance(7 * 24h - 1ms);
    EXPECT_EQ(describe(sweep()), describe(Swept{0, 0, false}));
    EXPECT_TRUE(find(id));

    advance(1ms);
    EXPECT_EQ(describe(sweep()), describe(Swept{1, 0, false}));

    EXPECT_FALSE(find(id));
    EXPECT_TRUE(attempts(id).empty());
    EXPECT_FALSE(find_tombstone(id));
  }
}

TEST_P(SweepContract, OpenTasksStayHoweverOldTheyAre) {
  const domain::ExecutionId running = create(task()).id;
  claim_one(365 * 24h);
  const domain::ExecutionId pending = create(task()).id;
  const domain::ExecutionId waiting = create(task().delay(365 * 24h)).id;
  advance(30 * 24h);

  EXPECT_EQ(sweep().executions, 0);

  for (const domain::ExecutionId id : {running, pending, waiting}) EXPECT_TRUE(find(id));
}

TEST_P(SweepContract, EveryQueueHasItsOwnRetention) {
  keep_for(1h, "short");
  keep_for(30 * 24h, "long");
  std::vector<domain::ExecutionId> ids;
  for (const std::string_view queue : {"short", "long", "default"}) {
    for (const std::string_view tenant : {std::string_view(default_tenant), std::string_view("globex")}) {
      const domain::ExecutionId id = create(task().queue(queue).tenant(tenant)).id;
      apply(Cancel{std::string(tenant), id});
      ids.push_back(id);
    }
  }

  advance(1h);
  EXPECT_EQ(sweep().executions, 1);
  EXPECT_FALSE(store().find(default_tenant, ids[0]));
  EXPECT_TRUE(store().find("globex", ids[1]));  // another tenant's queue of that name
  advance(7 * 24h);
  EXPECT_EQ(sweep().executions, 4);
  EXPECT_TRUE(store().find(default_tenant, ids[2]));
  advance(30 * 24h);
  EXPECT_EQ(sweep().executions, 1);
}

TEST_P(SweepContract, AChangedRetentionCountsForWhatHasClosedBefore) {
  create_in(State::completed, task());
  advance(2h);

  keep_for(1h);

  EXPECT_EQ(sweep().executions, 1);
}

TEST_P(SweepContract, ItGoesInSmallBatchesTheOldestOfAQueueFirst) {
  std::vector<domain::ExecutionId> ids;
  for (int i = 0; i < 5; ++i) {
    ids.push_back(create_in(State::cancelled, task()));
    advance(1s);
  }
  advance(7 * 24h);

  EXPECT_EQ(describe(sweep(2)), describe(Swept{2, 0, true}));
  EXPECT_FALSE(find(ids[0]));
  EXPECT_FALSE(find(ids[1]));
  EXPECT_TRUE(find(ids[2]));
  EXPECT_EQ(describe(sweep(2)), describe(Swept{2, 0, true}));
  EXPECT_EQ(describe(sweep(2)), describe(Swept{1, 0, false}));
}

TEST_P(SweepContract, WhatHoldsAnIdentityLeavesATombstoneUntilTheWindowHasPassed) {
  const Submit submit = task().key("order-1").window(after_closing(30 * 24h));
  const domain::ExecutionId id = create_in(State::completed, submit);
  advance(7 * 24h);
  sweep();
  EXPECT_TRUE(find_tombstone(id));
  EXPECT_EQ(expect_held(task().key("order-1")).holder.id, id);

  advance(23 * 24h - 1ms);
  EXPECT_EQ(sweep().tombstones, 0);
  advance(1ms);
  EXPECT_EQ(sweep().tombstones, 1);

  EXPECT_FALSE(find_tombstone(id));
  expect_created(task().key("order-1"));
}

TEST_P(SweepContract, ATombstoneThatHoldsForeverStays) {
  const domain::ExecutionId id = create_in(State::completed, task().key("order-1").window(forever()));
  advance(7 * 24h);
  sweep();
  advance(1000 * 24h);

  EXPECT_EQ(sweep().tombstones, 0);

  EXPECT_TRUE(find_tombstone(id));
}

TEST_P(SweepContract, APromisedIdIsKeptForADay) {
  keep_for(0s);
  const domain::ExecutionId id = ids_.execution();
  create(task().client_id(id));
  complete(claim_one());
  EXPECT_TRUE(find_tombstone(id));
  advance(24h - 1ms);
  EXPECT_EQ(sweep().tombstones, 0);
  advance(1ms);

  EXPECT_EQ(sweep().tombstones, 1);

  EXPECT_FALSE(find_tombstone(id));
}

TEST_P(SweepContract, WhereNothingIsKeptATaskGoesInTheCommitThatClosesIt) {
  keep_for(0s);
  const domain::ExecutionId completed = create(task().key("a")).id;
  const domain::AttemptId attempt = claim_one();

  const Applied applied = store().apply(std::vector<Command>{Complete{std::string(default_tenant), attempt, "[1]"}});

  ASSERT_EQ(applied.gone.size(), 1u);
  EXPECT_EQ(applied.gone[0].spec.id, completed);
  EXPECT_EQ(applied.gone[0].state, State::completed);
  EXPECT_EQ(applied.gone[0].result, "[1]");
  EXPECT_EQ(applied.changes.at(0).state, State::completed);
  EXPECT_EQ(as<AttemptAnswer>(applied.outcomes[0]).kind, AttemptAnswer::Kind::recorded);
  EXPECT_FALSE(find(completed));
  EXPECT_EQ(find_tombstone(completed).value().state, State::completed);
  EXPECT_EQ(complete(attempt).kind, AttemptAnswer::Kind::stale);
  EXPECT_EQ(expect_held(task().key("a")).holder.id, completed);
}

TEST_P(SweepContract, WhereNothingIsKeptFailedOnesLeaveATombstoneToo) {
  keep_for(0s);
  const domain::ExecutionId failed = create(task().key("a")).id;
  fail(claim_one());
  const domain::ExecutionId cancelled = create(task().key("b")).id;
  cancel(cancelled);
  const domain::ExecutionId late = create(task().key("c").deadline_after(1s)).id;
  advance(1s);
  expire();

  for (const auto& [id, state] :
       {std::pair{failed, State::failed}, {cancelled, State::cancelled}, {late, State::timed_out}}) {
    EXPECT_FALSE(find(id));
    EXPECT_EQ(find_tombstone(id).value().state, state);
  }
  expect_created(task().key("a"));  // it failed, so it may be done again
}

TEST_P(SweepContract, WhereNothingIsKeptARetryIsStillPossible) {
  keep_for(0s);
  const domain::ExecutionId id = create(task().retry({2, domain::Backoff::fixed, 0s, 1h, 0})).id;
  fail(claim_one());
  EXPECT_EQ(state_of(id), State::pending);

  fail(claim_one());

  EXPECT_FALSE(find(id));
}

}  // namespace
}  // namespace semel::test
