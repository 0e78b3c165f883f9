#include "tests/contract/store_contract.hpp"

namespace semel::test {
namespace {

using domain::AttemptOutcome;
using domain::Backoff;
using Kind = AttemptAnswer::Kind;

/// Attempts that are tried again, and what limits them (DESIGN §4).
class RetryContract : public StoreContract {
 protected:
  /// Tried three times, with pauses of exactly 10 seconds.
  SubmitBuilder retried() { return task().retry({3, Backoff::fixed, 10s, 1h, 0}); }
  std::vector<AttemptOutcome> outcomes(domain::ExecutionId id) {
    std::vector<AttemptOutcome> outcomes;
    for (const domain::Attempt& attempt : attempts(id)) outcomes.push_back(attempt.outcome);
    return outcomes;
  }
  /// Lets the pause pass.
  void rest(Duration pause = 10s) {
    advance(pause);
    promote();
  }
  AttemptAnswer fail_with(const Fail& answer) { return as<AttemptAnswer>(apply(answer)); }
  Fail failure_of(domain::AttemptId attempt) {
    return {std::string(default_tenant), attempt, R"({"type":"BOOM","message":"x"})", true, std::nullopt};
  }
};
SEMEL_ON_ALL_STORES(RetryContract);

TEST_P(RetryContract, AFailedAttemptWaitsForItsPauseAndIsTriedAgain) {
  const domain::ExecutionId id = create(retried()).id;

  const AttemptAnswer answer = fail(claim_one());

  EXPECT_EQ(answer.kind, Kind::recorded);
  EXPECT_EQ(answer.state, State::pending);
  EXPECT_EQ(find(id).value().run_at, now() + 10s);
  EXPECT_EQ(find(id).value().closed_at, std::nullopt);
  EXPECT_EQ(find(id).value().error, std::nullopt);
  EXPECT_EQ(store().next_timer(), now() + 10s);
  EXPECT_TRUE(claim(1).empty());
  rest(10s - 1ms);
  EXPECT_TRUE(claim(1).empty());
  rest(1ms);
  const std::vector<Lease> leases = claim(1);
  ASSERT_EQ(leases.size(), 1u);
  EXPECT_EQ(leases[0].execution.attempt, 2);
  EXPECT_EQ(attempts(id).at(0).error, R"({"type":"BOOM","message":"x"})");
}

TEST_P(RetryContract, TheChangeSaysWhetherItIsReadyAndWhenSomethingHappens) {
  create(retried());
  const domain::AttemptId first = claim_one();
  fail(first);
  ASSERT_EQ(changes_.size(), 1u);
  EXPECT_EQ(changes_[0].state, State::pending);
  EXPECT_FALSE(changes_[0].is_ready);
  EXPECT_FALSE(changes_[0].is_new);
  EXPECT_EQ(changes_[0].attempt, 1);
  EXPECT_EQ(changes_[0].timer, now() + 10s);
  rest();

  Fail at_once = failure_of(claim_one());
  at_once.retry_after = 0ms;
  fail_with(at_once);

  EXPECT_TRUE(changes_.at(0).is_ready);
  EXPECT_EQ(changes_[0].timer, std::nullopt);
  EXPECT_EQ(claim(1).size(), 1u);
}

TEST_P(RetryContract, TheLastAttemptEndsTheTask) {
  const domain::ExecutionId id = create(retried()).id;
  for (int i = 0; i < 2; ++i) {
    fail(claim_one());
    rest();
  }

  EXPECT_EQ(fail(claim_one()).state, State::failed);

  EXPECT_EQ(outcomes(id), (std::vector{AttemptOutcome::failed, AttemptOutcome::failed, AttemptOutcome::failed}));
  EXPECT_EQ(find(id).value().error, R"({"type":"BOOM","message":"x"})");
  EXPECT_EQ(find(id).value().closed_at, now());
}

TEST_P(RetryContract, ALaterAttemptCanComplete) {
  const domain::ExecutionId id = create(retried()).id;
  fail(claim_one());
  rest();

  complete(claim_one(), "1");

  EXPECT_EQ(state_of(id), State::completed);
  EXPECT_EQ(find(id).value().result, "1");
  EXPECT_EQ(find(id).value().error, std::nullopt);
}

TEST_P(RetryContract, AnEndedLeaseIsTriedAgainAndTheLastTimesOut) {
  const domain::ExecutionId id = create(retried()).id;
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(claim(1, 30s).size(), 1u);
    advance(30s);
    EXPECT_EQ(expired(), std::vector{id});
    rest();
  }

