#include "tests/contract/store_contract.hpp"

namespace semel::test {
namespace {

class CancelContract : public StoreContract {};
SEMEL_ON_ALL_STORES(CancelContract);

TEST_P(CancelContract, WhatDoesNotExistIsNotFound) {
  const domain::ExecutionId ours = create(task()).id;

  for (const CancelAnswer& answer : {cancel(ids_.execution()), as<CancelAnswer>(apply(Cancel{"globex", ours}))}) {
    EXPECT_EQ(answer.kind, CancelAnswer::Kind::not_found);
    EXPECT_EQ(answer.state, std::nullopt);
    EXPECT_EQ(answer.created_by, "");
  }
  EXPECT_EQ(state_of(ours), State::pending);
}

TEST_P(CancelContract, APendingTaskIsCancelledAtOnce) {
  const domain::ExecutionId ready = create(task().created_by("key-9")).id;
  const domain::ExecutionId waiting = create(task().created_by("key-9").delay(1h)).id;
  advance(1s);

  for (const domain::ExecutionId id : {ready, waiting}) {
    const CancelAnswer answer = cancel(id);

    EXPECT_EQ(answer.kind, CancelAnswer::Kind::cancelled);
    EXPECT_EQ(answer.state, State::cancelled);
    EXPECT_EQ(answer.created_by, "key-9");
    const domain::Execution execution = find(id).value();
    EXPECT_EQ(execution.state, State::cancelled);
    EXPECT_EQ(execution.closed_at, now());
    EXPECT_EQ(execution.error, std::nullopt);
    EXPECT_EQ(execution.started_at, std::nullopt);
    EXPECT_FALSE(execution.cancel_requested);
  }
  EXPECT_TRUE(claim(10).empty());
}

TEST_P(CancelContract, ARunningTaskIsAskedToStopAndStaysOpen) {
  const domain::ExecutionId id = create(task().key("a").created_by("key-9")).id;
  const domain::AttemptId attempt = claim_one();

  for (int round = 0; round < 2; ++round) {
    const CancelAnswer answer = cancel(id);

    EXPECT_EQ(answer.kind, CancelAnswer::Kind::requested);
    EXPECT_EQ(answer.state, State::running);
    EXPECT_EQ(answer.created_by, "key-9");
    EXPECT_TRUE(find(id).value().cancel_requested);
    EXPECT_EQ(find(id).value().closed_at, std::nullopt);
    EXPECT_TRUE(heartbeat(attempt).should_cancel);
    expect_held(task().key("a").reuse(Reuse::allow_duplicate));
    reopen();
  }
}

TEST_P(CancelContract, TheAnswerOfTheWorkerEndsACancelledTask) {
  struct Case {
    bool completes;
    State end;
  };
  for (const auto& [completes, end] : {Case{true, State::completed}, Case{false, State::cancelled}}) {
    const domain::ExecutionId id = create(task()).id;
    const domain::AttemptId attempt = claim_one();
    cancel(id);

    const AttemptAnswer answer = completes ? complete(attempt, "1") : fail(attempt, "{}");

    EXPECT_EQ(answer.kind, AttemptAnswer::Kind::recorded);
    EXPECT_EQ(answer.state, end);
    EXPECT_EQ(state_of(id), end);
    EXPECT_EQ(find(id).value().closed_at, now());
    EXPECT_EQ(find(id).value().result.has_value(), completes);
    EXPECT_EQ(find(id).value().error.has_value(), !completes);
    EXPECT_EQ(attempts(id).at(0).outcome,
              completes ? domain::AttemptOutcome::completed : domain::AttemptOutcome::failed);
    EXPECT_EQ((completes ? complete(attempt) : fail(attempt)).kind, AttemptAnswer::Kind::already_recorded);
  }
}

TEST_P(CancelContract, AWorkerThatNeverAnswersEndsACancelledTaskWithItsLease) {
  const domain::ExecutionId id = create(task()).id;
  claim_one(30s);
  cancel(id);
  advance(30s);

  EXPECT_EQ(expired(), std::vector{id});

  EXPECT_EQ(state_of(id), State::cancelled);
  EXPECT_EQ(attempts(id).at(0).outcome, domain::AttemptOutcome::lease_ended);
  EXPECT_EQ(find(id).value().error, lease_end_error(attempts(id).at(0), domain::AttemptOutcome::lease_ended));
}

TEST_P(CancelContract, AClosedTaskStaysAsItIs) {
  for (const State state : closed_states) {
    SCOPED_TRACE(name_of(state));
    const domain::ExecutionId id = create_in(state, task().created_by("key-9"));
    const std::string before = describe(find(id));
    advance(1s);

    const CancelAnswer answer = cancel(id);

    EXPECT_EQ(answer.kind, CancelAnswer::Kind::already_closed);
    EXPECT_EQ(answer.state, state);
    EXPECT_EQ(answer.created_by, "key-9");
    EXPECT_EQ(describe(find(id)), before);
  }
}

TEST_P(CancelContract, TwoCancellationsInOneBatchAreSettledInOrder) {
  const Cancel command{std::string(default_tenant), create(task()).id};

  const std::vector<Outcome> outcomes = apply_all({command, command});

  EXPECT_EQ(as<CancelAnswer>(outcomes.at(0)).kind, CancelAnswer::Kind::cancelled);
  EXPECT_EQ(as<CancelAnswer>(outcomes.at(1)).kind, CancelAnswer::Kind::already_closed);
}

}  // namespace
}  // namespace semel::test
