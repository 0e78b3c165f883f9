#include "tests/contract/run_fixture.hpp"

namespace semel::test {
namespace {

using domain::OnUpstreamFailure;
using Keys = std::vector<std::string>;

/// What people do to runs: retry, resolve.
class RunByHandContract : public RunContract {
 protected:
  /// a → b (blocked when a fails) → c
  ExecutionId blocked() {
    const ExecutionId run =
        start({Builder("a"), Builder("b", {"a"}).on_failure(OnUpstreamFailure::block), Builder("c", {"b"})});
    lease_all();
    give_up("a");
    return run;
  }
  /// a → b → c, of which b has failed.
  ExecutionId failed(std::optional<std::string> key = std::nullopt) {
    SubmitBuilder submit = run_of({Builder("a"), Builder("b", {"a"}), Builder("c", {"b"})});
    if (key) submit.key(*key);
    const ExecutionId run = create(submit).id;
    lease_all();
    finish("a", "1");
    lease_all();
    give_up("b");
    EXPECT_EQ(state_of(run), State::failed);
    return run;
  }
  std::vector<std::string> audited() {
    std::vector<std::string> entries;
    for (const AuditEntry& entry : store().audit(default_tenant, std::nullopt, 10))
      entries.push_back(entry.actor + " " + entry.action + " " + entry.subject);
    return entries;
  }
};
SEMEL_ON_ALL_STORES(RunByHandContract);

TEST_P(RunByHandContract, ABlockedStepKeepsItsRunOpenUntilItIsResolved) {
  const ExecutionId run = blocked();
  EXPECT_EQ(states(run), "a=failed b=blocked(upstream_failed) c=waiting");
  EXPECT_EQ(state_of(run), State::suspended);

  const RunAnswer answer = resolve(run, "b", R"({"paid":"in cash"})");

  EXPECT_EQ(answer.kind, RunAnswer::Kind::done);
  EXPECT_EQ(answer.state, State::suspended);
  EXPECT_EQ(states(run), "a=failed b=completed(resolved) c=scheduled");
  EXPECT_EQ(lease_all(), Keys{"c"});
  EXPECT_EQ(lease_of("c").input.value().upstream.at(0).result, R"({"paid":"in cash"})");
  EXPECT_EQ(entry_of(run, HistoryKind::step_resolved).value().event.detail, R"({"by":"boss","why":"by phone"})");
  EXPECT_EQ(audited(), Keys{"boss run.resolve " + run.text() + "/b"});
  finish("c");
  EXPECT_EQ(state_of(run), State::failed);  // a has failed all the same
}

TEST_P(RunByHandContract, ABlockedStepRunsWhenItsUpstreamIsRetried) {
  const ExecutionId run = blocked();

  EXPECT_EQ(retry_steps(run, {"a"}).kind, RunAnswer::Kind::done);

  EXPECT_EQ(states(run), "a=scheduled b=waiting c=waiting");
  work_off();
  EXPECT_EQ(state_of(run), State::completed);
}

TEST_P(RunByHandContract, OnlyBlockedStepsAreResolved) {
  const ExecutionId run = blocked();
  const std::string before = describe(store().run(default_tenant, run));

  EXPECT_EQ(resolve(run, "a", "1").kind, RunAnswer::Kind::refused);
  EXPECT_EQ(resolve(run, "nobody", "1").refusal, "the run has no step 'nobody'");
  EXPECT_EQ(resolve(ids_.execution(), "b", "1").kind, RunAnswer::Kind::not_found);
  EXPECT_EQ(resolve(create(task()).id, "b", "1").kind, RunAnswer::Kind::not_found);

  EXPECT_EQ(describe(store().run(default_tenant, run)), before);
  EXPECT_TRUE(audited().empty());
}

TEST_P(RunByHandContract, AClosedRunGoesOnFromItsFailedStep) {
  const ExecutionId run = failed();
  advance(1s);

  const RunAnswer answer = retry_steps(run);

  EXPECT_EQ(answer.kind, RunAnswer::Kind::done);
  EXPECT_EQ(answer.state, State::suspended);
  const domain::Execution open = find(run).value();
  EXPECT_EQ(open.state, State::suspended);
  EXPECT_EQ(open.closed_at, std::nullopt);
  EXPECT_EQ(open.error, std::nullopt);
  EXPECT_EQ(change_to(run).value().state, State::suspended);
  EXPECT_EQ(states(run), "a=completed b=scheduled c=waiting");
  EXPECT_EQ(entry_of(run, HistoryKind::step_retried).value().event.detail, R"({"by":"boss","why":"mended"})");
  EXPECT_EQ(audited(), Keys{"boss run.retry " + run.text()});
  EXPECT_EQ(lease_all(), Keys{"b"});
  EXPECT_EQ(lease_of("b").execution.attempt, 2);
  EXPECT_EQ(lease_of("b").input.value().upstream.at(0).result, "1");
  finish("b", "2");
  work_off();
  EXPECT_EQ(find(run).value().result, R"({"a":1,"b":2,"c":"of c"})");
}

TEST_P(RunByHandContract, AStepIsRetriedWhileOthersStillRun) {
  const ExecutionId run = start({Builder("a"), Builder("b"), Builder("c", {"a", "b"})});
  lease_all();
  give_up("a");

  EXPECT_EQ(retry_steps(run, {"a"}).kind, RunAnswer::Kind::done);

  EXPECT_EQ(lease_all(), Keys{"a"});
  finish("b");
  finish("a");
  EXPECT_EQ(lease_all(), Keys{"c"});
}

TEST_P(RunByHandContract, WhatHasSucceededOrNotRunIsNotRetried) {
  const ExecutionId run = failed();

  EXPECT_EQ(retry_steps(run, {"a"}).kind, RunAnswer::Kind::refused);
  EXPECT_EQ(retry_steps(run, {"c"}).kind, RunAnswer::Kind::refused);
  EXPECT_EQ(retry_steps(run, {"b", "nobody"}).kind, RunAnswer::Kind::refused);
  EXPECT_EQ(retry_steps(ids_.execution()).kind, RunAnswer::Kind::not_found);

  EXPECT_EQ(state_of(run), State::failed);
  EXPECT_TRUE(lease_all().empty());
}

TEST_P(RunByHandContract, ReopeningARunRetriesItsFailedSteps) {
  const ExecutionId run = failed();

  const ReopenAnswer answer = reopen_task(run);

  EXPECT_EQ(answer.kind, ReopenAnswer::Kind::reopened);
  EXPECT_EQ(answer.state, State::suspended);
  EXPECT_EQ(lease_all(), Keys{"b"});
}

TEST_P(RunByHandContract, ReopeningATaskOfARunRetriesItsStep) {
  const ExecutionId run = failed();

  const ReopenAnswer answer = reopen_task(task_in(run, "b"));

  EXPECT_EQ(answer.kind, ReopenAnswer::Kind::reopened);
  EXPECT_EQ(answer.state, State::pending);
  EXPECT_EQ(state_of(run), State::suspended);
  EXPECT_EQ(reopen_task(task_in(run, "a")).kind, ReopenAnswer::Kind::not_retryable);
  EXPECT_EQ(reopen_task(run).kind, ReopenAnswer::Kind::not_retryable);
  EXPECT_EQ(lease_all(), Keys{"b"});
}

TEST_P(RunByHandContract, ACompletedRunStaysCompleted) {
  const ExecutionId run = start({Builder("a")});
  work_off();

  EXPECT_EQ(retry_steps(run).kind, RunAnswer::Kind::refused);
  EXPECT_EQ(reopen_task(run).kind, ReopenAnswer::Kind::not_retryable);

  EXPECT_EQ(state_of(run), State::completed);
}

TEST_P(RunByHandContract, ARetryClaimsTheIdentityOfTheRunAgain) {
  const ExecutionId run = failed("order-7");

  EXPECT_EQ(retry_steps(run).kind, RunAnswer::Kind::done);

  EXPECT_EQ(expect_held(run_of({Builder("a")}).key("order-7")).holder.id, run);
}

TEST_P(RunByHandContract, ARunWhoseIdentityAnotherHoldsStaysClosed) {
  const ExecutionId run = failed("order-7");
  const ExecutionId other = expect_created(run_of({Builder("x")}).key("order-7")).id;

  const RunAnswer answer = retry_steps(run);

  EXPECT_EQ(answer.kind, RunAnswer::Kind::identity_held);
  EXPECT_EQ(answer.holder, other);
  EXPECT_EQ(reopen_task(run).kind, ReopenAnswer::Kind::identity_held);
  EXPECT_EQ(reopen_task(task_in(run, "b")).kind, ReopenAnswer::Kind::identity_held);
  EXPECT_EQ(state_of(run), State::failed);
  EXPECT_EQ(states(run), "a=completed b=failed c=cancelled(upstream_failed)");
  EXPECT_EQ(lease_all(), Keys{"x"});
}

TEST_P(RunByHandContract, ARetrySurvivesThatTheStoreIsOpenedAgain) {
  const ExecutionId run = failed("order-7");
  reopen();
  retry_steps(run);
  reopen();

  EXPECT_EQ(expect_held(run_of({Builder("a")}).key("order-7")).holder.id, run);
  work_off();
  EXPECT_EQ(state_of(run), State::completed);
}

}  // namespace
}  // namespace semel::test