  EXPECT_EQ(state_of(id), State::timed_out);
}

TEST_P(RetryContract, AnAttemptOfBeforeCannotEndTheNext) {
  const domain::ExecutionId id = create(retried()).id;
  const domain::AttemptId first = claim_one(30s);
  advance(30s);
  expire();
  rest();
  const domain::AttemptId second = claim_one();

  EXPECT_EQ(complete(first, "1").kind, Kind::stale);
  EXPECT_EQ(heartbeat(first).kind, Kind::stale);
  EXPECT_EQ(state_of(id), State::running);
  EXPECT_EQ(attempts(id).at(0).stale_results, 1);
  EXPECT_EQ(complete(second, "2").kind, Kind::recorded);
  EXPECT_EQ(find(id).value().result, "2");
}

TEST_P(RetryContract, TheIdentityIsHeldBetweenAttempts) {
  create(retried().key("a"));
  fail(claim_one());

  expect_held(retried().key("a").reuse(Reuse::allow_duplicate));
}

TEST_P(RetryContract, AWorkerCanForbidARetry) {
  const domain::ExecutionId id = create(retried()).id;
  Fail forbidding = failure_of(claim_one());
  forbidding.retryable = false;

  EXPECT_EQ(fail_with(forbidding).state, State::failed);

  EXPECT_EQ(state_of(id), State::failed);
}

TEST_P(RetryContract, AWorkerCanSayWhen) {
  const domain::ExecutionId id = create(retried()).id;
  Fail later = failure_of(claim_one());
  later.retry_after = 3min;

  fail_with(later);

  EXPECT_EQ(find(id).value().run_at, now() + 3min);
}

TEST_P(RetryContract, ACancelledTaskIsNotTriedAgain) {
  const domain::ExecutionId id = create(retried()).id;
  const domain::AttemptId attempt = claim_one();
  cancel(id);

  EXPECT_EQ(fail(attempt).state, State::cancelled);
}

TEST_P(RetryContract, ATaskThatWaitsForItsNextAttemptCanBeCancelled) {
  const domain::ExecutionId id = create(retried()).id;
  fail(claim_one());

  EXPECT_EQ(cancel(id).kind, CancelAnswer::Kind::cancelled);

  rest();
  EXPECT_TRUE(claim(1).empty());
  EXPECT_EQ(store().next_timer(), std::nullopt);
}

TEST_P(RetryContract, PauseAndAttemptsOutliveARestart) {
  const domain::ExecutionId id = create(task().retry({2, Backoff::linear, 7s, 1min, 0})).id;
  fail(claim_one());
  reopen();

  EXPECT_EQ(find(id).value().run_at, now() + 7s);
  EXPECT_EQ(find(id).value().spec.retry, (domain::RetryPolicy{2, Backoff::linear, 7s, 1min, 0}));
  rest(7s);
  reopen();
  EXPECT_EQ(fail(claim_one()).state, State::failed);
}

TEST_P(RetryContract, TheHeadStartIsKeptInTheQueue) {
  const domain::ExecutionId favoured = create(retried().head_start(5s)).id;
  fail(claim_one());
  rest(7s);
  const domain::ExecutionId other = create(retried()).id;
  rest(3s);

  EXPECT_EQ(claim(1).at(0).execution.spec.id, favoured);  // due three seconds after, but five earlier in the queue
  EXPECT_EQ(claim(1).at(0).execution.spec.id, other);
}

// ---- time limits

TEST_P(RetryContract, NoHeartbeatKeepsAnAttemptBeyondItsTime) {
  const domain::ExecutionId id = create(retried().timeout(40s)).id;
  const domain::AttemptId attempt = claim_one(30s);
  advance(20s);

  EXPECT_EQ(heartbeat(attempt, 30s).lease_until, now() + 20s);

  advance(20s);
  EXPECT_EQ(expired(), std::vector{id});
  EXPECT_EQ(outcomes(id), std::vector{AttemptOutcome::timed_out});
  EXPECT_EQ(state_of(id), State::pending);
}

TEST_P(RetryContract, ALeaseIsNotLongerThanTheAttemptMayTake) {
  create(retried().timeout(5s));

  const std::vector<Lease> leases = claim(1, 30s);

  EXPECT_EQ(leases.at(0).lease_until, now() + 5s);
  EXPECT_EQ(store().next_timer(), now() + 5s);
}

TEST_P(RetryContract, APendingTaskTimesOutAtItsDeadline) {
  const domain::ExecutionId id = create(retried().deadline_after(1min)).id;
  EXPECT_EQ(changes_.at(0).timer, now() + 1min);
  EXPECT_EQ(find(id).value().deadline, now() + 1min);
  EXPECT_EQ(store().next_timer(), now() + 1min);
  advance(1min - 1ms);
  EXPECT_TRUE(expired().empty());

  advance(1ms);

  EXPECT_EQ(expired(), std::vector{id});
  EXPECT_EQ(changes_.at(0).state, State::timed_out);
  EXPECT_EQ(state_of(id), State::timed_out);
  EXPECT_EQ(find(id).value().error, domain::deadline_error());
  EXPECT_TRUE(claim(1).empty());
  EXPECT_EQ(store().next_timer(), std::nullopt);
}

TEST_P(RetryContract, AWaitingTaskTimesOutAtItsDeadline) {
  const domain::ExecutionId id = create(retried().delay(1h).deadline_after(1min)).id;
  EXPECT_EQ(store().next_timer(), now() + 1min);
  advance(1min);

  EXPECT_EQ(expired(), std::vector{id});

  advance(1h);
  promote();
  EXPECT_TRUE(claim(1).empty());
}

TEST_P(RetryContract, ARunningTaskTimesOutAtItsDeadlineAndIsNotTriedAgain) {
  const domain::ExecutionId id = create(retried().deadline_after(20s)).id;
  EXPECT_EQ(claim(1, 30s).at(0).lease_until, now() + 20s);
  advance(20s);

  expire();

  EXPECT_EQ(state_of(id), State::timed_out);
  EXPECT_EQ(outcomes(id), std::vector{AttemptOutcome::timed_out});
}

TEST_P(RetryContract, AnAttemptThatWouldBeginAfterTheDeadlineDoesNot) {
  const domain::ExecutionId id = create(retried().deadline_after(10s)).id;

  EXPECT_EQ(fail(claim_one()).state, State::failed);

  EXPECT_EQ(state_of(id), State::failed);
}

TEST_P(RetryContract, ATaskWhoseDeadlineHasPassedIsNotLeased) {
  const domain::ExecutionId late = create(retried().deadline_after(5s)).id;
  const domain::ExecutionId good = create(retried()).id;
  advance(5s);

  const std::vector<Lease> leases = claim(5);

  ASSERT_EQ(leases.size(), 1u);
  EXPECT_EQ(leases[0].execution.spec.id, good);
  EXPECT_EQ(state_of(late), State::timed_out);
  ASSERT_EQ(changes_.size(), 2u);
  EXPECT_EQ(changes_[0].state, State::timed_out);
}

TEST_P(RetryContract, ADeadlineMayBeATime) {
  Submit submit = retried();
  submit.deadline = now() + 3s;

  const domain::ExecutionId id = create(submit).id;

  EXPECT_EQ(find(id).value().deadline, now() + 3s);
}

// ---- progress

TEST_P(RetryContract, ProgressIsShownUntilTheNextAttempt) {
  const domain::ExecutionId id = create(retried()).id;
  const domain::AttemptId attempt = claim_one();
  Heartbeat beat{std::string(default_tenant), attempt, 30s, domain::Progress{250'000, "a quarter"}};
  apply(beat);
  EXPECT_EQ(find(id).value().progress, (domain::Progress{250'000, "a quarter"}));
  heartbeat(attempt);
  EXPECT_EQ(find(id).value().progress, (domain::Progress{250'000, "a quarter"}));
  fail(attempt);
  rest();

  claim_one();

  EXPECT_EQ(find(id).value().progress, std::nullopt);
}

// ---- leases that never reached their worker

TEST_P(RetryContract, ALeaseThatIsGivenBackIsReadyAtOnceAndDoesNotCount) {
  const domain::ExecutionId id = create(task().retry({1, Backoff::fixed, 10s, 1h, 0})).id;
  const domain::AttemptId lost = claim_one();

  const GivenBack back = as<GivenBack>(apply(GiveBack{std::string(default_tenant), {lost, lost, ids_.attempt()}}));

  EXPECT_EQ(back.count, 1);
  ASSERT_EQ(changes_.size(), 1u);
  EXPECT_TRUE(changes_[0].is_ready);
  EXPECT_EQ(state_of(id), State::pending);
  EXPECT_EQ(outcomes(id), std::vector{AttemptOutcome::undelivered});
  EXPECT_EQ(complete(lost).kind, Kind::stale);
  const std::vector<Lease> again = claim(1);
  ASSERT_EQ(again.size(), 1u);
  EXPECT_EQ(again[0].execution.attempt, 2);  // a number is never used twice
  EXPECT_EQ(fail(again[0].attempt_id).state, State::failed);
}

TEST_P(RetryContract, ALeaseThatIsGivenBackAfterACancelIsCancelled) {
  const domain::ExecutionId id = create(retried()).id;
  const domain::AttemptId lost = claim_one();
  cancel(id);

  apply(GiveBack{std::string(default_tenant), {lost}});

  EXPECT_EQ(state_of(id), State::cancelled);
}

// ---- force

TEST_P(RetryContract, ARunningTaskCanBeCancelledByForce) {
  const domain::ExecutionId id = create(retried()).id;
  const domain::AttemptId attempt = claim_one();

  const CancelAnswer answer = as<CancelAnswer>(apply(Cancel{std::string(default_tenant), id, true, "boss"}));

  EXPECT_EQ(answer.kind, CancelAnswer::Kind::cancelled);
  EXPECT_EQ(state_of(id), State::cancelled);
  EXPECT_EQ(outcomes(id), std::vector{AttemptOutcome::cancelled});
  EXPECT_EQ(complete(attempt).kind, Kind::stale);
  const AuditEntry entry = store().audit(default_tenant, std::nullopt, 1).at(0);
  EXPECT_EQ(entry.actor, "boss");
  EXPECT_EQ(entry.action, "task.cancel.force");
  EXPECT_EQ(entry.subject, id.text());
}

}  // namespace
}  // namespace semel::test
