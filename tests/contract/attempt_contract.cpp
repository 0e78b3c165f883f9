#include "tests/contract/store_contract.hpp"

namespace semel::test {
namespace {

using Kind = AttemptAnswer::Kind;
using domain::AttemptOutcome;

/// The answers of workers, and the fence that keeps late ones out (DESIGN §4).
class AttemptContract : public StoreContract {
 protected:
  const std::string boom_ = R"({"type":"BOOM","message":"no \"money\""})";
};
SEMEL_ON_ALL_STORES(AttemptContract);

TEST_P(AttemptContract, CompletingClosesTheExecutionWithItsResult) {
  const domain::ExecutionId id = create(task()).id;
  const domain::AttemptId attempt = claim_one();
  advance(3s);

  const AttemptAnswer answer = complete(attempt, R"({"receipt":7})");

  EXPECT_EQ(answer.kind, Kind::recorded);
  EXPECT_EQ(answer.execution_id, id);
  EXPECT_EQ(answer.state, State::completed);
  const domain::Execution execution = find(id).value();
  EXPECT_EQ(execution.state, State::completed);
  EXPECT_EQ(execution.started_at, now() - 3s);
  EXPECT_EQ(execution.closed_at, now());
  EXPECT_EQ(execution.result, R"({"receipt":7})");
  EXPECT_EQ(execution.error, std::nullopt);
  const domain::Attempt ended = attempts(id).at(0);
  EXPECT_EQ(ended.outcome, AttemptOutcome::completed);
  EXPECT_EQ(ended.ended_at, now());
  EXPECT_EQ(ended.error, std::nullopt);
  EXPECT_EQ(ended.stale_results, 0);
}

TEST_P(AttemptContract, FailingClosesTheExecutionWithItsError) {
  const domain::ExecutionId id = create(task()).id;
  const domain::AttemptId attempt = claim_one();
  advance(3s);

  const AttemptAnswer answer = fail(attempt, boom_);

  EXPECT_EQ(answer.kind, Kind::recorded);
  EXPECT_EQ(answer.execution_id, id);
  EXPECT_EQ(answer.state, State::failed);
  const domain::Execution execution = find(id).value();
  EXPECT_EQ(execution.state, State::failed);
  EXPECT_EQ(execution.closed_at, now());
  EXPECT_EQ(execution.result, std::nullopt);
  EXPECT_EQ(execution.error, boom_);
  const domain::Attempt ended = attempts(id).at(0);
  EXPECT_EQ(ended.outcome, AttemptOutcome::failed);
  EXPECT_EQ(ended.ended_at, now());
  EXPECT_EQ(ended.error, boom_);
}

TEST_P(AttemptContract, AnUnknownAttemptIsStale) {
  create(task());
  const domain::AttemptId unknown = ids_.attempt();

  for (const AttemptAnswer& answer : {complete(unknown), fail(unknown), heartbeat(unknown)}) {
    EXPECT_EQ(answer.kind, Kind::stale);
    EXPECT_EQ(answer.state, std::nullopt);
  }
}

TEST_P(AttemptContract, AnAttemptOfAnotherTenantIsStaleAndUntouched) {
  const domain::ExecutionId id = create(task()).id;
  const domain::AttemptId attempt = claim_one();
  const std::string before = describe(find(id)) + describe_all(attempts(id));

  EXPECT_EQ(as<AttemptAnswer>(apply(Complete{"globex", attempt, "1"})).kind, Kind::stale);
  EXPECT_EQ(as<AttemptAnswer>(apply(Fail{"globex", attempt, boom_})).kind, Kind::stale);
  EXPECT_EQ(as<AttemptAnswer>(apply(Heartbeat{"globex", attempt, 1h})).kind, Kind::stale);
  EXPECT_EQ(as<AttemptAnswer>(apply(Heartbeat{"globex", attempt, 1h})).state, std::nullopt);

  EXPECT_EQ(describe(find(id)) + describe_all(attempts(id)), before);
  EXPECT_TRUE(store().attempts("globex", id).empty());
}

