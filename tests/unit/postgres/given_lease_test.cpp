#include "tests/unit/postgres/store_fixture.hpp"

namespace semel::test {
namespace {

using domain::State;

/// A server remembers the leases that it gave. What others have done to them since counts all the same, for one answer
/// and for many.
class PostgresGivenLeases : public PostgresStores, public testing::WithParamInterface<int> {
 protected:
  std::vector<Lease> lease_some() {
    std::vector<Command> batch;
    for (int i = 0; i < GetParam(); ++i) {
      batch.emplace_back(task().with([](Submit& submit) { submit.spec.retry.max_attempts = 2; }).build());
    }
    apply(*here, batch);
    return as<Claimed>(apply(*here, claim_of(ids_, batch.size()))).leases;
  }
  static std::vector<Command> completed(const std::vector<Lease>& leases) {
    std::vector<Command> batch;
    for (const Lease& each : leases) batch.emplace_back(Complete{std::string(default_tenant), each.attempt_id, "17"});
    return batch;
  }
  static std::vector<Command> failed(const std::vector<Lease>& leases, bool retryable = true) {
    std::vector<Command> batch;
    for (const Lease& each : leases) {
      Fail fail;
      fail.tenant = default_tenant;
      fail.attempt_id = each.attempt_id;
      fail.error = R"({"type":"E","message":"no"})";
      fail.retryable = retryable;
      batch.emplace_back(fail);
    }
    return batch;
  }
  /// All answers must be of that kind, and all executions in that state.
  void expect_all(const std::vector<Outcome>& outcomes, AttemptAnswer::Kind kind, State state) {
    ASSERT_EQ(outcomes.size(), static_cast<std::size_t>(GetParam()));
    for (const Outcome& each : outcomes) {
      const auto answer = as<AttemptAnswer>(each);
      EXPECT_EQ(answer.kind, kind);
      EXPECT_EQ(answer.state, state);
      EXPECT_EQ(there->find(default_tenant, answer.execution_id)->state, state);
    }
  }

  const std::unique_ptr<store::PostgresStore> here = open();
  const std::unique_ptr<store::PostgresStore> there = open();
};

INSTANTIATE_TEST_SUITE_P(Answers, PostgresGivenLeases, testing::Values(1, 3));

TEST_P(PostgresGivenLeases, AreEndedOnce) {
  const std::vector<Lease> leases = lease_some();

  expect_all(apply(*here, completed(leases)), AttemptAnswer::Kind::recorded, State::completed);

  EXPECT_EQ(count("attempts WHERE outcome = 1 AND ended_at IS NOT NULL"), GetParam());
  EXPECT_EQ(count("executions WHERE result = '17' AND closed_at IS NOT NULL AND phase = 0"), GetParam());
  expect_all(apply(*here, completed(leases)), AttemptAnswer::Kind::already_recorded, State::completed);
}

TEST_P(PostgresGivenLeases, OfTasksThatFailAreTriedAgain) {
  const std::vector<Lease> leases = lease_some();

  expect_all(apply(*here, failed(leases)), AttemptAnswer::Kind::recorded, State::pending);

  EXPECT_EQ(count("attempts WHERE outcome = 2 AND error IS NOT NULL"), GetParam());
}

TEST_P(PostgresGivenLeases, ThatHaveRunOutElsewhereAreStale) {
  const std::vector<Lease> leases = lease_some();
  clock_.advance(1h);
  apply(*there, ExpireLeases{});

  expect_all(apply(*here, completed(leases)), AttemptAnswer::Kind::stale, State::pending);

  EXPECT_EQ(count("attempts WHERE stale_results = 1 AND outcome = 3"), GetParam());
}

TEST_P(PostgresGivenLeases, ThatWereGivenAgainElsewhereAreStale) {
  const std::vector<Lease> leases = lease_some();
  clock_.advance(1h);
  apply(*there, ExpireLeases{});
  clock_.advance(1h);
  apply(*there, PromoteDue{});
  const auto again = as<Claimed>(apply(*there, claim_of(ids_, leases.size())));
  ASSERT_EQ(again.leases.size(), leases.size());

  expect_all(apply(*here, completed(leases)), AttemptAnswer::Kind::stale, State::running);
  expect_all(apply(*there, completed(again.leases)), AttemptAnswer::Kind::recorded, State::completed);
}

TEST_P(PostgresGivenLeases, ThatSomebodyElsewhereHasEndedAreSo) {
  const std::vector<Lease> leases = lease_some();
  apply(*there, completed(leases));

  expect_all(apply(*here, completed(leases)), AttemptAnswer::Kind::already_recorded, State::completed);
}

TEST_P(PostgresGivenLeases, OfTasksThatWereCancelledElsewhereAreNotTriedAgain) {
  for (const bool retryable : {true, false}) {
    const std::vector<Lease> leases = lease_some();
    for (const Lease& each : leases) apply(*there, Cancel{std::string(default_tenant), each.execution.spec.id});

    expect_all(apply(*here, failed(leases, retryable)), AttemptAnswer::Kind::recorded, State::cancelled);
  }
}

}  // namespace
}  // namespace semel::test
