#include "tests/contract/store_contract.hpp"

namespace semel::test {
namespace {

/// Leasing ready tasks (DESIGN §4).
class ClaimContract : public StoreContract {
 protected:
  Claimed apply_claim(const Claim& claim) { return as<Claimed>(apply(claim)); }

  static std::vector<domain::ExecutionId> ids_of(const std::vector<Lease>& leases) {
    std::vector<domain::ExecutionId> ids;
    for (const Lease& lease : leases) ids.push_back(lease.execution.spec.id);
    return ids;
  }

  /// Submits all in one batch, and returns their ids in that order.
  std::vector<domain::ExecutionId> create_all(const std::vector<Submit>& submissions) {
    std::vector<Command> commands(submissions.begin(), submissions.end());
    std::vector<domain::ExecutionId> ids;
    for (const Outcome& outcome : apply_all(commands)) ids.push_back(as<Created>(outcome).id);
    return ids;
  }
};
SEMEL_ON_ALL_STORES(ClaimContract);

using Order = std::vector<domain::ExecutionId>;

TEST_P(ClaimContract, ALeaseTellsTheTaskAsItIsNow) {
  const Submit submit = task().key("a").context(R"({"n":1})");
  create(submit);
  advance(5s);
  Claim claim = claim_of(ids_, 1, 20s);
  claim.worker = "worker-7";

  const Claimed claimed = apply_claim(claim);

  ASSERT_EQ(claimed.leases.size(), 1u);
  const Lease& lease = claimed.leases[0];
  EXPECT_EQ(lease.attempt_id, claim.attempt_ids[0]);
  EXPECT_EQ(lease.lease_until, now() + 20s);
  EXPECT_EQ(lease.execution.state, State::running);
  EXPECT_EQ(lease.execution.attempt, 1);
  EXPECT_EQ(lease.execution.started_at, now());
  EXPECT_EQ(lease.execution.spec.context, R"({"n":1})");
  EXPECT_EQ(describe(lease.execution), describe(find(submit.spec.id)));
  domain::Attempt expected;
  expected.id = claim.attempt_ids[0];
  expected.execution_id = submit.spec.id;
  expected.worker = "worker-7";
  expected.started_at = now();
  expected.lease_until = now() + 20s;
  EXPECT_EQ(describe_all(attempts(submit.spec.id)), describe(expected) + "\n");
}

TEST_P(ClaimContract, WhoMeetsALateTaskTakesNothingFromTheNextClaim) {
  create(task().priority(1).deadline_after(1s));
  const Order ids = create_all({task(), task(), task()});
  advance(1s);

  const std::vector<Outcome> outcomes = apply_all({claim_of(ids_, 1), claim_of(ids_, 2)});

  EXPECT_EQ(ids_of(as<Claimed>(outcomes[0]).leases), (Order{ids[0]}));
  EXPECT_EQ(ids_of(as<Claimed>(outcomes[1]).leases), (Order{ids[1], ids[2]}));
}

TEST_P(ClaimContract, NothingIsReadyNothingIsClaimed) { EXPECT_TRUE(claim(10).empty()); }

TEST_P(ClaimContract, ATaskIsClaimedOnce) {
  create(task());

  EXPECT_EQ(claim(10).size(), 1u);
  EXPECT_TRUE(claim(10).empty());
  reopen();
  EXPECT_TRUE(claim(10).empty());
}

TEST_P(ClaimContract, ThereAreAsManyLeasesAsAttemptIdsAtMost) {
  const Order created = create_all({task(), task(), task(), task(), task()});

  EXPECT_TRUE(claim(0).empty());
  EXPECT_EQ(ids_of(claim(2)), (Order{created[0], created[1]}));
  EXPECT_EQ(ids_of(claim(100)), (Order{created[2], created[3], created[4]}));
}

TEST_P(ClaimContract, AttemptIdsAreUsedInOrder) {
  create_all({task(), task(), task()});
  const Claim claim = claim_of(ids_, 3);

  const Claimed claimed = apply_claim(claim);

  ASSERT_EQ(claimed.leases.size(), 3u);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(claimed.leases[i].attempt_id, claim.attempt_ids[i]);
}

TEST_P(ClaimContract, TheHighestPriorityComesFirst) {
  const Order created = create_all({task().priority(-100), task().priority(0), task().priority(100),
                                    task().priority(-1), task().priority(1), task().priority(100)});

  EXPECT_EQ(ids_of(claim(10)), (Order{created[2], created[5], created[4], created[1], created[3], created[0]}));
}

TEST_P(ClaimContract, WithinAPriorityTheEarliestRunAtComesFirst) {
  const Submit third = task();
  create(third);
  const Submit first = task().run_at(now() - 10s);
  create(first);
  const Submit second = task().run_at(now() - 5s);
  const Created created = create(second);

  EXPECT_TRUE(created.ready);
  EXPECT_EQ(created.run_at, now() - 5s);  // a time in the past is kept
  EXPECT_EQ(ids_of(claim(10)), (Order{first.spec.id, second.spec.id, third.spec.id}));
}

TEST_P(ClaimContract, AHeadStartCountsAsEnqueuedEarlier) {
  const Submit plain = task();
  create(plain);
  advance(30s);
  const Submit behind = task().head_start(30s - 1ms);
  const Submit level = task().head_start(30s);  // same order time as the first: the id decides
  const Submit ahead = task().head_start(30s + 1ms);
  create_all({behind, level, ahead});

  EXPECT_EQ(ids_of(claim(10)), (Order{ahead.spec.id, plain.spec.id, level.spec.id, behind.spec.id}));
}

TEST_P(ClaimContract, APriorityBeatsAnyHeadStart) {
  const Order created = create_all({task().head_start(24h * 365), task().priority(1)});

  EXPECT_EQ(ids_of(claim(10)), (Order{created[1], created[0]}));
}

TEST_P(ClaimContract, AtTheSameTimeTheSmallerIdComesFirst) {
  const Submit small = task();
  const Submit middle = task();
  const Submit great = task();
  create(great);
  create(small);
  create(middle);

  EXPECT_EQ(ids_of(claim(10)), (Order{small.spec.id, middle.spec.id, great.spec.id}));
}

TEST_P(ClaimContract, OnlyTheQueuesAskedForAreClaimed) {
  const Order created = create_all({task().queue("a"), task().queue("b"), task().queue("c")});
  Claim claim = claim_of(ids_, 10);
  claim.queues = {"c", "a", "nothing-here", "a"};

  EXPECT_EQ(ids_of(apply_claim(claim).leases), (Order{created[0], created[2]}));
  EXPECT_EQ(state_of(created[1]), State::pending);
}

TEST_P(ClaimContract, OnlyTheHandlersAskedForAreClaimed) {
  const Order created =
      create_all({task().handler("x"), task().handler("y"), task().handler("z"), task().handler("x")});
  Claim claim = claim_of(ids_, 10);
  claim.handlers = {"z", "x", "z"};

  EXPECT_EQ(ids_of(apply_claim(claim).leases), (Order{created[0], created[2], created[3]}));
  EXPECT_EQ(state_of(created[1]), State::pending);
}

TEST_P(ClaimContract, NoQueuesOrNoHandlersClaimNothing) {
  create(task());
  Claim no_queue = claim_of(ids_, 10);
  no_queue.queues.clear();
  Claim no_handler = claim_of(ids_, 10);
  no_handler.handlers.emplace();

  EXPECT_TRUE(apply_claim(no_queue).leases.empty());
  EXPECT_TRUE(apply_claim(no_handler).leases.empty());
}

TEST_P(ClaimContract, TheBestOfAllQueuesAndHandlersAreMerged) {
  const Order created = create_all({task().queue("a").handler("x"), task().queue("b").handler("y").priority(5),
                                    task().queue("a").handler("y").head_start(1s), task().queue("b").handler("x"),
                                    task().queue("b").handler("w").priority(50), task().queue("c").priority(50),
                                    task().queue("a").handler("x").priority(5)});
  Claim claim = claim_of(ids_, 4);
  claim.queues = {"b", "a"};
  claim.handlers = {"x", "y"};

  EXPECT_EQ(ids_of(apply_claim(claim).leases), (Order{created[1], created[6], created[2], created[0]}));
}

TEST_P(ClaimContract, TwoClaimsInOneBatchNeverShareATask) {
  const Order created = create_all({task(), task(), task()});

  const std::vector<Outcome> outcomes = apply_all({claim_of(ids_, 2), claim_of(ids_, 2)});

  EXPECT_EQ(ids_of(as<Claimed>(outcomes.at(0)).leases), (Order{created[0], created[1]}));
  EXPECT_EQ(ids_of(as<Claimed>(outcomes.at(1)).leases), (Order{created[2]}));
}

TEST_P(ClaimContract, TasksOfAnotherTenantAreNeverClaimed) {
  const Submit theirs = task().tenant("globex");
  create(theirs);

  EXPECT_TRUE(claim(10).empty());
  Claim by_them = claim_of(ids_, 10);
  by_them.tenant = "globex";
  EXPECT_EQ(ids_of(apply_claim(by_them).leases), Order{theirs.spec.id});
}

TEST_P(ClaimContract, ManyReadyTasksComeOutInOrder) {
  std::vector<Submit> submissions;
  for (int i = 0; i < 500; ++i) {
    submissions.push_back(task().priority(i * 37 % 11 - 5).head_start(Duration{i * 101 % 17}));
  }
  create_all(submissions);
  std::vector<Submit> sorted = submissions;
  std::stable_sort(sorted.begin(), sorted.end(), [](const Submit& left, const Submit& right) {
    return std::pair(-left.spec.priority, -left.spec.head_start) <
           std::pair(-right.spec.priority, -right.spec.head_start);
  });
  Order expected;
  for (const Submit& submit : sorted) expected.push_back(submit.spec.id);

  Order claimed;
  for (int i = 0; i < 100; ++i) {
    for (const domain::ExecutionId& id : ids_of(claim(7))) claimed.push_back(id);
  }

  EXPECT_EQ(claimed, expected);
}

}  // namespace
}  // namespace semel::test
