#include "tests/contract/workflow_fixture.hpp"

namespace semel::test {
namespace {

/// Child workflows, and keys of what workflows begin (DESIGN §3.6).
class WorkflowChildContract : public WorkflowContract {
 protected:
  SubmitBuilder payment(const std::string& context = "{}") {
    SubmitBuilder submit = task();
    submit.handler("charge")
        .context(context)
        .identity(domain::Mode::key, code::hash_of_key(default_tenant, "payment-7"))
        .with([&](Submit& each) {
          each.spec.key = "payment-7";
          each.spec.fingerprint = sha256(context);
        });
    return submit;
  }
};
SEMEL_ON_ALL_STORES(WorkflowChildContract);

TEST_P(WorkflowChildContract, AChildRunsByItselfAndItsParentLearnsItsResult) {
  const ExecutionId parent = start();
  code::StartChild asked;
  asked.kind = "pack";
  asked.input = R"({"box":1})";
  run(Say().command(asked));
  EXPECT_EQ(history(parent), "run_started, child_started workflow:pack#1");
  const ExecutionId child = made_by(parent, 1);
  EXPECT_EQ(detail(parent, HistoryKind::child_started),
            fmt::format(R"({{"command":1,"kind":"pack","key":"{}/1"}})", parent.text()));
  EXPECT_EQ(find(child)->spec.key, parent.text() + "/1");

  const Lease lease = activate("pack");
  EXPECT_EQ(lease.execution.spec.id, child);
  EXPECT_EQ(lease.execution.spec.context, R"({"box":1})");
  EXPECT_EQ(detail(child, HistoryKind::run_started),
            fmt::format(R"({{"kind":"pack","input":{{"box":1}},"parent":"{}"}})", parent.text()));
  answer(lease, Say().complete("2"));

  EXPECT_EQ(detail(parent, HistoryKind::task_completed), R"({"command":1,"result":2})");
  EXPECT_EQ(change_to(parent)->state, State::pending);
  EXPECT_EQ(run(Say().complete()).state, State::completed);
}

TEST_P(WorkflowChildContract, AParentLearnsThatItsChildFailedWasCancelledOrTimedOut) {
  const ExecutionId parent = start();
  code::StartChild late;
  late.kind = "late";
  late.deadline_after = 1h;
  run(Say().child("bad").child("stopped").command(late));
  run(Say().fail(), "bad");
  EXPECT_EQ(detail(parent, HistoryKind::task_failed), R"({"command":1,"error":{"type":"BAD","message":"no"}})");
  EXPECT_EQ(cancel_by(made_by(parent, 2)).kind, CancelAnswer::Kind::cancelled);
  EXPECT_EQ(detail(parent, HistoryKind::task_cancelled), R"({"command":2})");
  advance(1h);
  expire();
  EXPECT_EQ(state_of(made_by(parent, 3)), State::timed_out);
  EXPECT_NE(detail(parent, HistoryKind::task_timed_out).find(R"({"command":3,"error":)"), std::string::npos);
  EXPECT_EQ(read(parent).facts.open_children, 0);
}

TEST_P(WorkflowChildContract, AHeldWorkflowIdFailsTheChildUnlessItIsMadeWithout) {
  const ExecutionId other = create(with_id(workflow_of("pack"), "pack-1")).id;
  const ExecutionId parent = start();
  run(Say().child("pack", "pack-1"));
  EXPECT_EQ(state_of(made_by(parent, 1)), State::failed);
  EXPECT_FALSE(store().workflow(default_tenant, made_by(parent, 1)).has_value());
  EXPECT_NE(detail(parent, HistoryKind::task_failed).find("IDEMPOTENCY_KEY_CONFLICT"), std::string::npos);

  code::StartChild apart;
  apart.kind = "pack";
  apart.workflow_id = "pack-1";
  apart.on_conflict = code::KeyConflict::warn_and_create;
  run(Say().command(apart));

  EXPECT_EQ(state_of(made_by(parent, 2)), State::pending);
  EXPECT_EQ(activate("pack", 5).size(), 2u);
  EXPECT_EQ(find_holder(code::hash_of_key(default_tenant, "pack-1"))->holder.id, other);
  apart.on_conflict = code::KeyConflict::attach;
  signal(parent, "go");
  EXPECT_EQ(refusal_of(answer_to(activate(), Say().command(apart))).code, ErrorCode::bad_request);
}

TEST_P(WorkflowChildContract, AChildThatEndsIsFreeToBeStartedAgainUnderItsId) {
  const ExecutionId parent = start();
  run(Say().child("pack", "pack-1"));
  run(Say().fail(), "pack");
  run(Say().child("pack", "pack-1"));

  EXPECT_EQ(find(made_by(parent, 2))->previous, made_by(parent, 1));
  EXPECT_EQ(state_of(made_by(parent, 2)), State::pending);
}

TEST_P(WorkflowChildContract, AChildMayHaveChildrenAndAllAreCancelledWithTheRoot) {
  const ExecutionId parent = start();
  run(Say().child("pack"));
  const ExecutionId child = made_by(parent, 1);
  run(Say().task("tape").child("label"), "pack");
  run(Say().promise(), "label");

  EXPECT_EQ(cancel_by(parent).kind, CancelAnswer::Kind::cancelled);

  const ExecutionId grandchild = made_by(child, 2);
  for (const ExecutionId id : {parent, child, made_by(child, 1), grandchild, made_by(grandchild, 1)})
    EXPECT_EQ(state_of(id), State::cancelled);
  EXPECT_EQ(history(parent, 2), "cancel_requested, task_cancelled workflow:pack#1, run_cancelled");
}

TEST_P(WorkflowChildContract, AnAbandonedChildGoesOnWhenItsParentEnds) {
  for (const bool cancelled : {false, true}) {
    const ExecutionId parent = start();
    run(Say().child("pack", std::nullopt, true).child("stays"));
    const ExecutionId child = made_by(parent, 1);
    if (cancelled) {
      EXPECT_EQ(cancel_by(parent).kind, CancelAnswer::Kind::cancelled);
    } else {
      signal(parent, "end");
      EXPECT_EQ(run(Say().complete()).state, State::completed);
    }
    EXPECT_EQ(state_of(made_by(parent, 2)), State::cancelled);
    EXPECT_EQ(state_of(child), State::pending);
    EXPECT_EQ(find(child)->spec.step, std::nullopt);
    EXPECT_EQ(remove(parent), Removed::Kind::removed);

    EXPECT_EQ(run(Say().complete("1"), "pack").state, State::completed);

    EXPECT_EQ(find(child)->result, "1");
    EXPECT_NE(remove(child), Removed::Kind::goes_with_its_run);
  }
}

TEST_P(WorkflowChildContract, AParentWaitsForAnAbandonedChildWhileItIsOpen) {
  const ExecutionId parent = start();
  run(Say().child("pack", std::nullopt, true));
  run(Say().complete("1"), "pack");

  EXPECT_EQ(detail(parent, HistoryKind::task_completed), R"({"command":1,"result":1})");
  EXPECT_TRUE(is_ready());
}

TEST_P(WorkflowChildContract, ACancelOfTheCodeReachesTasksPromisesAndChildren) {
  const ExecutionId parent = start();
  run(Say().task("waits").task("runs").promise().child("pack").cancel(1));
  EXPECT_EQ(child_of(parent, 1).state, State::cancelled);
  EXPECT_EQ(detail(parent, HistoryKind::task_cancel_requested), R"({"command":5,"target":1})");
  EXPECT_EQ(detail(parent, HistoryKind::task_cancelled), R"({"command":1})");
  const domain::AttemptId runs = claim_one();

  run(Say().cancel(2).cancel(3).cancel(4));

  EXPECT_EQ(child_of(parent, 2).state, State::running);
  EXPECT_TRUE(heartbeat(runs).should_cancel);
  EXPECT_EQ(child_of(parent, 3).state, State::cancelled);
  EXPECT_EQ(child_of(parent, 4).state, State::cancelled);
  EXPECT_EQ(state_of(parent), State::pending);
  fail(runs);
  EXPECT_EQ(child_of(parent, 2).state, State::cancelled);
  EXPECT_EQ(read(parent).facts.open_children, 0);
}

TEST_P(WorkflowChildContract, ATaskIsAttachedToTheOpenHolderOfItsKeyAndGetsItsResult) {
  create(payment());
  const ExecutionId workflow = start();
  run(Say().task_with_key("charge", "payment-7"));
  EXPECT_EQ(child_of(workflow, 1).state, State::suspended);
  EXPECT_EQ(history(workflow, 2), "task_attached charge#1");
  EXPECT_EQ(state_of(workflow), State::suspended);

  work(R"("receipt")");

  EXPECT_EQ(child_of(workflow, 1).result, R"("receipt")");
  EXPECT_EQ(detail(workflow, HistoryKind::task_completed), R"({"command":1,"result":"receipt"})");
  EXPECT_EQ(names_of(*activate().activation), "task_attached, task_completed");
}

TEST_P(WorkflowChildContract, AnAttachedTaskTakesOverWhenTheHolderDoesNotComplete) {
  create(payment());
  const ExecutionId workflow = start();
  run(Say().task_with_key("charge", "payment-7"));

  fail(claim_one());

  EXPECT_EQ(child_of(workflow, 1).state, State::pending);
  EXPECT_EQ(state_of(workflow), State::suspended);
  work("1");
  EXPECT_EQ(child_of(workflow, 1).result, "1");
}

TEST_P(WorkflowChildContract, TheResultOfACompletedHolderIsTakenAtOnce) {
  create(payment());
  work("1");
  const ExecutionId workflow = start();
  run(Say().task_with_key("charge", "payment-7"));

  EXPECT_EQ(child_of(workflow, 1).state, State::completed);
  EXPECT_EQ(state_of(workflow), State::pending);
  EXPECT_EQ(names_of(*activate().activation), "task_completed");
}

TEST_P(WorkflowChildContract, AHolderOfAnotherHandlerOrContextFailsTheTask) {
  create(payment(R"({"sum":1})"));
  const ExecutionId workflow = start();
  run(Say()
          .task_with_key("other", "payment-7")
          .task_with_key("charge", "payment-7")
          .task_with_key("charge", "payment-7", code::KeyConflict::attach, R"({ "sum": 1.0 })"));

  EXPECT_NE(child_of(workflow, 1).error.value_or("").find("IDEMPOTENCY_KEY_CONFLICT"), std::string::npos);
  EXPECT_NE(child_of(workflow, 2).error.value_or("").find("IDEMPOTENCY_KEY_MISMATCH"), std::string::npos);
  EXPECT_EQ(child_of(workflow, 3).state, State::suspended);
}

TEST_P(WorkflowChildContract, AResultThatIsNotKeptAnyMoreFailsTheTask) {
  const ExecutionId holder = create(payment()).id;
  work("1");
  remove(holder);
  const ExecutionId workflow = start();
  run(Say().task_with_key("charge", "payment-7"));

  EXPECT_NE(child_of(workflow, 1).error.value_or("").find("RESULT_EXPIRED"), std::string::npos);
}

TEST_P(WorkflowChildContract, ATaskMayFailOrGoWithoutItsKeyInstead) {
  const ExecutionId holder = create(payment()).id;
  const ExecutionId workflow = start();
  run(Say()
          .task_with_key("charge", "payment-7", code::KeyConflict::fail)
          .task_with_key("charge", "payment-7", code::KeyConflict::warn_and_create));

  EXPECT_NE(child_of(workflow, 1).error.value_or("").find("IDEMPOTENCY_KEY_CONFLICT"), std::string::npos);
  const domain::Execution apart = child_of(workflow, 2);
  EXPECT_EQ(apart.state, State::pending);
  EXPECT_EQ(apart.spec.key, "payment-7");
  EXPECT_EQ(apart.spec.identity.mode, domain::Mode::none);
  EXPECT_EQ(history(workflow, 3), "key_conflict charge#2, task_failed charge#1");
  EXPECT_EQ(find_holder(code::hash_of_key(default_tenant, "payment-7"))->holder.id, holder);
}

TEST_P(WorkflowChildContract, ATaskThatHoldsItsKeyMakesOthersDuplicates) {
  const ExecutionId workflow = start();
  run(Say().task_with_key("charge", "payment-7"));

  EXPECT_EQ(expect_held(payment()).holder.id, made_by(workflow, 1));
  const ExecutionId other = start("other");
  run(Say().task_with_key("charge", "payment-7"), "other");
  EXPECT_EQ(child_of(other, 1).state, State::suspended);
  work("1");
  EXPECT_EQ(child_of(other, 1).result, "1");
}

TEST_P(WorkflowChildContract, WhatAWorkflowBeganIsListedAsItsOwn) {
  const ExecutionId workflow = start();
  run(Say().task("a").promise().child("pack"));
  ListQuery query{std::string(default_tenant)};
  query.run = workflow;

  const Page page = store().list(query).value();

  std::vector<std::string> keys;
  for (const domain::Execution& each : page.executions) keys.push_back(each.spec.step->task_key);
  EXPECT_EQ(keys, (std::vector<std::string>{"workflow:pack#3", "promise#2", "a#1"}));
}

}  // namespace
}  // namespace semel::test
