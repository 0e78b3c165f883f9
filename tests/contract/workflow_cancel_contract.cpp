#include "tests/contract/workflow_fixture.hpp"

namespace semel::test {
namespace {

/// How code workflows end: by their code, by somebody, or because their time is over.
class WorkflowEndContract : public WorkflowContract {};
SEMEL_ON_ALL_STORES(WorkflowEndContract);

TEST_P(WorkflowEndContract, WhatIsOpenIsCancelledWhenTheCodeEndsAndNobodyIsToldOfItAnyMore) {
  for (const bool completes : {true, false}) {
    const ExecutionId workflow = start();
    run(Say().task("runs").task("waits").promise().timer(1h).child("pack"));
    const domain::AttemptId runs = lease("runs");
    signal(workflow, "end");
    const AttemptAnswer answered = run(completes ? Say().complete("1") : Say().fail());

    EXPECT_EQ(answered.state, completes ? State::completed : State::failed);
    EXPECT_EQ(find(workflow)->result, completes ? std::optional<std::string>("1") : std::nullopt);
    EXPECT_EQ(find(workflow)->error.has_value(), !completes);
    EXPECT_EQ(detail(workflow, completes ? HistoryKind::run_completed : HistoryKind::run_failed),
              completes ? R"({"result":1})" : R"({"error":{"type":"BAD","message":"no"}})");
    EXPECT_EQ(child_of(workflow, 1).state, State::running);
    for (const std::int64_t command : {2, 3, 5}) EXPECT_EQ(child_of(workflow, command).state, State::cancelled);
    EXPECT_TRUE(read(workflow).timers.empty());
    EXPECT_TRUE(heartbeat(runs).should_cancel);
    const std::string before = history(workflow);
    complete(runs, "late");
    EXPECT_EQ(child_of(workflow, 1).state, State::completed);
    EXPECT_EQ(history(workflow), before);
    EXPECT_EQ(state_of(workflow), completes ? State::completed : State::failed);
  }
}

TEST_P(WorkflowEndContract, AWorkflowThatNobodyActivatesIsCancelledAtOnce) {
  const ExecutionId fresh = start();
  EXPECT_EQ(cancel_by(fresh).kind, CancelAnswer::Kind::cancelled);
  EXPECT_EQ(history(fresh), "run_started, cancel_requested, run_cancelled");
  EXPECT_EQ(detail(fresh, HistoryKind::cancel_requested), R"({"by":"boss","why":"enough"})");
  EXPECT_TRUE(activate("order", 5).empty());

  const ExecutionId delayed = create(workflow_of().delay(1h)).id;
  EXPECT_EQ(cancel_by(delayed).state, State::cancelled);

  const ExecutionId suspended = start();
  run(Say().task("waits").timer(1h).promise());
  EXPECT_EQ(cancel_by(suspended).kind, CancelAnswer::Kind::cancelled);
  for (const std::int64_t command : {1, 3}) EXPECT_EQ(child_of(suspended, command).state, State::cancelled);
  EXPECT_TRUE(read(suspended).timers.empty());
  EXPECT_EQ(history(suspended, 4), "cancel_requested, task_cancelled waits#1, task_cancelled promise#3, run_cancelled");
  EXPECT_EQ(store().next_timer(), std::nullopt);
  EXPECT_EQ(cancel_by(suspended).kind, CancelAnswer::Kind::already_closed);
}

TEST_P(WorkflowEndContract, ACancelledWorkflowClosesWithTheLastThatRunsBelow) {
  const ExecutionId workflow = start();
  run(Say().task("a").task("b").task("c"));
  const domain::AttemptId a = lease("a");
  const domain::AttemptId b = lease("b");

  EXPECT_EQ(cancel_by(workflow).kind, CancelAnswer::Kind::requested);

  EXPECT_EQ(state_of(workflow), State::suspended);
  EXPECT_TRUE(find(workflow)->cancel_requested);
  EXPECT_EQ(child_of(workflow, 3).state, State::cancelled);
  EXPECT_EQ(signal(workflow, "late"), SignalAnswer::Kind::received);
  complete(a, "1");
  EXPECT_EQ(child_of(workflow, 1).state, State::completed);
  EXPECT_EQ(state_of(workflow), State::suspended);
  EXPECT_TRUE(activate("order", 5).empty());
  fail(b);
  EXPECT_EQ(state_of(workflow), State::cancelled);
  EXPECT_EQ(history(workflow, 4),
            "cancel_requested, task_cancelled c#3, signal_received, task_completed a#1, task_cancelled b#2, "
            "run_cancelled");
}

TEST_P(WorkflowEndContract, AWorkflowThatIsReadyIsNotActivatedAnyMoreOnceItIsCancelled) {
  const ExecutionId workflow = start();
  run(Say().task("a"));
  const domain::AttemptId runs = claim_one();
  signal(workflow, "go");
  EXPECT_EQ(state_of(workflow), State::pending);

  EXPECT_EQ(cancel_by(workflow).kind, CancelAnswer::Kind::requested);

  EXPECT_EQ(state_of(workflow), State::suspended);
  EXPECT_TRUE(activate("order", 5).empty());
  complete(runs);
  EXPECT_EQ(state_of(workflow), State::cancelled);
}

TEST_P(WorkflowEndContract, AnActivationUnderWayIsAskedToStopAndItsCommandsAreDropped) {
  const ExecutionId workflow = start();
  const Lease lease = activate();
  EXPECT_EQ(cancel_by(workflow).kind, CancelAnswer::Kind::requested);
  EXPECT_TRUE(heartbeat(lease.attempt_id).should_cancel);

  const AttemptAnswer answered = answer(lease, Say().task("never").status("1"));

  EXPECT_EQ(answered.kind, AttemptAnswer::Kind::recorded);
  EXPECT_EQ(answered.state, State::cancelled);
  EXPECT_EQ(history(workflow), "run_started, cancel_requested, run_cancelled");
  EXPECT_FALSE(find(made_by(workflow, 1)).has_value());
}

TEST_P(WorkflowEndContract, WhatCompletesAllTheSameHasCompleted) {
  const ExecutionId workflow = start();
  const Lease lease = activate();
  cancel_by(workflow);

  EXPECT_EQ(answer(lease, Say().complete("1")).state, State::completed);
  EXPECT_EQ(find(workflow)->result, "1");
}

TEST_P(WorkflowEndContract, WhatFailsOrContinuesAfterACancellationIsCancelled) {
  for (const bool fails : {true, false}) {
    const ExecutionId workflow = start();
    const Lease lease = activate();
    cancel_by(workflow);
    EXPECT_EQ(answer(lease, fails ? Say().fail() : Say().continue_as_new("1")).state, State::cancelled);
    EXPECT_EQ(find(workflow)->error, std::nullopt);
  }
}

TEST_P(WorkflowEndContract, AnActivationThatIsLostAfterACancellationIsNotTriedAgain) {
  for (const bool runs_below : {false, true}) {
    const ExecutionId workflow = start();
    run(Say().task("a"));
    const domain::AttemptId below = claim_one(1h);
    if (!runs_below) complete(below);
    else signal(workflow, "go");
    const Lease lease = activate("order", 1, 10s).at(0);
    EXPECT_EQ(cancel_by(workflow).kind, CancelAnswer::Kind::requested);
    advance(10s);
    expire();

    EXPECT_EQ(state_of(workflow), runs_below ? State::suspended : State::cancelled);
    EXPECT_EQ(answer(lease, Say().complete()).kind, AttemptAnswer::Kind::stale);
    if (runs_below) fail(below);
    EXPECT_EQ(state_of(workflow), State::cancelled);
    EXPECT_EQ(find(workflow)->error, std::nullopt);
  }
}

TEST_P(WorkflowEndContract, AnActivationThatFailsOrIsGivenBackAfterACancellationEndsTheWorkflow) {
  for (const bool fails : {true, false}) {
    const ExecutionId workflow = start();
    const Lease lease = activate();
    cancel_by(workflow);
    if (fails) fail(lease.attempt_id);
    else apply(GiveBack{std::string(default_tenant), {lease.attempt_id}});
    EXPECT_EQ(state_of(workflow), State::cancelled);
  }
}

TEST_P(WorkflowEndContract, ByForceAllOfItEndsAtOnce) {
  const ExecutionId workflow = start();
  run(Say().task("a").child("pack"));
  const domain::AttemptId task = claim_one();
  const Lease child = activate("pack");
  signal(workflow, "go");
  const Lease lease = activate();

  EXPECT_EQ(cancel_by(workflow, true).kind, CancelAnswer::Kind::cancelled);

  for (const ExecutionId id : {workflow, made_by(workflow, 1), made_by(workflow, 2)})
    EXPECT_EQ(state_of(id), State::cancelled);
  EXPECT_EQ(complete(task).kind, AttemptAnswer::Kind::stale);
  EXPECT_EQ(answer(lease, Say().complete()).kind, AttemptAnswer::Kind::stale);
  EXPECT_EQ(answer(child, Say().complete()).kind, AttemptAnswer::Kind::stale);
  ASSERT_EQ(attempts(workflow).size(), 1u);
  EXPECT_EQ(attempts(workflow)[0].outcome, domain::AttemptOutcome::cancelled);
  EXPECT_EQ(store().audit(default_tenant, std::nullopt, 10).at(0).action, "task.cancel.force");
}

TEST_P(WorkflowEndContract, ForceEndsWhatACancellationHasOnlyAskedFor) {
  const ExecutionId workflow = start();
  run(Say().task("a"));
  claim_one();
  EXPECT_EQ(cancel_by(workflow).kind, CancelAnswer::Kind::requested);
  EXPECT_EQ(cancel_by(workflow).kind, CancelAnswer::Kind::requested);

  EXPECT_EQ(cancel_by(workflow, true).kind, CancelAnswer::Kind::cancelled);

  EXPECT_EQ(child_of(workflow, 1).state, State::cancelled);
  EXPECT_EQ(history(workflow, 2), "cancel_requested, cancel_requested, run_cancelled");
}

TEST_P(WorkflowEndContract, CancellingLeavesAloneWhatIsOnlyWaitedFor) {
  SubmitBuilder holder = task();
  holder.handler("charge").identity(domain::Mode::key, code::hash_of_key(default_tenant, "k")).with([](Submit& each) {
    each.spec.fingerprint = sha256("{}");
  });
  const ExecutionId other = create(holder).id;
  const ExecutionId workflow = start();
  run(Say().task_with_key("charge", "k"));
  EXPECT_EQ(child_of(workflow, 1).state, State::suspended);

  EXPECT_EQ(cancel_by(workflow).kind, CancelAnswer::Kind::cancelled);

  EXPECT_EQ(state_of(other), State::pending);
  work("1");
  EXPECT_EQ(child_of(workflow, 1).state, State::cancelled);
}

TEST_P(WorkflowEndContract, ADeadlineEndsAWorkflowInEveryState) {
  const ExecutionId pending = create(workflow_of("pending").deadline_after(1h)).id;
  const ExecutionId suspended = create(workflow_of("suspended").deadline_after(1h)).id;
  run(Say().task("a").timer(2h), "suspended");
  EXPECT_EQ(change_to(suspended)->timer, now() + 1h);
  const ExecutionId running = create(workflow_of("running").deadline_after(1h)).id;
  const Lease lease = activate("running", 1, 2h).at(0);
  EXPECT_EQ(lease.lease_until, now() + 1h);
  advance(1h);
  expire();

  for (const ExecutionId id : {pending, suspended, running}) {
    EXPECT_EQ(state_of(id), State::timed_out);
    EXPECT_NE(find(id)->error.value_or("").find("TIMED_OUT"), std::string::npos);
  }
  EXPECT_EQ(history(suspended, 3), "deadline_passed, task_cancelled a#1, run_timed_out");
  EXPECT_EQ(history(running, 1), "deadline_passed, run_timed_out");
  EXPECT_EQ(answer(lease, Say().complete()).kind, AttemptAnswer::Kind::stale);
  expire();
  EXPECT_TRUE(changes_.empty());
}

TEST_P(WorkflowEndContract, AClaimDoesNotGiveOutAWorkflowThatIsLate) {
  const ExecutionId workflow = create(workflow_of().deadline_after(1h)).id;
  advance(1h);

  EXPECT_TRUE(activate("order", 5).empty());
  EXPECT_EQ(state_of(workflow), State::timed_out);
}

TEST_P(WorkflowEndContract, ALateWorkflowWaitsForWhatRunsBelow) {
  const ExecutionId workflow = create(workflow_of().deadline_after(1h)).id;
  run(Say().task("a"));
  const domain::AttemptId task = claim_one(2h);
  advance(1h);
  expire();
  EXPECT_EQ(state_of(workflow), State::suspended);
  EXPECT_TRUE(heartbeat(task, 2h).should_cancel);
  expire();
  EXPECT_TRUE(changes_.empty());

  complete(task);

  EXPECT_EQ(state_of(workflow), State::timed_out);
}

TEST_P(WorkflowEndContract, WhatALateWorkflowBeganEndsWithItAlsoWhenItIsLateItself) {
  const ExecutionId workflow = create(workflow_of().deadline_after(2h)).id;
  code::StartChild child;
  child.kind = "pack";
  child.deadline_after = 3h;
  run(Say().promise(std::nullopt, 1h).promise(std::nullopt, 3h).command(child));
  run(Say().promise(std::nullopt, 3h), "pack");
  advance(4h);
  expire();

  EXPECT_EQ(state_of(workflow), State::timed_out);
  EXPECT_EQ(child_of(workflow, 1).state, State::timed_out);
  EXPECT_EQ(child_of(workflow, 2).state, State::cancelled);
  EXPECT_EQ(child_of(workflow, 3).state, State::cancelled);
  EXPECT_EQ(child_of(made_by(workflow, 3), 1).state, State::cancelled);
  EXPECT_EQ(store().next_timer(), std::nullopt);
}

TEST_P(WorkflowEndContract, AHistoryThatIsTooLongFailsItsWorkflow) {
  const ExecutionId workflow = start();
  run(Say().task("a"));
  const std::string large = "\"" + std::string(1'000'000, 'x') + "\"";
  int count = 0;
  while (state_of(workflow) != State::failed && count < 100) {
    signal(workflow, "s", large);
    ++count;
  }

  EXPECT_EQ(count, 53);
  EXPECT_NE(find(workflow)->error.value_or("").find("HISTORY_TOO_LONG"), std::string::npos);
  EXPECT_EQ(child_of(workflow, 1).state, State::cancelled);
  EXPECT_EQ(signal(workflow, "s"), SignalAnswer::Kind::closed);
}

TEST_P(WorkflowEndContract, AHistoryThatIsTooLongDuringAnActivationFailsItsWorkflowWithTheAnswer) {
  const ExecutionId workflow = start();
  const Lease lease = activate();
  const std::string large = "\"" + std::string(1'000'000, 'x') + "\"";
  for (int i = 0; i < 53; ++i) signal(workflow, "s", large);
  EXPECT_EQ(state_of(workflow), State::running);

  EXPECT_EQ(answer(lease, Say()).state, State::failed);
}

}  // namespace
}  // namespace semel::test
