#include "tests/contract/workflow_fixture.hpp"

namespace semel::test {
namespace {

/// What activations say, and what is made of it.
class WorkflowCommandContract : public WorkflowContract {};
SEMEL_ON_ALL_STORES(WorkflowCommandContract);

TEST_P(WorkflowCommandContract, WhatATaskIsMadeOfIsSaidByTheCommandAndElseByTheWorkflow) {
  const ExecutionId workflow = create(workflow_of().priority(5).created_by("key-1").queue("orders")).id;
  Claim claim_orders = claim_of(ids_, 1);
  claim_orders.queues = {"orders"};
  claim_orders.handlers = {"workflow:order"};
  const Lease lease = as<Claimed>(apply(claim_orders)).leases.at(0);
  code::ScheduleTask task;
  task.handler = "charge";
  task.context = R"({"sum":1})";
  task.timeout = 7s;
  task.delay = 1min;
  task.deadline_after = 1h;
  task.priority = -3;
  task.head_start = 5s;
  task.retry.max_attempts = 9;
  task.labels = {{"a", "b"}};
  task.concurrency_key = "one";
  answer(lease, Say().task("plain").command(task));

  const domain::Execution plain = child_of(workflow, 1);
  EXPECT_EQ(plain.spec.queue, "orders");
  EXPECT_EQ(plain.spec.priority, 5);
  EXPECT_EQ(plain.spec.created_by, "key-1");
  const domain::Execution special = child_of(workflow, 2);
  EXPECT_EQ(special.spec.context, R"({"sum":1})");
  EXPECT_EQ(special.spec.timeout, Duration(7s));
  EXPECT_EQ(special.run_at, now() + 1min);
  EXPECT_EQ(special.deadline, now() + 1h);
  EXPECT_EQ(special.spec.priority, -3);
  EXPECT_EQ(special.spec.head_start, Duration(5s));
  EXPECT_EQ(special.spec.retry.max_attempts, 9);
  EXPECT_EQ(special.spec.labels, (domain::Labels{{"a", "b"}}));
  EXPECT_EQ(special.spec.concurrency_key, "one");
  EXPECT_EQ(change_to(special.spec.id)->timer, now() + 1min);
}

TEST_P(WorkflowCommandContract, CommandsThatWereRecordedAreLeftOutAndOthersWithTheirNumbersAreRefused) {
  const ExecutionId workflow = start();
  run(Say().task("a").timer(1h).promise().marker("m", "1").cancel(2).cancel(1).child("pack"));
  cancel_by(made_by(workflow, 7), true);
  const Lease lease = activate();
  const std::string before = history(workflow);

  EndActivation same = answer_to(lease, Say());
  same.answer =
      Say().task("a").timer(1h).promise().marker("m", "1").cancel(2).cancel(1).child("pack").task("new").after(
          0, seen_by(lease));
  EndActivation other = same;
  other.answer.commands.front().what = code::StartTimer{};
  EXPECT_EQ(refusal_of(other).code, ErrorCode::failed_precondition);
  const auto expect_refused = [&](std::size_t at, auto what) {
    EndActivation changed = same;
    changed.answer.commands.at(at).what = std::move(what);
    EXPECT_EQ(refusal_of(changed).code, ErrorCode::failed_precondition) << at;
  };
  expect_refused(0, code::ScheduleTask{.handler = "b"});
  expect_refused(0, code::ScheduleTask{.handler = "a", .context = "7"});
  expect_refused(0, code::ScheduleTask{.handler = "a", .key = "k"});
  expect_refused(2, code::CreatePromise{.key = "k"});
  expect_refused(3, code::RecordMarker{"m", "2"});
  expect_refused(4, code::CancelEarlier{3});
  expect_refused(6, code::StartChild{.kind = "ship"});
  EndActivation gap = answer_to(lease, Say().task("late"));
  gap.answer.commands.front().number += 1;
  EXPECT_EQ(refusal_of(gap).code, ErrorCode::failed_precondition);
  EndActivation unordered = answer_to(lease, Say().task("one").task("two"));
  unordered.answer.commands.back().number += 1;
  EXPECT_EQ(refusal_of(unordered).code, ErrorCode::failed_precondition);
  EndActivation unseen = answer_to(lease, Say());
  unseen.answer.seen += 1;
  EXPECT_EQ(refusal_of(unseen).code, ErrorCode::failed_precondition);
  unseen.answer.seen = lease.activation->seen - 1;
  EXPECT_EQ(refusal_of(unseen).code, ErrorCode::failed_precondition);
  EXPECT_EQ(history(workflow), before);
  EXPECT_EQ(state_of(workflow), State::running);

  EXPECT_EQ(as<AttemptAnswer>(apply(same)).kind, AttemptAnswer::Kind::recorded);
  EXPECT_EQ(history(workflow), before + ", task_scheduled new#8");
}

TEST_P(WorkflowCommandContract, WhatIsTooMuchIsRefusedAndNothingHasChanged) {
  const ExecutionId workflow = start();
  const Lease lease = activate();
  Say many;
  for (std::size_t i = 0; i <= domain::limits::activation_commands_max; ++i) many.marker("m", "1");
  EXPECT_EQ(refusal_of(answer_to(lease, many)).code, ErrorCode::bad_request);
  const std::string large = "\"" + std::string(domain::limits::workflow_value_bytes_max, 'x') + "\"";
  EXPECT_EQ(refusal_of(answer_to(lease, Say().marker("m", large))).code, ErrorCode::payload_too_large);
  EXPECT_EQ(refusal_of(answer_to(lease, Say().complete(large))).code, ErrorCode::payload_too_large);
  EXPECT_EQ(refusal_of(answer_to(lease, Say().status(large))).code, ErrorCode::payload_too_large);
  EXPECT_EQ(refusal_of(answer_to(lease, Say().continue_as_new(large))).code, ErrorCode::payload_too_large);
  EXPECT_EQ(refusal_of(answer_to(lease, Say().task_with_key("a", "k", code::KeyConflict::attach, "{"))).code,
            ErrorCode::bad_request);
  EXPECT_EQ(refusal_of(answer_to(lease, Say().cancel(1))).code, ErrorCode::bad_request);

  EXPECT_EQ(history(workflow), "run_started");
  EXPECT_EQ(answer(lease, Say().complete()).kind, AttemptAnswer::Kind::recorded);
}

}  // namespace
}  // namespace semel::test
