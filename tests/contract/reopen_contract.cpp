#include "tests/contract/store_contract.hpp"

namespace semel::test {
namespace {

/// Opening closed tasks again by hand (DESIGN §3.4, §4).
class ReopenContract : public StoreContract {
 protected:
  ReopenAnswer retry(domain::ExecutionId id) {
    return as<ReopenAnswer>(apply(Reopen{std::string(default_tenant), id, "boss"}));
  }
  /// A task that was created with the key and has failed.
  domain::ExecutionId failed(const std::string& key) {
    const domain::ExecutionId id = create(task().key(key)).id;
    fail(claim_one());
    return id;
  }
  /// Lets a store that keeps identities in small generations merge what it has.
  void merge_identities(const std::string& prefix) {
    for (int i = 0; i < 8; ++i) create(task().key(prefix + std::to_string(i)));
    while (store().tidy_up()) {
    }
  }
};
SEMEL_ON_ALL_STORES(ReopenContract);

TEST_P(ReopenContract, AFailedCancelledOrTimedOutTaskIsOpenAgain) {
  for (const State state : {State::failed, State::cancelled, State::timed_out}) {
    SCOPED_TRACE(name_of(state));
    const domain::ExecutionId id = create_in(state, task());

    EXPECT_EQ(retry(id).kind, ReopenAnswer::Kind::reopened);

    ASSERT_EQ(changes_.size(), 1u);
    EXPECT_EQ(changes_[0].state, State::pending);
    EXPECT_TRUE(changes_[0].is_ready);
    EXPECT_EQ(state_of(id), State::pending);
    EXPECT_EQ(find(id).value().closed_at, std::nullopt);
    EXPECT_EQ(find(id).value().error, std::nullopt);
    EXPECT_EQ(complete(claim_one(), "1").state, State::completed);
  }
}

TEST_P(ReopenContract, OpenAndCompletedTasksStayAsTheyAre) {
  for (const State state : {State::pending, State::running, State::completed}) {
    SCOPED_TRACE(name_of(state));
    const domain::ExecutionId id = create_in(state, task());

    const ReopenAnswer answer = retry(id);

    EXPECT_EQ(answer.kind, ReopenAnswer::Kind::not_retryable);
    EXPECT_EQ(answer.state, state);
    EXPECT_EQ(state_of(id), state);
    if (state == State::pending) cancel(id);
  }
}

TEST_P(ReopenContract, WhatIsNotThereIsNotFound) {
  EXPECT_EQ(retry(ids_.execution()).kind, ReopenAnswer::Kind::not_found);
}

TEST_P(ReopenContract, NumbersOfAttemptsGoOnAndThePolicyBeginsAnew) {
  const domain::ExecutionId id = create(task().retry({2, domain::Backoff::fixed, 0s, 1h, 0})).id;
  for (int i = 0; i < 2; ++i) fail(claim_one());
  EXPECT_EQ(state_of(id), State::failed);

  retry(id);

  EXPECT_EQ(fail(claim_one()).state, State::pending);
  EXPECT_EQ(fail(claim_one()).state, State::failed);
  EXPECT_EQ(attempts(id).back().number, 4);
}

TEST_P(ReopenContract, TheIdentityIsHeldAgain) {
  const domain::ExecutionId id = failed("a");

  retry(id);

  EXPECT_EQ(expect_held(task().key("a").reuse(Reuse::allow_duplicate)).holder.id, id);
}

TEST_P(ReopenContract, AReleasedIdentityIsHeldAgain) {
  const domain::ExecutionId id = failed("a");
  release(hash_of("a"));

  EXPECT_EQ(retry(id).kind, ReopenAnswer::Kind::reopened);

  EXPECT_EQ(expect_held(task().key("a").reuse(Reuse::allow_duplicate)).holder.id, id);
}

TEST_P(ReopenContract, AnIdentityThatAnotherHoldsIsNotTaken) {
  const domain::ExecutionId first = failed("a");
  const domain::ExecutionId second = create(task().key("a")).id;

  const ReopenAnswer answer = retry(first);

  EXPECT_EQ(answer.kind, ReopenAnswer::Kind::identity_held);
  EXPECT_EQ(answer.holder, second);
  EXPECT_EQ(state_of(first), State::failed);
  EXPECT_TRUE(changes_.empty());
}

TEST_P(ReopenContract, AnIdentityWhoseLastHolderHasItNoMoreIsClaimedBackAndStaysSo) {
  const domain::ExecutionId first = failed("a");
  const domain::ExecutionId second = create(task().key("a")).id;
  complete(claim_one());
  release(hash_of("a"));
  merge_identities("before");

  EXPECT_EQ(retry(first).kind, ReopenAnswer::Kind::reopened);

  EXPECT_EQ(expect_held(task().key("a").reuse(Reuse::allow_duplicate)).holder.id, first);
  merge_identities("after");
  EXPECT_EQ(expect_held(task().key("a").reuse(Reuse::allow_duplicate)).holder.id, first);
  reopen();
  EXPECT_EQ(expect_held(task().key("a").reuse(Reuse::allow_duplicate)).holder.id, first);
  EXPECT_EQ(find(second).value().state, State::completed);
  EXPECT_EQ(retry(second).kind, ReopenAnswer::Kind::not_retryable);
}

TEST_P(ReopenContract, ARetryIsAudited) {
  const domain::ExecutionId id = failed("a");
  retry(id);

  const AuditEntry entry = store().audit(default_tenant, std::nullopt, 1).at(0);

  EXPECT_EQ(entry.actor, "boss");
  EXPECT_EQ(entry.action, "task.retry");
  EXPECT_EQ(entry.subject, id.text());
}

TEST_P(ReopenContract, AReopenedTaskIsStillOpenAfterARestart) {
  const domain::ExecutionId id = failed("a");
  retry(id);
  reopen();

  EXPECT_EQ(state_of(id), State::pending);
  EXPECT_EQ(complete(claim_one(), "1").state, State::completed);
}

}  // namespace
}  // namespace semel::test