TEST_P(AttemptContract, ThoseThatRunAreFoundForManyTasksAtOnce) {
  const domain::ExecutionId failed_before = create(task()).id;
  fail(claim_one(), boom_);
  apply(Reopen{std::string(default_tenant), failed_before, "admin-key"});
  const domain::AttemptId again = claim_one();
  const domain::ExecutionId other = create(task()).id;
  const domain::AttemptId first = claim_one();
  heartbeat(first);
  const domain::ExecutionId ended = create(task()).id;
  complete(claim_one());
  const domain::ExecutionId pending = create(task()).id;
  const std::vector<domain::ExecutionId> asked{failed_before, other, ended, pending, ids_.execution()};

  std::vector<domain::Attempt> running = store().running_attempts(default_tenant, asked);

  std::sort(running.begin(), running.end(), [](const auto& a, const auto& b) { return a.number > b.number; });
  ASSERT_EQ(running.size(), 2u);
  EXPECT_EQ(running[0].id, again);
  EXPECT_EQ(running[0].execution_id, failed_before);
  EXPECT_EQ(running[0].number, 2);
  EXPECT_EQ(describe_all(std::vector{running[1]}), describe_all(attempts(other)));
  EXPECT_EQ(running[1].id, first);
  EXPECT_TRUE(store().running_attempts("globex", asked).empty());
  EXPECT_TRUE(store().running_attempts(default_tenant, {}).empty());
}

TEST_P(AttemptContract, RepeatingAnAnswerIsWelcomeAndChangesNothing) {
  const domain::ExecutionId completed = create(task()).id;
  const domain::AttemptId completer = claim_one();
  const domain::ExecutionId failed = create(task()).id;
  const domain::AttemptId failer = claim_one();
  complete(completer, "1");
  fail(failer, boom_);
  const auto everything = [&] {
    return describe(find(completed)) + describe_all(attempts(completed)) + describe(find(failed)) +
           describe_all(attempts(failed));
  };
  const std::string before = everything();
  advance(1s);

  for (int round = 0; round < 2; ++round) {
    const AttemptAnswer again = complete(completer, "2");  // other content: what was recorded stays
    EXPECT_EQ(again.kind, Kind::already_recorded);
    EXPECT_EQ(again.execution_id, completed);
    EXPECT_EQ(again.state, State::completed);
    EXPECT_EQ(fail(failer, "{}").kind, Kind::already_recorded);
    EXPECT_EQ(everything(), before);
    reopen();
  }
}

TEST_P(AttemptContract, AnotherKindOfAnswerIsStaleAndCounted) {
  const domain::ExecutionId completed = create(task()).id;
  const domain::AttemptId completer = claim_one();
  complete(completer, "1");
  const domain::ExecutionId failed = create(task()).id;
  const domain::AttemptId failer = claim_one();
  fail(failer, boom_);

  const AttemptAnswer late = fail(completer, boom_);
  EXPECT_EQ(late.kind, Kind::stale);
  EXPECT_EQ(late.execution_id, completed);
  EXPECT_EQ(late.state, State::completed);
  EXPECT_EQ(complete(failer, "1").kind, Kind::stale);
  EXPECT_EQ(complete(failer, "1").kind, Kind::stale);

  EXPECT_EQ(find(completed).value().result, "1");
  EXPECT_EQ(find(completed).value().error, std::nullopt);
  EXPECT_EQ(attempts(completed).at(0).stale_results, 1);
  EXPECT_EQ(find(failed).value().result, std::nullopt);
  EXPECT_EQ(find(failed).value().error, boom_);
  reopen();
  EXPECT_EQ(attempts(failed).at(0).stale_results, 2);
}

TEST_P(AttemptContract, TwoAnswersInOneBatchAreSettledInOrder) {
  const domain::ExecutionId id = create(task()).id;
  const domain::AttemptId attempt = claim_one();
  const std::string tenant(default_tenant);

  const std::vector<Outcome> outcomes = apply_all({Complete{tenant, attempt, "1"}, Complete{tenant, attempt, "2"}});

  EXPECT_EQ(as<AttemptAnswer>(outcomes.at(0)).kind, Kind::recorded);
  EXPECT_EQ(as<AttemptAnswer>(outcomes.at(1)).kind, Kind::already_recorded);
  EXPECT_EQ(find(id).value().result, "1");
}

TEST_P(AttemptContract, ManyAnswersInOneBatchAreRecordedEachOnItsOwn) {
  std::vector<Command> submissions(20, task());
  for (Command& command : submissions) command = task();
  apply_all(submissions);
  std::vector<Command> answers;
  const std::vector<Lease> leases = claim(20);
  ASSERT_EQ(leases.size(), 20u);
  for (std::size_t i = 0; i < leases.size(); ++i) {
    answers.push_back(Complete{std::string(default_tenant), leases[i].attempt_id, std::to_string(i)});
  }
  answers.insert(answers.begin() + 10, Complete{std::string(default_tenant), ids_.attempt(), "x"});

  const std::vector<Outcome> outcomes = apply_all(answers);

  ASSERT_EQ(outcomes.size(), 21u);
  EXPECT_EQ(as<AttemptAnswer>(outcomes[10]).kind, Kind::stale);
  for (std::size_t i = 0; i < leases.size(); ++i) {
    EXPECT_EQ(as<AttemptAnswer>(outcomes[i < 10 ? i : i + 1]).execution_id, leases[i].execution.spec.id);
    EXPECT_EQ(find(leases[i].execution.spec.id).value().result, std::to_string(i));
  }
}

