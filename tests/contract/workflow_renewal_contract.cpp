#include <gmock/gmock.h>

#include "tests/contract/workflow_fixture.hpp"

namespace semel::test {
namespace {

/// Continuing as new, and how code workflows leave the store.
class WorkflowRenewalContract : public WorkflowContract {};
SEMEL_ON_ALL_STORES(WorkflowRenewalContract);

TEST_P(WorkflowRenewalContract, TheSameExecutionGoesOnWithAnotherInputAndAnEmptyHistory) {
  const ExecutionId workflow = create(with_id(workflow_of("order", "1"), "order-1")).id;
  run(Say().task("a"));
  work("1");
  const AttemptAnswer answered = run(Say().marker("m", "1").continue_as_new("2"));
  EXPECT_EQ(answered.state, State::pending);

  const Lease lease = activate();
  EXPECT_EQ(lease.execution.spec.id, workflow);
  EXPECT_EQ(lease.execution.spec.context, "2");
  EXPECT_EQ(lease.activation->first_event, 5);
  EXPECT_EQ(lease.activation->seen, 4);
  EXPECT_EQ(lease.activation->last_command, 2);
  ASSERT_EQ(lease.activation->events.size(), 1u);
  EXPECT_EQ(lease.activation->events[0].event,
            (domain::HistoryEvent{HistoryKind::continued, "", R"({"command":2,"input":2})"}));
  EXPECT_EQ(read(workflow).facts.history_bytes, 23);
  EXPECT_EQ(expect_held(with_id(workflow_of("order", "1"), "order-1")).holder.id, workflow);
  answer(lease, Say().task("a"));
  EXPECT_EQ(child_of(workflow, 3).spec.step->task_key, "a#3");
  work();
  EXPECT_EQ(run(Say().complete()).state, State::completed);
}

TEST_P(WorkflowRenewalContract, WhatWasOpenIsCancelledAndItsEndIsNoEventAnyMore) {
  const ExecutionId workflow = start();
  run(Say().task("runs").task("waits").timer(1h).promise().child("pack", std::nullopt, true));
  const domain::AttemptId runs = lease("runs");
  signal(workflow, "renew");
  run(Say().continue_as_new("1"));

  for (const std::int64_t command : {2, 4}) EXPECT_EQ(child_of(workflow, command).state, State::cancelled);
  EXPECT_TRUE(heartbeat(runs).should_cancel);
  EXPECT_TRUE(read(workflow).timers.empty());
  EXPECT_EQ(find(made_by(workflow, 5))->spec.step, std::nullopt);
  EXPECT_EQ(read(workflow).facts.open_children, 1);
  EXPECT_EQ(names_of(*activate().activation), "continued");
  complete(runs, "1");
  EXPECT_EQ(child_of(workflow, 1).state, State::completed);
  EXPECT_EQ(read(workflow).facts.open_children, 0);
  EXPECT_EQ(detail(workflow, HistoryKind::task_completed), "there is none");
}

TEST_P(WorkflowRenewalContract, WhatAnEarlierGenerationBeganCannotBeCancelledByTheCode) {
  start();
  run(Say().timer(1h).continue_as_new("1"));

  const Lease lease = activate();
  EXPECT_EQ(refusal_of(answer_to(lease, Say().cancel(1))).code, ErrorCode::bad_request);
  EndActivation again = answer_to(lease, Say());
  again.answer.commands = {{1, code::StartTimer{}}};
  EXPECT_EQ(refusal_of(again).code, ErrorCode::failed_precondition);
}

TEST_P(WorkflowRenewalContract, SignalsThatNobodyTookFollow) {
  const ExecutionId workflow = start();
  const Lease lease = activate();
  signal(workflow, "unseen", "2", "k");
  answer(lease, Say().continue_as_new("1", {{"untaken", "1"}}));

  const Lease next = activate();
  EXPECT_EQ(names_of(*next.activation), "continued, signal_received, signal_received");
  EXPECT_EQ(next.activation->events[1].event.detail, R"({"name":"untaken","value":1})");
  EXPECT_EQ(next.activation->events[2].event.detail, R"({"name":"unseen","value":2})");
  EXPECT_EQ(signal(workflow, "unseen", "2", "k"), SignalAnswer::Kind::already_received);
}

TEST_P(WorkflowRenewalContract, ARenewedWorkflowIsCancelledWithWhatStillRunsOfItsEarlierGeneration) {
  const ExecutionId workflow = start();
  run(Say().task("runs"));
  const domain::AttemptId runs = claim_one();
  signal(workflow, "renew");
  run(Say().continue_as_new("1"));
  run(Say());

  EXPECT_EQ(cancel_by(workflow).kind, CancelAnswer::Kind::requested);
  complete(runs);
  EXPECT_EQ(state_of(workflow), State::cancelled);
}

TEST_P(WorkflowRenewalContract, AChildThatIsAbandonedInTheSameAnswerIsNotWaitedFor) {
  const ExecutionId workflow = start();
  run(Say().child("pack", std::nullopt, true).task("a").continue_as_new("1"));

  EXPECT_EQ(read(workflow).facts.open_children, 0);
  EXPECT_EQ(find(made_by(workflow, 1))->spec.step, std::nullopt);
  EXPECT_EQ(child_of(workflow, 2).state, State::cancelled);
  run(Say());
  EXPECT_EQ(cancel_by(workflow).kind, CancelAnswer::Kind::cancelled);
  EXPECT_EQ(state_of(workflow), State::cancelled);
  EXPECT_EQ(run(Say().complete(), "pack").state, State::completed);
}

TEST_P(WorkflowRenewalContract, AChildThatIsAbandonedInTheSameAnswerAndFailsAtOnceIsCountedOnce) {
  create(with_id(workflow_of("pack"), "pack-1"));
  const ExecutionId workflow = start();
  run(Say().child("pack", "pack-1", true).task("runs"));
  const domain::AttemptId runs = lease("runs");
  EXPECT_EQ(read(workflow).facts.open_children, 1);
  run(Say().child("pack", "pack-1", true).child("pack", "pack-2", true).continue_as_new("1"));

  EXPECT_EQ(child_of(workflow, 3).state, State::failed);
  EXPECT_EQ(find(made_by(workflow, 4))->spec.step, std::nullopt);
  EXPECT_EQ(read(workflow).facts.open_children, 1);
  run(Say());
  EXPECT_EQ(cancel_by(workflow).kind, CancelAnswer::Kind::requested);
  complete(runs);
  EXPECT_EQ(state_of(workflow), State::cancelled);
}

TEST_P(WorkflowRenewalContract, AWorkflowLeavesWithAllThatItBegan) {
  const ExecutionId workflow = start();
  run(Say().task_with_key("a", "k").child("pack").timer(1h));
  const ExecutionId child = made_by(workflow, 2);
  run(Say().promise().task("b"), "pack");
  signal(workflow, "go", "1", "k");
  EXPECT_EQ(remove(workflow), Removed::Kind::still_open);
  EXPECT_EQ(cancel_by(workflow, true).kind, CancelAnswer::Kind::cancelled);
  for (const ExecutionId id : {made_by(workflow, 1), child, made_by(child, 1)})
    EXPECT_EQ(remove(id), Removed::Kind::goes_with_its_run);

  EXPECT_EQ(remove(workflow), Removed::Kind::removed);

  for (const ExecutionId id : {workflow, made_by(workflow, 1), child, made_by(child, 1), made_by(child, 2)})
    EXPECT_FALSE(find(id).has_value());
  EXPECT_FALSE(store().workflow(default_tenant, workflow).has_value());
  EXPECT_FALSE(store().workflow(default_tenant, child).has_value());
  EXPECT_EQ(history(workflow), "");
  EXPECT_EQ(history(child), "");
  EXPECT_TRUE(find_tombstone(made_by(workflow, 1)).has_value());
}

TEST_P(WorkflowRenewalContract, AWorkflowStaysWhileSomethingBelowItIsOpen) {
  const ExecutionId workflow = start();
  run(Say().child("pack"));
  const ExecutionId child = made_by(workflow, 1);
  run(Say().task("b"), "pack");
  const domain::AttemptId task = claim_one(100 * 24h);
  signal(workflow, "end");
  run(Say().complete());
  EXPECT_EQ(state_of(child), State::suspended);
  advance(60 * 24h);
  EXPECT_EQ(remove(workflow), Removed::Kind::still_open);
  EXPECT_EQ(as<Swept>(apply(Sweep{})).executions, 0);
  EXPECT_EQ(complete(task).kind, AttemptAnswer::Kind::recorded);
  EXPECT_EQ(state_of(child), State::cancelled);

  EXPECT_EQ(remove(workflow), Removed::Kind::removed);
}

TEST_P(WorkflowRenewalContract, AQueueThatKeepsNothingForgetsAWorkflowWithItsEnd) {
  domain::QueueOptions options;
  options.retention = Duration{0};
  put_queue(options);
  const ExecutionId workflow = start();
  run(Say().task("a").task("b"));
  complete(lease("a"), "1");
  EXPECT_EQ(child_of(workflow, 1).state, State::completed);
  const EndActivation end = answer_to(activate(), Say().complete("2"));
  const Applied applied = store().apply(std::vector<Command>{end});

  EXPECT_FALSE(find(workflow).has_value());
  EXPECT_FALSE(find(made_by(workflow, 1)).has_value());
  std::vector<ExecutionId> gone;
  for (const domain::Execution& each : applied.gone) gone.push_back(each.spec.id);
  EXPECT_THAT(gone, testing::UnorderedElementsAre(workflow, made_by(workflow, 2)));
}

TEST_P(WorkflowRenewalContract, AQueueThatKeepsNothingKeepsAWorkflowWhileSomethingBelowItRuns) {
  domain::QueueOptions options;
  options.retention = Duration{0};
  put_queue(options);
  const ExecutionId workflow = start();
  run(Say().task("a"));
  const domain::AttemptId task = claim_one();
  signal(workflow, "end");
  run(Say().complete());
  EXPECT_EQ(state_of(workflow), State::completed);
  EXPECT_EQ(complete(task).kind, AttemptAnswer::Kind::recorded);

  apply(Sweep{});

  EXPECT_FALSE(find(workflow).has_value());
  EXPECT_FALSE(find(made_by(workflow, 1)).has_value());
}

class WorkflowSweepContract : public WorkflowContract {};
SEMEL_ON_STORES_THAT_SWEEP_ONE_BY_ONE(WorkflowSweepContract);

TEST_P(WorkflowSweepContract, AWorkflowIsKeptAsLongAsARunAndWhatItBeganAsLongAsItself) {
  const ExecutionId workflow = start();
  run(Say().child("pack").promise());
  run(Say().complete(), "pack");
  settle(made_by(workflow, 2));
  advance(40 * 24h);
  EXPECT_EQ(as<Swept>(apply(Sweep{})).executions, 0);
  run(Say().complete());
  advance(domain::default_run_retention - 1ms);
  EXPECT_EQ(as<Swept>(apply(Sweep{})).executions, 0);

  advance(1ms);

  EXPECT_EQ(as<Swept>(apply(Sweep{})).executions, 3);
  EXPECT_FALSE(find(workflow).has_value());
}

TEST_P(WorkflowSweepContract, APromiseFromOutsideIsKeptAsATaskIs) {
  SubmitBuilder promise = task();
  promise.handler(code::promise_handler).with([](Submit& each) { each.spec.kind = domain::Kind::promise; });
  const ExecutionId id = create(promise).id;
  settle(id);
  advance(domain::default_task_retention);

  EXPECT_EQ(as<Swept>(apply(Sweep{})).executions, 1);
}

}  // namespace
}  // namespace semel::test
