#include "tests/contract/store_contract.hpp"

namespace semel::test {
namespace {

using Kind = AttemptAnswer::Kind;
using ExecutionIds = std::vector<domain::ExecutionId>;

/// Leases that run out, and results that come after that (DESIGN §4).
class ExpiryContract : public StoreContract {};
SEMEL_ON_ALL_STORES(ExpiryContract);

TEST_P(ExpiryContract, ALeaseEndsAtItsTickAndNotBefore) {
  const domain::ExecutionId id = create(task()).id;
  claim_one(30s);
  advance(30s - 1ms);
  EXPECT_TRUE(expired().empty());
  EXPECT_EQ(state_of(id), State::running);

  advance(1ms);

  EXPECT_EQ(expired(), ExecutionIds{id});
  EXPECT_TRUE(expired().empty());  // once only
}

TEST_P(ExpiryContract, AnEndedLeaseTimesTheExecutionOut) {
  const domain::ExecutionId id = create(task()).id;
  claim_one(30s);
  advance(31s);

  expire();

  const domain::Execution execution = find(id).value();
  const domain::Attempt attempt = attempts(id).at(0);
  EXPECT_EQ(execution.state, State::timed_out);
  EXPECT_EQ(execution.closed_at, now());
  EXPECT_EQ(execution.result, std::nullopt);
  EXPECT_EQ(execution.error, lease_end_error(attempt, domain::AttemptOutcome::lease_ended));
  EXPECT_EQ(attempt.outcome, domain::AttemptOutcome::lease_ended);
  EXPECT_EQ(attempt.ended_at, now());
  EXPECT_EQ(attempt.error, execution.error);
  EXPECT_EQ(attempt.lease_until, now() - 1s);
}

TEST_P(ExpiryContract, AResultThatComesBeforeTheExpiryPassIsAccepted) {
  for (const bool completes : {true, false}) {
    const domain::ExecutionId id = create(task()).id;
    const domain::AttemptId attempt = claim_one(30s);
    advance(1h);

    EXPECT_EQ(completes ? complete(attempt, "1").kind : fail(attempt).kind, Kind::recorded);

    EXPECT_TRUE(expired().empty());
    EXPECT_EQ(state_of(id), completes ? State::completed : State::failed);
  }
}

TEST_P(ExpiryContract, AResultThatComesAfterTheExpiryPassIsStaleAndCounted) {
  const domain::ExecutionId id = create(task()).id;
  const domain::AttemptId attempt = claim_one(30s);
  advance(30s);
  expire();
  const std::string before = describe(find(id));

  const AttemptAnswer late = complete(attempt, "1");
  EXPECT_EQ(late.kind, Kind::stale);
  EXPECT_EQ(late.execution_id, id);
  EXPECT_EQ(late.state, State::timed_out);
  EXPECT_EQ(fail(attempt).kind, Kind::stale);
  EXPECT_EQ(heartbeat(attempt).kind, Kind::stale);

  EXPECT_EQ(describe(find(id)), before);
  EXPECT_EQ(attempts(id).at(0).stale_results, 2);
}

TEST_P(ExpiryContract, ATimedOutIdentityMayBeTakenOverAndTheOldWorkerHarmsNobody) {
  const Submit first = task().key("a");
  create(first);
  const domain::AttemptId old_worker = claim_one(30s);
  advance(30s);
  expire();
  const Submit second = task().key("a");
  EXPECT_EQ(create(second).previous, first.spec.id);
  const domain::AttemptId new_worker = claim_one();

  EXPECT_EQ(complete(old_worker, "1").kind, Kind::stale);

  EXPECT_EQ(state_of(second.spec.id), State::running);
  EXPECT_EQ(complete(new_worker, "2").kind, Kind::recorded);
  EXPECT_EQ(find(second.spec.id).value().result, "2");
  EXPECT_EQ(find(first.spec.id).value().result, std::nullopt);
}

TEST_P(ExpiryContract, TheOldestEndFirstAndALimitIsKept) {
  const domain::ExecutionId third = create(task()).id;
  claim_one(30s);
  const domain::ExecutionId first = create(task()).id;
  claim_one(10s);
  const domain::ExecutionId second = create(task()).id;
  claim_one(20s);
  advance(1h);

  EXPECT_EQ(expired(2), (ExecutionIds{first, second}));
  EXPECT_EQ(state_of(third), State::running);
  EXPECT_EQ(expired(2), ExecutionIds{third});
  EXPECT_TRUE(expired(2).empty());
}

TEST_P(ExpiryContract, ReachingTheLimitIsTold) {
  for (int i = 0; i < 3; ++i) create(task());
  claim(3, 10s);
  advance(1h);

  EXPECT_TRUE(expire(2).more);
  EXPECT_FALSE(expire(2).more);
}

TEST_P(ExpiryContract, LeasesOfAllTenantsEnd) {
  const domain::ExecutionId ours = create(task()).id;
  const domain::ExecutionId theirs = create(task().tenant("globex")).id;
  claim_one(10s);
  Claim claim = claim_of(ids_, 1, 20s);
  claim.tenant = "globex";
  apply(claim);
  advance(1h);

  EXPECT_EQ(expired(), (ExecutionIds{ours, theirs}));
  EXPECT_EQ(changes_.at(0).tenant, default_tenant);
  EXPECT_EQ(changes_.at(1).tenant, "globex");
}

TEST_P(ExpiryContract, ALeaseEndsAfterARestartToo) {
  const domain::ExecutionId id = create(task()).id;
  const domain::AttemptId attempt = claim_one(30s);
  reopen();
  EXPECT_EQ(heartbeat(attempt, 40s).kind, Kind::recorded);
  advance(40s);
  reopen();

  EXPECT_EQ(expired(), ExecutionIds{id});
}

}  // namespace
}  // namespace semel::test
