#include "tests/contract/workflow_fixture.hpp"

namespace semel::test {
namespace {

/// Timers and signals of code workflows.
class WorkflowTimerContract : public WorkflowContract {};
SEMEL_ON_ALL_STORES(WorkflowTimerContract);

TEST_P(WorkflowTimerContract, ATimerFiresWhenItsTimeHasComeAndWakesItsWorkflow) {
  const ExecutionId workflow = start();
  run(Say().timer(1h));
  EXPECT_EQ(change_to(workflow)->timer, now() + 1h);
  EXPECT_EQ(store().next_timer(), now() + 1h);
  EXPECT_EQ(read(workflow).timers, (std::vector<OpenTimer>{{1, now() + 1h}}));
  EXPECT_EQ(detail(workflow, HistoryKind::timer_started),
            fmt::format(R"({{"command":1,"fire_at":"{}"}})", to_rfc3339(now() + 1h)));
  advance(1h - 1ms);
  promote();
  EXPECT_FALSE(is_ready());

  advance(1ms);
  EXPECT_FALSE(promote().more);

  EXPECT_EQ(change_to(workflow)->state, State::pending);
  EXPECT_TRUE(read(workflow).timers.empty());
  EXPECT_EQ(store().next_timer(), std::nullopt);
  EXPECT_EQ(detail(workflow, HistoryKind::timer_fired), R"({"command":1})");
  promote();
  EXPECT_TRUE(changes_.empty());
  EXPECT_EQ(names_of(*activate().activation), "timer_fired");
}

TEST_P(WorkflowTimerContract, TimersOfAllWorkflowsFireTheEarliestFirstAndSoManyAtATime) {
  const ExecutionId one = start("one");
  run(Say().timer(2s).timer(1s), "one");
  const ExecutionId other = start("other");
  const Time at = now() + 3s;
  run(Say().command(code::StartTimer{at, 0s}), "other");
  create(task().delay(1s));
  advance(1min);

  EXPECT_TRUE(promote(2).more);  // the task, and the first timer
  EXPECT_EQ(history(one, 3), "timer_fired");
  EXPECT_EQ(detail(one, HistoryKind::timer_fired), R"({"command":2})");
  EXPECT_TRUE(promote(2).more);
  EXPECT_EQ(detail(one, HistoryKind::timer_fired), R"({"command":1})");
  EXPECT_EQ(detail(other, HistoryKind::timer_fired), R"({"command":1})");
  EXPECT_FALSE(promote(2).more);
}

TEST_P(WorkflowTimerContract, ACancelledTimerNeverFires) {
  const ExecutionId workflow = start();
  run(Say().timer(1h).timer(2h).cancel(1));

  EXPECT_EQ(history(workflow), "run_started, timer_started, timer_started, timer_cancelled");
  EXPECT_EQ(detail(workflow, HistoryKind::timer_cancelled), R"({"command":3,"target":1})");
  EXPECT_EQ(read(workflow).timers, (std::vector<OpenTimer>{{2, now() + 2h}}));
  signal(workflow, "go");
  run(Say().cancel(2));
  advance(24h);
  promote();
  EXPECT_EQ(detail(workflow, HistoryKind::timer_fired), "there is none");
  EXPECT_EQ(state_of(workflow), State::suspended);
}

TEST_P(WorkflowTimerContract, CancellingWhatHasEndedIsRecordedAndDoesNothing) {
  const ExecutionId workflow = start();
  run(Say().timer(1s).task("a"));
  advance(1s);
  promote();
  work("1");
  run(Say().cancel(1).cancel(2));

  EXPECT_EQ(history(workflow, 5), "task_cancel_requested, task_cancel_requested");
  EXPECT_EQ(child_of(workflow, 2).state, State::completed);
  EXPECT_EQ(state_of(workflow), State::suspended);
}

TEST_P(WorkflowTimerContract, TimersFireWhileTheWorkflowIsActivatedAndAreSeenByTheNextActivation) {
  const ExecutionId workflow = start();
  run(Say().timer(10s).timer(20s));
  advance(10s);
  promote();
  const Lease lease = activate();
  advance(10s);
  promote();
  EXPECT_EQ(change_to(workflow), std::nullopt);

  EXPECT_EQ(answer(lease, Say()).state, State::pending);
  EXPECT_EQ(names_of(*activate().activation), "timer_fired");
}

TEST_P(WorkflowTimerContract, ASignalIsKeptAlsoWhenNobodyWaitsForIt) {
  const ExecutionId workflow = start();
  EXPECT_EQ(signal(workflow, "paid", R"({"sum":1})"), SignalAnswer::Kind::received);
  EXPECT_TRUE(changes_.empty());
  const Lease lease = activate();
  EXPECT_EQ(names_of(*lease.activation), "run_started, signal_received");
  EXPECT_EQ(signal(workflow, "paid", "2"), SignalAnswer::Kind::received);
  EXPECT_EQ(answer(lease, Say()).state, State::pending);
  EXPECT_EQ(run(Say()).state, State::suspended);

  EXPECT_EQ(signal(workflow, "paid", "3"), SignalAnswer::Kind::received);

  EXPECT_EQ(change_to(workflow)->state, State::pending);
  EXPECT_EQ(detail(workflow, HistoryKind::signal_received), R"({"name":"paid","value":3})");
}

TEST_P(WorkflowTimerContract, ASignalWithAKeyIsReceivedOnceForItsName) {
  const ExecutionId workflow = start();
  EXPECT_EQ(signal(workflow, "paid", "1", "k"), SignalAnswer::Kind::received);
  EXPECT_EQ(signal(workflow, "paid", "2", "k"), SignalAnswer::Kind::already_received);
  EXPECT_EQ(signal(workflow, "other", "3", "k"), SignalAnswer::Kind::received);
  EXPECT_EQ(signal(workflow, "paid", "4", "l"), SignalAnswer::Kind::received);
  EXPECT_EQ(signal(workflow, "paid", "5"), SignalAnswer::Kind::received);
  EXPECT_EQ(signal(workflow, "paid", "5"), SignalAnswer::Kind::received);
  EXPECT_EQ(read(workflow).facts.history_length, 6);
  const ExecutionId another = start("another");
  EXPECT_EQ(signal(another, "paid", "1", "k"), SignalAnswer::Kind::received);

  run(Say().complete());
  EXPECT_EQ(signal(workflow, "paid", "1", "k"), SignalAnswer::Kind::already_received);
  EXPECT_EQ(signal(workflow, "paid", "6", "m"), SignalAnswer::Kind::closed);
  EXPECT_EQ(signal(workflow, "paid"), SignalAnswer::Kind::closed);
}

TEST_P(WorkflowTimerContract, OnlyACodeWorkflowOfTheTenantIsSignalled) {
  const ExecutionId workflow = start();
  EXPECT_EQ(signal(create(task()).id, "go"), SignalAnswer::Kind::not_found);
  EXPECT_EQ(signal(ids_.execution(), "go"), SignalAnswer::Kind::not_found);
  EXPECT_EQ(as<SignalAnswer>(apply(SignalWorkflow{"nobody", workflow, {"go", "1"}})).kind,
            SignalAnswer::Kind::not_found);
  EXPECT_EQ(history(workflow), "run_started");
}

}  // namespace
}  // namespace semel::test
