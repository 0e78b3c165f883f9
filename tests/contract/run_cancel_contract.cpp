#include "tests/contract/run_fixture.hpp"

namespace semel::test {
namespace {

using Keys = std::vector<std::string>;

/// Cancelling and deadlines flow down.
class RunCancelContract : public RunContract {
 protected:
  /// Two steps that run at once, and one that waits for both.
  std::vector<domain::Step> fork() { return {Builder("a"), Builder("b"), Builder("c", {"a", "b"})}; }
};
SEMEL_ON_ALL_STORES(RunCancelContract);

TEST_P(RunCancelContract, ARunWithNothingRunningIsCancelledAtOnce) {
  const ExecutionId run = start(fork());

  const CancelAnswer answer = cancel_by(run);

  EXPECT_EQ(answer.kind, CancelAnswer::Kind::cancelled);
  EXPECT_EQ(answer.state, State::cancelled);
  EXPECT_EQ(states(run), "a=cancelled b=cancelled c=cancelled(run_cancelled)");
  EXPECT_EQ(state_of(task_in(run, "a")), State::cancelled);
  EXPECT_EQ(find(run).value().closed_at, now());
  EXPECT_EQ(entry_of(run, HistoryKind::cancel_requested).value().event.detail, R"({"by":"boss","why":"enough"})");
  EXPECT_TRUE(lease_all().empty());
  EXPECT_EQ(cancel_by(run).kind, CancelAnswer::Kind::already_closed);
}

TEST_P(RunCancelContract, RunningTasksAreAskedAndTheRunEndsWithTheLast) {
  const ExecutionId run = start(fork());
  lease_all();

  const CancelAnswer answer = cancel_by(run);

  EXPECT_EQ(answer.kind, CancelAnswer::Kind::requested);
  EXPECT_EQ(answer.state, State::suspended);
  EXPECT_TRUE(find(run).value().cancel_requested);
  EXPECT_TRUE(heartbeat(lease_of("a").attempt_id).should_cancel);
  EXPECT_EQ(states(run), "a=scheduled b=scheduled c=cancelled(run_cancelled)");
  EXPECT_EQ(give_up("a").state, State::cancelled);
  EXPECT_EQ(state_of(run), State::suspended);
  EXPECT_EQ(finish("b").state, State::completed);
  EXPECT_EQ(state_of(run), State::cancelled);
}

TEST_P(RunCancelContract, ForceEndsRunningTasksToo) {
  const ExecutionId run = start(fork());
  lease_all();
  cancel_by(run);

  EXPECT_EQ(cancel_by(run, true).kind, CancelAnswer::Kind::cancelled);

  EXPECT_EQ(state_of(run), State::cancelled);
  EXPECT_EQ(state_of(task_in(run, "a")), State::cancelled);
  EXPECT_EQ(finish("a").kind, AttemptAnswer::Kind::stale);
  const std::vector<AuditEntry> audited = store().audit(default_tenant, std::nullopt, 10);
  ASSERT_EQ(audited.size(), 1u);
  EXPECT_EQ(audited[0].action, "task.cancel.force");
  EXPECT_EQ(audited[0].subject, run.text());
}

TEST_P(RunCancelContract, TheHistoryTellsWhoAskedAndWhoInsisted) {
  const ExecutionId run = start({Builder("a")});
  lease_all();
  const auto cancel_for = [&](std::string by, std::string why, bool force) {
    apply(Cancel{std::string(default_tenant), run, force, std::move(by), std::move(why)});
  };

  cancel_for("alice", "wrong order", false);
  cancel_for("alice", "still wrong", false);
  cancel_for("bob", "it hangs", true);

  std::vector<std::string> told;
  for (const HistoryEntry& entry : store().history(default_tenant, run, 0, 100)) {
    if (entry.event.kind == HistoryKind::cancel_requested) told.push_back(entry.event.detail);
  }
  EXPECT_EQ(told,
            (std::vector<std::string>{R"({"by":"alice","why":"wrong order"})", R"({"by":"bob","why":"it hangs"})"}));
}

TEST_P(RunCancelContract, ARunThatHasNotBegunNeverBegins) {
  const ExecutionId run = create(run_of(fork()).delay(10s)).id;

  EXPECT_EQ(cancel_by(run).kind, CancelAnswer::Kind::cancelled);

  advance(10s);
  promote();
  EXPECT_TRUE(lease_all().empty());
  EXPECT_EQ(state_of(run), State::cancelled);
  EXPECT_EQ(store().next_timer(), std::nullopt);
  EXPECT_EQ(retry_steps(run).kind, RunAnswer::Kind::done);
  EXPECT_EQ(lease_all(), (Keys{"a", "b"}));
}

TEST_P(RunCancelContract, ACancelledRunCanBeRetried) {
  const ExecutionId run = start(fork());
  lease_all();
  finish("a", "1");
  cancel_by(run, true);

  EXPECT_EQ(retry_steps(run).kind, RunAnswer::Kind::done);

  EXPECT_FALSE(find(run).value().cancel_requested);
  EXPECT_EQ(states(run), "a=completed b=scheduled c=waiting");
  work_off();
  EXPECT_EQ(state_of(run), State::completed);
}

TEST_P(RunCancelContract, ARunThatIsBeingCancelledIsNotRetried) {
  const ExecutionId run = start(fork());
  lease_all();
  give_up("a");
  cancel_by(run);

  EXPECT_EQ(retry_steps(run, {"a"}).kind, RunAnswer::Kind::refused);
  EXPECT_EQ(reopen_task(task_in(run, "a")).kind, ReopenAnswer::Kind::not_retryable);
}

TEST_P(RunCancelContract, ARunWhoseStepsAllCompleteAllTheSameHasCompleted) {
  const ExecutionId run = start({Builder("a")});
  lease_all();
  cancel_by(run);

  finish("a", "1");

  EXPECT_EQ(state_of(run), State::completed);
}

TEST_P(RunCancelContract, CancellingATaskFailsItsStepOnly) {
  const ExecutionId run = start({Builder("a"), Builder("b"), Builder("after_a", {"a"}), Builder("after_b", {"b"})});

  EXPECT_EQ(cancel_by(task_in(run, "a")).kind, CancelAnswer::Kind::cancelled);

  EXPECT_EQ(states(run), "a=cancelled b=scheduled after_a=cancelled(upstream_failed) after_b=waiting");
  const domain::HistoryEvent asked = entry_of(run, HistoryKind::cancel_requested).value().event;
  EXPECT_EQ(asked.task_key, "a");
  EXPECT_EQ(asked.detail, R"({"by":"boss","why":"enough"})");
  work_off();
  EXPECT_EQ(state_of(run), State::failed);
}

TEST_P(RunCancelContract, AskingAgainForTheEndOfATaskIsToldWhenItIsByForce) {
  const ExecutionId run = start({Builder("a")});
  lease_all();

  EXPECT_EQ(cancel_by(task_in(run, "a")).kind, CancelAnswer::Kind::requested);
  EXPECT_EQ(cancel_by(task_in(run, "a")).kind, CancelAnswer::Kind::requested);
  EXPECT_EQ(cancel_by(task_in(run, "a"), true).kind, CancelAnswer::Kind::cancelled);

  EXPECT_EQ(history(run),
            "run_started, task_scheduled a, cancel_requested a, cancel_requested a, task_cancelled a, run_failed");
}

TEST_P(RunCancelContract, AnUndeliveredLeaseOfACancelledRunEndsIt) {
  const ExecutionId run = start({Builder("a")});
  lease_all();
  cancel_by(run);

  apply(GiveBack{std::string(default_tenant), {lease_of("a").attempt_id}});

  EXPECT_EQ(state_of(run), State::cancelled);
}

TEST_P(RunCancelContract, APassedDeadlineCancelsWhatIsLeft) {
  const ExecutionId run = create(run_of(fork()).deadline_after(10s)).id;
  EXPECT_EQ(change_to(run).value().timer, now() + 10s);
  EXPECT_EQ(store().next_timer(), now() + 10s);
  claim(1, 60s);
  advance(10s);

  EXPECT_FALSE(expire().more);

  EXPECT_EQ(state_of(run), State::suspended);  // one task still runs
  EXPECT_TRUE(find(run).value().cancel_requested);
  EXPECT_EQ(store().next_timer(), now() + 50s);  // its lease; the run is not late again
  expire();
  EXPECT_TRUE(changes_.empty());
  advance(50s);
  expire();
  const domain::Execution ended = find(run).value();
  EXPECT_EQ(ended.state, State::timed_out);
  EXPECT_EQ(ended.error, R"({"type":"TIMED_OUT","message":"the deadline passed before all steps had ended"})");
}

TEST_P(RunCancelContract, ADeadlineBeforeTheBeginningTimesTheRunOut) {
  const ExecutionId run = create(run_of(fork()).delay(60s).deadline_after(10s)).id;
  advance(10s);

  expire();

  EXPECT_EQ(state_of(run), State::timed_out);
  EXPECT_EQ(states(run), "a=cancelled(run_cancelled) b=cancelled(run_cancelled) c=cancelled(run_cancelled)");
}

TEST_P(RunCancelContract, ALateRunCanBeRetriedWithoutItsDeadline) {
  const ExecutionId run = create(run_of(fork()).deadline_after(10s)).id;
  advance(10s);
  expire();
  EXPECT_EQ(state_of(run), State::timed_out);

  EXPECT_EQ(retry_steps(run).kind, RunAnswer::Kind::done);

  EXPECT_EQ(find(run).value().deadline, std::nullopt);
  EXPECT_FALSE(expire().more);
  work_off();
  EXPECT_EQ(state_of(run), State::completed);
}

}  // namespace
}  // namespace semel::test
