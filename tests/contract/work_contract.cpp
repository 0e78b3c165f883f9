#include "tests/contract/store_contract.hpp"

namespace semel::test {
namespace {

constexpr std::string_view boom = R"({"type":"BOOM","message":"x"})";

/// A worker that says how its tasks ended and asks for more, in one batch: the answers come first, and the claim finds
/// what they have left.
class WorkContract : public StoreContract {
 protected:
  struct Worked {
    std::vector<AttemptAnswer> answers;
    std::vector<Lease> leases;

    domain::ExecutionId task() const { return leases.empty() ? domain::ExecutionId{} : leases[0].execution.spec.id; }
  };

  Worked work(std::vector<Command> answers, std::size_t count = 1) {
    std::vector<Command> batch = std::move(answers);
    batch.emplace_back(claim_of(ids_, count));
    const std::vector<Outcome> outcomes = apply_all(batch);
    Worked worked;
    for (std::size_t i = 0; i + 1 < outcomes.size(); ++i) worked.answers.push_back(as<AttemptAnswer>(outcomes[i]));
    worked.leases = as<Claimed>(outcomes.back()).leases;
    return worked;
  }
  static Complete done(domain::AttemptId attempt, std::string result = "17") {
    return {std::string(default_tenant), attempt, std::move(result)};
  }
  static Fail failed(domain::AttemptId attempt, bool retryable) {
    return {std::string(default_tenant), attempt, std::string(boom), retryable};
  }
  void limit(const std::function<void(domain::QueueOptions&)>& set) {
    domain::QueueOptions options;
    set(options);
    put_queue(options);
  }
};
SEMEL_ON_ALL_STORES(WorkContract);

TEST_P(WorkContract, EndsATaskAndLeasesTheNextOne) {
  const domain::ExecutionId first = create(task()).id;
  const domain::AttemptId attempt = claim_one();
  const domain::ExecutionId second = create(task()).id;

  const Worked worked = work({done(attempt)});

  EXPECT_EQ(worked.answers.at(0).kind, AttemptAnswer::Kind::recorded);
  EXPECT_EQ(worked.task(), second);
  for (int round = 0; round < 2; ++round) {
    EXPECT_EQ(find(first).value().result, "17");
    EXPECT_EQ(state_of(second), State::running);
    EXPECT_EQ(attempts(second).at(0).id, worked.leases.at(0).attempt_id);
    reopen();
  }
}

TEST_P(WorkContract, TellsOfBothThatATaskEndedAndThatAnotherOneBegan) {
  const domain::ExecutionId first = create(task()).id;
  const domain::AttemptId attempt = claim_one();
  const domain::ExecutionId second = create(task()).id;

  work({done(attempt)});

  ASSERT_EQ(changes_.size(), 2u);
  EXPECT_EQ(changes_[0].id, first);
  EXPECT_EQ(changes_[0].state, State::completed);
  EXPECT_EQ(changes_[1].id, second);
  EXPECT_EQ(changes_[1].state, State::running);
}

TEST_P(WorkContract, EndsTasksWhenThereIsNothingMoreToDo) {
  const domain::ExecutionId id = create(task()).id;

  const Worked worked = work({done(claim_one())});

  EXPECT_TRUE(worked.leases.empty());
  reopen();
  EXPECT_EQ(state_of(id), State::completed);
}

TEST_P(WorkContract, LeasesTheNextOneToWhomWasTooLate) {
  const domain::ExecutionId lost = create(task()).id;
  const domain::AttemptId attempt = claim_one(1s);
  advance(1s);
  expire();
  const domain::ExecutionId next = create(task()).id;

  const Worked worked = work({done(attempt), done(ids_.attempt())});

  EXPECT_EQ(worked.answers.at(0).kind, AttemptAnswer::Kind::stale);
  EXPECT_EQ(worked.answers.at(1).kind, AttemptAnswer::Kind::stale);
  EXPECT_EQ(worked.task(), next);
  EXPECT_EQ(state_of(lost), State::timed_out);
  EXPECT_EQ(attempts(lost).at(0).stale_results, 1);
}

TEST_P(WorkContract, SaidAgainItIsKnownAndTheNextOneIsLeased) {
  create(task());
  const domain::AttemptId attempt = claim_one();
  create(task());
  const domain::ExecutionId third = create(task()).id;
  work({done(attempt)});

  const Worked again = work({done(attempt)});

  EXPECT_EQ(again.answers.at(0).kind, AttemptAnswer::Kind::already_recorded);
  EXPECT_EQ(again.task(), third);
}

TEST_P(WorkContract, TheEndOfATaskMakesRoomForTheNextOneOfAQueueThatRunsOneAtATime) {
  limit([](domain::QueueOptions& options) { options.max_running = 1; });
  create(task());
  const domain::AttemptId attempt = claim_one();
  const domain::ExecutionId next = create(task()).id;
  ASSERT_TRUE(claim(1).empty());

  const Worked worked = work({done(attempt)}, 2);

  ASSERT_EQ(worked.leases.size(), 1u);
  EXPECT_EQ(worked.task(), next);
  EXPECT_TRUE(claim(1).empty());
}

TEST_P(WorkContract, TheEndOfATaskMakesRoomForTheNextOneOfItsKey) {
  limit([](domain::QueueOptions& options) { options.max_running_per_key = 1; });
  create(task().concurrency_key("a"));
  const domain::AttemptId attempt = claim_one();
  const domain::ExecutionId next = create(task().concurrency_key("a")).id;
  create(task().concurrency_key("a"));
  ASSERT_TRUE(claim(1).empty());

  const Worked worked = work({done(attempt)}, 2);

  ASSERT_EQ(worked.leases.size(), 1u);
  EXPECT_EQ(worked.task(), next);
}

TEST_P(WorkContract, ATaskThatFailedAndMayBeTriedAtOnceIsLeasedAgain) {
  const domain::ExecutionId id = create(task().retry({.max_attempts = 2, .base = Duration{0}})).id;
  const domain::AttemptId attempt = claim_one();

  const Worked worked = work({failed(attempt, true)});

  EXPECT_EQ(worked.answers.at(0).state, State::pending);
  EXPECT_EQ(worked.task(), id);
  EXPECT_EQ(worked.leases.at(0).execution.attempt, 2);
}

TEST_P(WorkContract, ATaskThatFailedAndMayBeTriedAtOnceIsLeasedBeforeWorseOnes) {
  const domain::ExecutionId better = create(task().priority(5).retry({.max_attempts = 2, .base = Duration{0}})).id;
  const domain::AttemptId attempt = claim_one();
  create(task());

  const Worked worked = work({failed(attempt, true)});

  EXPECT_EQ(worked.task(), better);
}

TEST_P(WorkContract, TheNextOneOfAKeyIsLeasedBeforeWorseOnes) {
  limit([](domain::QueueOptions& options) { options.max_running_per_key = 1; });
  create(task().concurrency_key("a"));
  const domain::AttemptId attempt = claim_one();
  const domain::ExecutionId next = create(task().concurrency_key("a").priority(5)).id;
  create(task());

  const Worked worked = work({done(attempt)});

  EXPECT_EQ(worked.task(), next);
}

TEST_P(WorkContract, AQueueThatIsPausedMeanwhileGivesNothingToWhomItGaveBefore) {
  for (int i = 0; i < 3; ++i) create(task());
  const domain::AttemptId attempt = claim_one();
  const Worked before = work({done(attempt)});
  ASSERT_EQ(before.leases.size(), 1u);
  limit([](domain::QueueOptions& options) { options.paused = true; });

  const Worked worked = work({done(before.leases.at(0).attempt_id)});

  EXPECT_EQ(worked.answers.at(0).kind, AttemptAnswer::Kind::recorded);
  EXPECT_TRUE(worked.leases.empty());
}

TEST_P(WorkContract, ManyAnswersAreEachJudgedByThemselves) {
  for (int i = 0; i < 3; ++i) create(task());
  const std::vector<Lease> leases = claim(3);
  const domain::ExecutionId next = create(task()).id;

  const Worked worked = work({done(leases.at(0).attempt_id), failed(leases.at(1).attempt_id, false),
                              done(ids_.attempt()), done(leases.at(2).attempt_id)});

  const auto kind = [&](std::size_t i) { return worked.answers.at(i).kind; };
  EXPECT_EQ(kind(0), AttemptAnswer::Kind::recorded);
  EXPECT_EQ(kind(1), AttemptAnswer::Kind::recorded);
  EXPECT_EQ(kind(2), AttemptAnswer::Kind::stale);
  EXPECT_EQ(kind(3), AttemptAnswer::Kind::recorded);
  EXPECT_EQ(worked.answers.at(1).state, State::failed);
  EXPECT_EQ(worked.task(), next);
}

TEST_P(WorkContract, AQueueThatKeepsNothingForgetsTheOneAndLeasesTheOther) {
  limit([](domain::QueueOptions& options) { options.retention = Duration{0}; });
  const domain::ExecutionId first = create(task()).id;
  const domain::AttemptId attempt = claim_one();
  const domain::ExecutionId second = create(task()).id;

  const Worked worked = work({done(attempt)});

  EXPECT_EQ(worked.task(), second);
  EXPECT_EQ(find(first), std::nullopt);
}

}  // namespace
}  // namespace semel::test
