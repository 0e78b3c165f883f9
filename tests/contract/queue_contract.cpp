#include "tests/contract/store_contract.hpp"

namespace semel::test {
namespace {

using domain::QueueOptions;
using domain::RateLimit;

/// What a queue's settings do to claims (DESIGN §4).
class QueueContract : public StoreContract {
 protected:
  Claimed claimed(std::size_t count) { return as<Claimed>(apply(claim_of(ids_, count))); }
  std::vector<domain::ExecutionId> ids_of(const std::vector<Lease>& leases) {
    std::vector<domain::ExecutionId> ids;
    for (const Lease& lease : leases) ids.push_back(lease.execution.spec.id);
    return ids;
  }
  void create_some(int count) {
    for (int i = 0; i < count; ++i) create(task());
  }
  QueueDepth depth() {
    const std::vector<QueueDepth> depths = store().queue_depths();
    return depths.empty() ? QueueDepth{} : depths.at(0);
  }
  HeldBack held_back(std::optional<Time> until) {
    return {std::string(default_tenant), std::string(default_queue), std::string(default_handler), until};
  }
  static QueueOptions running(int count) {
    QueueOptions options;
    options.max_running = count;
    return options;
  }
  static QueueOptions rate(std::int64_t count, Duration period, std::optional<std::int64_t> burst = std::nullopt) {
    QueueOptions options;
    options.rate_limit = RateLimit{count, period, burst};
    return options;
  }
  static QueueOptions per_key(int count) {
    QueueOptions options;
    options.max_running_per_key = count;
    return options;
  }
};
SEMEL_ON_ALL_STORES(QueueContract);

TEST_P(QueueContract, WhatWasSaidIsKeptWholeAndAudited) {
  QueueOptions all;
  all.retention = 30 * 24h;
  all.rate_limit = RateLimit{500, 1min, 20};
  all.max_running = 7;
  all.max_running_per_key = 3;
  all.paused = true;
  all.reuse = Reuse::allow_duplicate;
  all.dedup_window = domain::DedupWindow{domain::DedupWindow::Kind::fixed, 24h};

  const QueueStored stored = as<QueueStored>(apply(PutQueue{std::string(default_tenant), "mail", all, "admin-key"}));
  apply(SetQueueDefaults{{{"mail", running(2)}}});
  reopen();

  EXPECT_EQ(stored.options, all);
  const std::vector<StoredQueue> queues = store().queues();
  ASSERT_EQ(queues.size(), 2u);
  EXPECT_EQ(describe(queues[0]), describe(StoredQueue{"", "mail", running(2)}));
  EXPECT_EQ(describe(queues[1]), describe(StoredQueue{std::string(default_tenant), "mail", all}));
  EXPECT_EQ(store().audit(default_tenant, std::nullopt, 10).at(0).action, "queue.set");
}

TEST_P(QueueContract, APausedQueueGivesNothingOutUntilItIsResumed) {
  put_queue(running(5));
  create(task());
  apply(PauseQueue{std::string(default_tenant), std::string(default_queue), true, "admin-key"});

  const Claimed none = claimed(1);

  EXPECT_TRUE(none.leases.empty());
  EXPECT_TRUE(none.held_back.empty());
  reopen();
  EXPECT_TRUE(claim(1).empty());
  const auto resumed =
      as<QueueStored>(apply(PauseQueue{std::string(default_tenant), std::string(default_queue), false, "admin-key"}));
  EXPECT_EQ(resumed.options.max_running, 5);  // all else stays
  EXPECT_EQ(claim(1).size(), 1u);
}

TEST_P(QueueContract, TheConfigurationSpeaksForAllTenantsThatSayNothing) {
  create(task());
  create(task().tenant("globex"));
  put_queue([] {
    QueueOptions open;
    open.paused = false;
    return open;
  }());
  QueueOptions paused;
  paused.paused = true;

  apply(SetQueueDefaults{{{std::string(default_queue), paused}}});

  EXPECT_EQ(claim(1).size(), 1u);
  Claim other = claim_of(ids_, 1);
  other.tenant = "globex";
  EXPECT_TRUE(as<Claimed>(apply(other)).leases.empty());
  apply(SetQueueDefaults{});  // the configuration says nothing any more
  other.attempt_ids = ids_.attempts(1);
  EXPECT_EQ(as<Claimed>(apply(other)).leases.size(), 1u);
}

TEST_P(QueueContract, NoMoreRunThanMayRun) {
  put_queue(running(2));
  create_some(4);

  const Claimed first = claimed(10);

  ASSERT_EQ(first.leases.size(), 2u);
  EXPECT_THAT(first.held_back, testing::ElementsAre(held_back(std::nullopt)));
  EXPECT_TRUE(claimed(10).leases.empty());
  complete(first.leases[0].attempt_id);
  EXPECT_EQ(claim(10).size(), 1u);
  fail(first.leases[1].attempt_id);
  reopen();
  EXPECT_EQ(claim(10).size(), 1u);
  EXPECT_TRUE(claim(10).empty());
}

TEST_P(QueueContract, WhatRunsAlreadyCountsWhenALimitIsSet) {
  create_some(4);
  const std::vector<Lease> leases = claim(2);

  put_queue(running(3));

  EXPECT_EQ(claim(10).size(), 1u);
  complete(leases[0].attempt_id);
  complete(leases[1].attempt_id);
  EXPECT_EQ(claim(10).size(), 1u);  // of three places one was taken; one task was left
}

TEST_P(QueueContract, EveryWayOutOfRunningGivesThePlaceFree) {
  put_queue(running(1));
  create_some(6);

  complete(claim_one());
  fail(claim_one());
  cancel(find(claim(1).at(0).execution.spec.id)->spec.id);
  EXPECT_TRUE(claim(1).empty());  // asked to stop only
  advance(domain::default_lease);
  expire();
  const Lease forced = claim(1).at(0);
  apply(Cancel{std::string(default_tenant), forced.execution.spec.id, true, "admin-key"});
  const Lease given_back = claim(1).at(0);
  apply(GiveBack{std::string(default_tenant), {given_back.attempt_id}});

  EXPECT_EQ(ids_of(claim(10)), std::vector{given_back.execution.spec.id});
}

TEST_P(QueueContract, ALimitOfOneQueueIsNoneOfAnother) {
  put_queue(running(1), "narrow");
  for (int i = 0; i < 2; ++i) {
    create(task().queue("narrow").priority(1));
    create(task());
  }
  Claim both = claim_of(ids_, 10);
  both.queues = {"narrow", std::string(default_queue)};

  const Claimed got = as<Claimed>(apply(both));

  std::vector<std::string> queues;
  for (const Lease& lease : got.leases) queues.push_back(lease.execution.spec.queue);
  EXPECT_THAT(queues, testing::ElementsAre("narrow", default_queue, default_queue));
}

TEST_P(QueueContract, QueuesWithWeightsShareTheLeases) {
  for (int i = 0; i < 400; ++i) {
    create(task().queue("a").priority(9));
    create(task().queue("b"));
  }
  Claim claim = claim_of(ids_, 400);
  claim.queues = {"b", "a"};
  claim.weights = {3, 1};

  const Claimed got = as<Claimed>(apply(claim));

  ASSERT_EQ(got.leases.size(), 400u);
  const auto of_b = std::count_if(got.leases.begin(), got.leases.end(),
                                  [](const Lease& lease) { return lease.execution.spec.queue == "b"; });
  EXPECT_GT(of_b, 260);
  EXPECT_LT(of_b, 340);
}

TEST_P(QueueContract, AQueueThatHasNothingLeavesAllToTheOthers) {
  const domain::ExecutionId low = create(task().queue("b")).id;
  const domain::ExecutionId high = create(task().queue("b").priority(5)).id;
  Claim claim = claim_of(ids_, 5);
  claim.queues = {"a", "b"};
  claim.weights = {1000, 1};

  EXPECT_EQ(ids_of(as<Claimed>(apply(claim)).leases), (std::vector{high, low}));
}

TEST_P(QueueContract, ARateLimitGivesABurstAndThenEvenly) {
  put_queue(rate(10, 1s, 2));
  create_some(10);

  const Claimed burst = claimed(10);
  ASSERT_EQ(burst.leases.size(), 2u);
  EXPECT_THAT(burst.held_back, testing::ElementsAre(held_back(now() + 100ms)));
  advance(99ms);
  EXPECT_TRUE(claimed(10).leases.empty());
  advance(1ms);
  EXPECT_EQ(claimed(10).leases.size(), 1u);
  advance(1h);
  EXPECT_EQ(claimed(10).leases.size(), 2u);  // a rest saves no more than a burst
}

TEST_P(QueueContract, ARateLimitIsKeptOverTenSeconds) {
  put_queue(rate(100, 1s));
  create_some(1'100);

  std::size_t count = 0;
  for (int i = 0; i < 500; ++i) {
    count += claimed(3).leases.size();
    advance(20ms);
  }

  EXPECT_GE(count, 950u);
  EXPECT_LE(count, 1'050u);
}

TEST_P(QueueContract, TokensThatAreLeftAreThereAtOnce) {
  put_queue(rate(10, 1s, 5));
  create_some(3);

  const Claimed one = claimed(1);

  EXPECT_EQ(one.leases.size(), 1u);
  EXPECT_THAT(one.held_back, testing::ElementsAre(held_back(now())));
  EXPECT_TRUE(claimed(2).held_back.empty());  // that was all
}

TEST_P(QueueContract, OfTheTasksWithOneKeyOneRunsAtATime) {
  const domain::ExecutionId first = create(task().concurrency_key("customer-7")).id;
  const Created second = create(task().concurrency_key("customer-7"));
  const domain::ExecutionId other = create(task().concurrency_key("customer-8")).id;
  const domain::ExecutionId free = create(task()).id;

  EXPECT_FALSE(second.ready);
  EXPECT_EQ(depth(), (QueueDepth{std::string(default_tenant), std::string(default_queue), 3, 0, 1, 0, now()}));
  const std::vector<Lease> leases = claim(10);
  EXPECT_EQ(ids_of(leases), (std::vector{first, other, free}));
  complete(leases[0].attempt_id);

  EXPECT_THAT(ready_, testing::ElementsAre(Ready{std::string(default_tenant), std::string(default_queue),
                                                 std::string(default_handler)}));
  EXPECT_EQ(ids_of(claim(10)), std::vector{second.id});
}

TEST_P(QueueContract, AKeyIsOfItsQueueAndTenant) {
  create(task().concurrency_key("a"));

  EXPECT_TRUE(create(task().concurrency_key("a").queue("other")).ready);
  EXPECT_TRUE(create(task().concurrency_key("a").tenant("globex")).ready);
}

TEST_P(QueueContract, TheBestOfTheBlockedComesNext) {
  create(task().concurrency_key("a"));
  const domain::AttemptId running = claim_one();
  create(task().concurrency_key("a"));
  const domain::ExecutionId urgent = create(task().concurrency_key("a").priority(5)).id;

  complete(running);

  EXPECT_EQ(ids_of(claim(10)), std::vector{urgent});
}

TEST_P(QueueContract, EveryWayOutMakesRoomForTheNextOfTheKey) {
  std::vector<domain::ExecutionId> ids;
  for (int i = 0; i < 7; ++i) ids.push_back(create(task().concurrency_key("a")).id);

  cancel(ids[0]);
  fail(claim_one());
  const Lease forced = claim(1).at(0);
  apply(Cancel{std::string(default_tenant), forced.execution.spec.id, true, "admin-key"});
  claim_one(1s);
  advance(1s);
  expire();
  const domain::ExecutionId late = create(task().concurrency_key("a").priority(9).deadline_after(5s)).id;
  complete(claim_one());
  EXPECT_EQ(find(late)->state, State::pending);
  advance(5s);
  expire();

  EXPECT_EQ(find(late)->state, State::timed_out);
  EXPECT_EQ(ids_of(claim(10)), std::vector{ids[5]});
}

TEST_P(QueueContract, ATaskThatIsTriedAgainLetsTheNextOfItsKeyGoFirst) {
  const domain::ExecutionId first =
      create(task().concurrency_key("a").retry({2, domain::Backoff::fixed, 10s, 1h, 0})).id;
  const domain::ExecutionId second = create(task().concurrency_key("a")).id;

  fail(claim_one());

  const std::vector<Lease> leases = claim(10);
  EXPECT_EQ(ids_of(leases), std::vector{second});
  advance(10s);
  promote();
  EXPECT_TRUE(ready_.empty());
  EXPECT_TRUE(claim(10).empty());
  complete(leases.at(0).attempt_id);
  EXPECT_EQ(ids_of(claim(10)), std::vector{first});
}

TEST_P(QueueContract, MoreOfAKeyMayRunWhenTheQueueSaysSo) {
  for (int i = 0; i < 5; ++i) create(task().concurrency_key("a"));
  put_queue(per_key(3));
  EXPECT_EQ(ready_.size(), 3u);

  const std::vector<Lease> leases = claim(10);
  EXPECT_EQ(leases.size(), 3u);
  put_queue(per_key(1));
  complete(leases[0].attempt_id);
  complete(leases[1].attempt_id);
  EXPECT_TRUE(claim(10).empty());
  complete(leases[2].attempt_id);

  EXPECT_EQ(claim(10).size(), 1u);
}

TEST_P(QueueContract, AReopenedTaskWaitsForItsKey) {
  const domain::ExecutionId failed = create_in(State::failed, task().concurrency_key("a"));
  create(task().concurrency_key("a"));
  const domain::AttemptId running = claim_one();

  apply(Reopen{std::string(default_tenant), failed, "admin-key"});

  EXPECT_FALSE(changes_.at(0).is_ready);
  EXPECT_TRUE(claim(10).empty());
  complete(running);
  EXPECT_EQ(ids_of(claim(10)), std::vector{failed});
}

TEST_P(QueueContract, AClaimThatMeetsOnlyLateTasksTakesTheNext) {
  create(task().priority(1).deadline_after(1s));
  create(task().priority(1).deadline_after(1s));
  const domain::ExecutionId good = create(task()).id;
  advance(1s);

  EXPECT_EQ(ids_of(claim(2)), std::vector{good});
}

}  // namespace
}  // namespace semel::test