TEST_P(AttemptContract, AHeartbeatExtendsTheLease) {
  const domain::ExecutionId id = create(task()).id;
  const domain::AttemptId attempt = claim_one(30s);
  advance(20s);

  const AttemptAnswer answer = heartbeat(attempt, 30s);

  EXPECT_EQ(answer.kind, Kind::recorded);
  EXPECT_EQ(answer.execution_id, id);
  EXPECT_EQ(answer.state, State::running);
  EXPECT_EQ(answer.lease_until, now() + 30s);
  EXPECT_FALSE(answer.should_cancel);
  EXPECT_EQ(attempts(id).at(0).lease_until, now() + 30s);
  reopen();
  EXPECT_EQ(attempts(id).at(0).lease_until, now() + 30s);
}

TEST_P(AttemptContract, WhenAnAttemptWasLastHeardOfIsKept) {
  const domain::ExecutionId id = create(task()).id;
  const domain::AttemptId attempt = claim_one(30s);
  EXPECT_EQ(attempts(id).at(0).last_heartbeat_at, std::nullopt);
  advance(20s);
  heartbeat(attempt, 30s);
  advance(5s);
  heartbeat(attempt, 1s);
  const Time heard_at = now();
  EXPECT_EQ(attempts(id).at(0).last_heartbeat_at, heard_at);
  advance(3s);

  complete(attempt);

  EXPECT_EQ(attempts(id).at(0).last_heartbeat_at, heard_at);
  reopen();
  EXPECT_EQ(attempts(id).at(0).last_heartbeat_at, heard_at);
}

TEST_P(AttemptContract, WhenAnAttemptWasLastHeardOfIsKnownAfterItsTaskWasPutAwayAndBroughtBack) {
  const domain::ExecutionId id = create(task()).id;
  const domain::AttemptId first = claim_one();
  heartbeat(first);
  const Time heard_at = now();
  advance(2s);

  fail(first);  // the store that puts away what has closed does it here
  EXPECT_EQ(attempts(id).at(0).last_heartbeat_at, heard_at);
  apply(Reopen{std::string(default_tenant), id, "admin-key"});
  claim_one();

  EXPECT_EQ(attempts(id).at(0).last_heartbeat_at, heard_at);
  EXPECT_EQ(attempts(id).at(1).last_heartbeat_at, std::nullopt);
}

TEST_P(AttemptContract, AHeartbeatNeverShortensTheLease) {
  const domain::ExecutionId id = create(task()).id;
  const domain::AttemptId attempt = claim_one(60s);
  const Time until = now() + 60s;

  EXPECT_EQ(heartbeat(attempt, 10s).lease_until, until);

  EXPECT_EQ(attempts(id).at(0).lease_until, until);
}

TEST_P(AttemptContract, AHeartbeatSavesALeaseThatHasPassedButWasNotEnded) {
  const domain::ExecutionId id = create(task()).id;
  const domain::AttemptId attempt = claim_one(10s);
  advance(1h);

  EXPECT_EQ(heartbeat(attempt, 10s).kind, Kind::recorded);

  EXPECT_TRUE(expired().empty());
  EXPECT_EQ(state_of(id), State::running);
}

TEST_P(AttemptContract, AHeartbeatOfAnEndedAttemptIsStaleAndNotCounted) {
  const domain::ExecutionId id = create(task()).id;
  const domain::AttemptId attempt = claim_one();
  complete(attempt);

  const AttemptAnswer answer = heartbeat(attempt);

  EXPECT_EQ(answer.kind, Kind::stale);
  EXPECT_EQ(answer.state, State::completed);
  EXPECT_EQ(answer.lease_until, std::nullopt);
  EXPECT_EQ(attempts(id).at(0).stale_results, 0);  // a heartbeat is no result
}

TEST_P(AttemptContract, WhatDoesNotExistHasNoAttempts) {
  EXPECT_TRUE(attempts(ids_.execution()).empty());
  EXPECT_TRUE(attempts(create(task()).id).empty());
}

}  // namespace
}  // namespace semel::test
