#include "tests/contract/workflow_fixture.hpp"

namespace semel::test {
namespace {

/// Activations and their answers.
class ActivationContract : public WorkflowContract {};
SEMEL_ON_ALL_STORES(ActivationContract);

TEST_P(ActivationContract, AWorkflowIsReadyForWhoeverNamesItsKindAndForNobodyElse) {
  const Created created = create(workflow_of("order", R"({"id":7})"));
  EXPECT_TRUE(created.ready);
  EXPECT_EQ(state_of(created.id), State::pending);

  EXPECT_TRUE(claim(10).empty());
  EXPECT_TRUE(activate("other", 10).empty());
  const Lease lease = activate();

  EXPECT_EQ(lease.execution.spec.id, created.id);
  EXPECT_EQ(lease.execution.spec.context, R"({"id":7})");
  EXPECT_EQ(lease.execution.state, State::running);
  EXPECT_FALSE(lease.input.has_value());
  EXPECT_EQ(lease.activation->first_event, 1);
  EXPECT_EQ(lease.activation->seen, 0);
  EXPECT_EQ(lease.activation->last_command, 0);
  ASSERT_EQ(lease.activation->events.size(), 1u);
  EXPECT_EQ(lease.activation->events[0].event,
            (domain::HistoryEvent{HistoryKind::run_started, "", R"({"kind":"order","input":{"id":7}})"}));
}

TEST_P(ActivationContract, ATaskIsMadeWithTheAnswerAndItsEndWakesTheWorkflow) {
  const ExecutionId workflow = start();
  const AttemptAnswer answered = run(Say().task("charge"));
  EXPECT_EQ(answered.kind, AttemptAnswer::Kind::recorded);
  EXPECT_EQ(answered.execution_id, workflow);
  EXPECT_EQ(answered.state, State::suspended);
  EXPECT_EQ(change_to(workflow)->state, State::suspended);
  EXPECT_TRUE(attempts(workflow).empty());

  const domain::Execution task = child_of(workflow, 1);
  EXPECT_EQ(task.spec.handler, "charge");
  EXPECT_EQ(task.spec.step->run, workflow);
  EXPECT_EQ(task.spec.step->task_key, "charge#1");
  EXPECT_EQ(change_to(task.spec.id)->is_new, true);
  EXPECT_FALSE(is_ready());
  const std::vector<Lease> leases = claim(10);
  ASSERT_EQ(leases.size(), 1u);
  EXPECT_EQ(leases[0].execution.spec.context, "{}");
  EXPECT_FALSE(leases[0].input.has_value());
  complete(leases[0].attempt_id, R"({"receipt":1})");

  const std::optional<Change> woken = change_to(workflow);
  ASSERT_TRUE(woken.has_value());
  EXPECT_EQ(woken->state, State::pending);
  EXPECT_TRUE(woken->is_ready);
  const Lease next = activate();
  EXPECT_EQ(next.activation->seen, 2);
  EXPECT_EQ(next.activation->last_command, 1);
  ASSERT_EQ(next.activation->events.size(), 1u);
  EXPECT_EQ(next.activation->events[0].event,
            (domain::HistoryEvent{HistoryKind::task_completed, "charge#1", R"({"command":1,"result":{"receipt":1}})"}));
  EXPECT_EQ(answer(next, Say().complete(R"("shipped")")).state, State::completed);
  const domain::Execution ended = find(workflow).value();
  EXPECT_EQ(ended.state, State::completed);
  EXPECT_EQ(ended.result, R"("shipped")");
  EXPECT_TRUE(ended.closed_at.has_value());
  EXPECT_EQ(history(workflow), "run_started, task_scheduled charge#1, task_completed charge#1, run_completed");
}

TEST_P(ActivationContract, WhatHappensDuringAnActivationIsSeenByTheNextOne) {
  const ExecutionId workflow = start();
  run(Say().task("a").task("b"));
  const std::vector<Lease> tasks = claim(2);
  complete(tasks.at(0).attempt_id, "1");
  const Lease lease = activate();
  complete(tasks.at(1).attempt_id, "2");
  EXPECT_EQ(change_to(workflow), std::nullopt);

  EXPECT_EQ(answer(lease, Say().marker("seen", "1")).state, State::pending);

  const Lease next = activate();
  EXPECT_EQ(names_of(*next.activation), "task_completed, marker");
  EXPECT_EQ(next.activation->last_command, 3);
  EXPECT_EQ(answer(next, Say()).state, State::suspended);
}

TEST_P(ActivationContract, AnAnswerThatIsSentAgainIsAlreadyRecordedAndDoesNothing) {
  const ExecutionId workflow = start();
  const Lease lease = activate();
  const EndActivation end = answer_to(lease, Say().task("charge"));
  EXPECT_EQ(as<AttemptAnswer>(apply(end)).kind, AttemptAnswer::Kind::recorded);

  const AttemptAnswer again = as<AttemptAnswer>(apply(end));

  EXPECT_EQ(again.kind, AttemptAnswer::Kind::already_recorded);
  EXPECT_EQ(again.execution_id, workflow);
  EXPECT_EQ(again.state, State::suspended);
  EXPECT_TRUE(changes_.empty());
  EXPECT_EQ(history(workflow), "run_started, task_scheduled charge#1");
  work();
  run(Say().complete());
  EXPECT_EQ(as<AttemptAnswer>(apply(end)).kind, AttemptAnswer::Kind::stale);
}

TEST_P(ActivationContract, AnAnswerAfterItsLeaseHasEndedIsStaleAndTheNextOneCounts) {
  const ExecutionId workflow = start();
  const Lease lost = activate("order", 1, 10s).at(0);
  advance(10s);
  expire();
  EXPECT_EQ(state_of(workflow), State::pending);
  EXPECT_NE(find(workflow)->error.value_or("").find("LEASE_ENDED"), std::string::npos);
  const Lease next = activate();

  EXPECT_EQ(answer(lost, Say().task("never")).kind, AttemptAnswer::Kind::stale);
  EXPECT_EQ(answer(next, Say().task("charge")).kind, AttemptAnswer::Kind::recorded);

  EXPECT_EQ(history(workflow), "run_started, task_scheduled charge#1");
  EXPECT_EQ(find(workflow)->error, std::nullopt);
  const std::vector<domain::Attempt> left = attempts(workflow);
  ASSERT_EQ(left.size(), 1u);
  EXPECT_EQ(left[0].outcome, domain::AttemptOutcome::lease_ended);
  EXPECT_EQ(left[0].stale_results, 1);
}

TEST_P(ActivationContract, AFailedActivationIsTriedAgainForEverAfterLongerAndLongerPauses) {
  const ExecutionId workflow = create(workflow_of().retry({.max_attempts = 1})).id;
  for (const Duration pause : {1s, 2s, 4s, 8s, 16s, 32s, 60s, 60s}) {
    const Lease lease = activate();
    EXPECT_EQ(fail(lease.attempt_id).state, State::pending);
    EXPECT_EQ(find(workflow)->error, R"({"type":"BOOM","message":"x"})");
    EXPECT_EQ(find(workflow)->run_at, now() + pause);
    EXPECT_FALSE(is_ready());
    EXPECT_EQ(fail(lease.attempt_id).kind, AttemptAnswer::Kind::already_recorded);
    advance(pause);
    promote();
  }

  run(Say().timer(1h));
  EXPECT_EQ(find(workflow)->error, std::nullopt);
  signal(workflow, "go");
  fail(activate().attempt_id);
  EXPECT_EQ(find(workflow)->run_at, now() + 1s);  // they are counted from the last answer on
}

TEST_P(ActivationContract, AFailedActivationMayBeTriedAgainWhenItsWorkerSays) {
  const ExecutionId workflow = start();
  const Lease lease = activate();
  apply(Fail{std::string(default_tenant), lease.attempt_id, "{}", false, Duration(5min)});

  EXPECT_EQ(state_of(workflow), State::pending);
  EXPECT_EQ(find(workflow)->run_at, now() + 5min);
}

TEST_P(ActivationContract, AnActivationThatIsGivenBackIsAsIfItHadNotBeenGiven) {
  const ExecutionId workflow = start();
  const Lease lease = activate();
  apply(GiveBack{std::string(default_tenant), {lease.attempt_id}});

  EXPECT_EQ(state_of(workflow), State::pending);
  EXPECT_EQ(find(workflow)->error, std::nullopt);
  const Lease again = activate();
  EXPECT_EQ(again.activation->events.size(), 1u);
  fail(again.attempt_id);
  EXPECT_EQ(find(workflow)->run_at, now() + 1s);
}

TEST_P(ActivationContract, OnlyItsOwnCommandsEndAnActivationAndNothingElseIsEndedByThem) {
  const ExecutionId workflow = start();
  const Lease lease = activate();
  EXPECT_EQ(as<Rejected>(apply(Complete{std::string(default_tenant), lease.attempt_id, "1"})).error.code,
            ErrorCode::bad_request);
  EXPECT_EQ(state_of(workflow), State::running);
  EXPECT_EQ(heartbeat(lease.attempt_id, 60s).lease_until, now() + 60s);

  create(task());
  const domain::AttemptId plain = claim_one();
  EndActivation end = answer_to(lease, Say());
  end.attempt_id = plain;
  EXPECT_EQ(refusal_of(end).code, ErrorCode::bad_request);

  start("other");
  const Lease other = activate("other");
  end.attempt_id = other.attempt_id;
  EXPECT_EQ(refusal_of(end).code, ErrorCode::bad_request);
  end.attempt_id = ids_.attempt();
  EXPECT_EQ(as<AttemptAnswer>(apply(end)).kind, AttemptAnswer::Kind::stale);
  end.tenant = "nobody";
  EXPECT_EQ(as<AttemptAnswer>(apply(end)).kind, AttemptAnswer::Kind::stale);
}

TEST_P(ActivationContract, MarkersAreEventsAndTheStatusIsWhatWasSaidLast) {
  const ExecutionId workflow = start();
  EXPECT_EQ(read(workflow).status, std::nullopt);
  run(Say().marker("random", "42").status(R"({"step":1})"));
  EXPECT_EQ(detail(workflow, HistoryKind::marker), R"({"command":1,"name":"random","value":42})");
  EXPECT_EQ(read(workflow).status, R"({"step":1})");

  signal(workflow, "go");
  run(Say());
  EXPECT_EQ(read(workflow).status, R"({"step":1})");
  signal(workflow, "go");
  run(Say().status("2").complete());

  EXPECT_EQ(read(workflow).status, "2");
}

TEST_P(ActivationContract, AHistoryIsReadInPagesAndAnActivationBringsABoundedPartOfIt) {
  const ExecutionId workflow = start();
  const Lease lease = activate();
  Say many;
  for (std::size_t i = 0; i < domain::limits::activation_events_max + 5; ++i) signal(workflow, "s", std::to_string(i));
  answer(lease, many);

  const Lease next = activate();
  EXPECT_EQ(next.activation->events.size(), domain::limits::activation_events_max);
  EXPECT_EQ(next.activation->history_length, 1 + static_cast<std::int64_t>(domain::limits::activation_events_max) + 5);
  EXPECT_EQ(history(workflow, 0, 2), "run_started, signal_received");
  EXPECT_EQ(history(workflow, next.activation->history_length - 2), "signal_received, signal_received");
  EXPECT_EQ(history(workflow, next.activation->history_length), "");
  EXPECT_EQ(answer(next, Say()).state, State::pending);  // there was more than it was given
}

TEST_P(ActivationContract, AnActivationBringsAtLeastOneEventHoweverLargeItIs) {
  const ExecutionId workflow = start();
  run(Say());
  const std::string large = "\"" + std::string(900'000, 'x') + "\"";
  signal(workflow, "s", large);
  signal(workflow, "s", large);

  const Lease lease = activate();

  EXPECT_EQ(lease.activation->events.size(), 1u);
  EXPECT_EQ(answer(lease, Say()).state, State::pending);
}

TEST_P(ActivationContract, AWorkflowMayWaitForItsTimeAndIsActivatedThen) {
  const Created created = create(workflow_of().delay(1h));
  EXPECT_FALSE(created.ready);
  EXPECT_FALSE(is_ready());
  EXPECT_EQ(store().next_timer(), now() + 1h);
  EXPECT_EQ(signal(created.id, "early"), SignalAnswer::Kind::received);
  EXPECT_FALSE(is_ready());

  advance(1h);
  promote();

  ASSERT_EQ(ready_.size(), 1u);
  EXPECT_EQ(ready_[0].handler, "workflow:order");
  EXPECT_EQ(names_of(*activate().activation), "run_started, signal_received");
  EXPECT_NE(detail(created.id, HistoryKind::run_started).find(R"("run_at":)"), std::string::npos);
}

TEST_P(ActivationContract, AWorkflowIdIsAKeyLikeAnyOther) {
  const ExecutionId first = expect_created(with_id(workflow_of(), "order-1")).id;
  EXPECT_EQ(expect_held(with_id(workflow_of(), "order-1")).holder.id, first);
  run(Say().fail());
  EXPECT_EQ(state_of(first), State::failed);

  EXPECT_EQ(expect_created(with_id(workflow_of(), "order-1")).previous, first);
}

TEST_P(ActivationContract, WhatCannotBeAWorkflowIsRefused) {
  EXPECT_EQ(as<Rejected>(apply(workflow_of().concurrency_key("x").build())).error.code, ErrorCode::bad_request);
  EXPECT_EQ(as<Rejected>(apply(workflow_of().handler("order").build())).error.code, ErrorCode::bad_request);
}

TEST_P(ActivationContract, NeitherAWorkflowNorWhatItBeganIsTriedAgainByHand) {
  const ExecutionId workflow = start();
  run(Say().task("charge").promise());
  fail(claim_one());
  settle(made_by(workflow, 2), false);
  run(Say().fail());

  for (const ExecutionId id : {workflow, made_by(workflow, 1), made_by(workflow, 2)}) {
    const ReopenAnswer answer = as<ReopenAnswer>(apply(Reopen{std::string(default_tenant), id, "boss"}));
    EXPECT_EQ(answer.kind, ReopenAnswer::Kind::not_retryable);
    EXPECT_EQ(answer.state, State::failed);
    EXPECT_NE(answer.refusal, "");
  }
  const RetrySteps retry{std::string(default_tenant), workflow, {}, "boss", ""};
  EXPECT_EQ(as<RunAnswer>(apply(retry)).kind, RunAnswer::Kind::not_found);
}

TEST_P(ActivationContract, ActivationsAreNoTasksOfTheirQueue) {
  start();
  start();
  activate("order", 1);

  EXPECT_TRUE(store().queue_depths().empty());
}

TEST_P(ActivationContract, ActivationsAreGivenOutWithinTheLimitsOfTheirQueue) {
  domain::QueueOptions options;
  options.max_running = 1;
  put_queue(options);
  start();
  start();
  const std::vector<Lease> leases = activate("order", 5);
  ASSERT_EQ(leases.size(), 1u);
  EXPECT_TRUE(activate("order", 5).empty());
  answer(leases[0], Say());

  EXPECT_EQ(activate("order", 5).size(), 1u);
}

}  // namespace
}  // namespace semel::test
