#include <gtest/gtest.h>

#include "domain/workflow/code/cut_loose.hpp"
#include "tests/unit/domain/code_builders.hpp"

namespace semel::domain::code {
namespace {

ScheduleTask task_of(std::string handler) {
  ScheduleTask task;
  task.handler = std::move(handler);
  return task;
}

TEST(CodeActivation, BeginsWithTheInputInTheHistory) {
  Workflow workflow;
  workflow.spec.handler = "workflow:order";
  workflow.spec.context = R"({"a":1})";

  const Decision decision = start_workflow(workflow, test_now + 1h, test_now);

  ASSERT_EQ(decision.events.size(), 1u);
  EXPECT_EQ(decision.events[0].detail,
            R"({"kind":"order","input":{"a":1},"run_at":")" + to_rfc3339(test_now + 1h) + R"("})");
  EXPECT_EQ(workflow.facts.history_length, 1);
  EXPECT_EQ(workflow.facts.history_bytes, static_cast<std::int64_t>(decision.events[0].detail.size()));
  EXPECT_EQ(workflow.facts.seen, 0);
}

TEST(CodeActivation, WaitsWhenNothingIsLeftToBeSeenAndHasSeenWhatItWrote) {
  Workflow workflow = begun_workflow(State::running);
  const Decision decision =
      end_activation(workflow, TestData(), answer_of(workflow, {task_of("a"), StartTimer{}}), test_now).value();

  EXPECT_EQ(decision.next, Next::waits);
  EXPECT_EQ(workflow.state, State::suspended);
  EXPECT_EQ(names_of(decision), "task_scheduled, timer_started");
  EXPECT_EQ(workflow.facts.seen, 3);
  EXPECT_EQ(workflow.facts.last_command, 2);
  EXPECT_EQ(workflow.facts.open_children, 1);
  ASSERT_EQ(decision.make.size(), 1u);
  EXPECT_EQ(decision.make[0].spec.id, child_id(workflow.spec.id, 1));
  EXPECT_EQ(decision.start, (std::vector<NewTimer>{{2, test_now}}));
}

TEST(CodeActivation, IsReadyAgainWhenSomethingHappenedMeanwhile) {
  Workflow workflow = begun_workflow(State::running);
  const Answer answer = answer_of(workflow, {task_of("a")});
  signal_received(workflow, {"go", "1"});
  EXPECT_EQ(workflow.state, State::running);

  const Decision decision = end_activation(workflow, TestData(), answer, test_now).value();

  EXPECT_EQ(decision.next, Next::is_ready);
  EXPECT_EQ(workflow.facts.seen, 1);
}

TEST(CodeActivation, RefusesCommandsThatAreNotThoseRecorded) {
  Workflow workflow = begun_workflow(State::running);
  workflow.facts.last_command = 2;
  TestData data;
  data.records = {{1, {HistoryKind::task_scheduled, "a#1", R"({"command":1,"handler":"a"})"}},
                  {2, {HistoryKind::timer_cancelled, "", R"({"command":2,"target":1})"}}};
  data.input = "{}";
  Answer answer = answer_of(workflow);
  answer.commands = {{1, task_of("a")}, {2, CancelEarlier{1}}, {3, RecordMarker{"m", "1"}}};
  Workflow accepted = workflow;
  const Decision decision = end_activation(accepted, data, answer, test_now).value();
  EXPECT_EQ(names_of(decision), "marker");

  const auto code_of = [&](const Answer& other) {
    Workflow copy = workflow;
    const auto refused = end_activation(copy, data, other, test_now);
    return refused ? ErrorCode::internal : refused.error().code;
  };
  Answer other_kind = answer;
  other_kind.commands[0].what = CreatePromise{};
  EXPECT_EQ(code_of(other_kind), ErrorCode::failed_precondition);
  Answer other_handler = answer;
  other_handler.commands[0].what = task_of("b");
  EXPECT_EQ(code_of(other_handler), ErrorCode::failed_precondition);
  Answer other_target = answer;
  other_target.commands[1].what = CancelEarlier{0};
  EXPECT_EQ(code_of(other_target), ErrorCode::failed_precondition);
  Answer other_input = answer;
  std::get<ScheduleTask>(other_input.commands[0].what).context = R"({"sum":2})";
  EXPECT_EQ(code_of(other_input), ErrorCode::failed_precondition);
  Answer gap = answer;
  gap.commands = {{4, task_of("a")}};
  EXPECT_EQ(code_of(gap), ErrorCode::failed_precondition);
  data.records.erase(2);
  EXPECT_EQ(code_of(answer), ErrorCode::failed_precondition);
}

TEST(CodeActivation, RefusesMoreOpenChildrenThanAreAllowed) {
  Workflow workflow = begun_workflow(State::running);
  workflow.facts.open_children = limits::open_children_max;
  EXPECT_TRUE(end_activation(workflow, TestData(), answer_of(workflow, {StartTimer{}}), test_now).has_value());
  workflow.state = State::running;

  const auto refused = end_activation(workflow, TestData(), answer_of(workflow, {task_of("a")}), test_now);

  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code, ErrorCode::bad_request);
}

TEST(CodeActivation, CancelsATimerOfTheSameAnswerOnce) {
  Workflow workflow = begun_workflow(State::running);
  const Decision decision =
      end_activation(workflow, TestData(), answer_of(workflow, {StartTimer{}, CancelEarlier{1}, CancelEarlier{1}}),
                     test_now)
          .value();

  EXPECT_EQ(names_of(decision), "timer_started, timer_cancelled, task_cancel_requested");
  EXPECT_EQ(decision.stop, std::vector<std::int64_t>{1});
}

TEST(CodeActivation, FailsAWorkflowWhoseHistoryIsTooLong) {
  Workflow workflow = begun_workflow(State::running);
  workflow.facts.history_length = limits::history_events_max;
  Workflow renewed = workflow;
  const Decision decision = end_activation(workflow, TestData(), answer_of(workflow, {task_of("a")}), test_now).value();
  ASSERT_TRUE(decision.end.has_value());
  EXPECT_EQ(decision.end->state, State::failed);
  EXPECT_TRUE(decision.cancel_all);
  EXPECT_EQ(decision.make.size(), 1u);

  Answer answer = answer_of(renewed, {task_of("a")});
  answer.conclusion = ContinueAsNew{"1", {}};
  EXPECT_FALSE(end_activation(renewed, TestData(), answer, test_now)->end.has_value());
  EXPECT_EQ(renewed.facts.first_event, limits::history_events_max + 2);
}

TEST(CodeActivation, ContinuesWithTheSignalsThatNobodyTook) {
  Workflow workflow = begun_workflow(State::running);
  workflow.facts.open_children = 3;
  workflow.facts.last_command = 7;
  TestData data;
  data.signals = {R"({"name":"unseen","value":1})"};
  Answer answer = answer_of(workflow);
  answer.conclusion = ContinueAsNew{"2", {{"untaken", "0"}}};

  const Decision decision = end_activation(workflow, data, answer, test_now).value();

  EXPECT_EQ(names_of(decision), "continued, signal_received, signal_received");
  EXPECT_EQ(decision.events[0].detail, R"({"command":7,"input":2})");
  EXPECT_EQ(decision.events[2].detail, data.signals[0]);
  EXPECT_EQ(decision.input, "2");
  EXPECT_EQ(decision.next, Next::is_ready);
  EXPECT_TRUE(decision.cancel_all && decision.stop_all);
  EXPECT_EQ(workflow.facts.open_children, 3) << "whoever cuts children loose counts them out";
  EXPECT_EQ(workflow.facts.first_command, 8);
  EXPECT_EQ(workflow.facts.first_event, 2);
  EXPECT_EQ(workflow.facts.seen, 1);
}

TEST(CodeActivation, CountsOutWhatIsCutLooseUnlessThatWasDoneBefore) {
  Workflow workflow = begun_workflow();
  workflow.facts.open_children = 3;
  cut_loose(workflow.facts, 1);
  EXPECT_EQ(workflow.facts.open_children, 2);

  TestData data;
  data.abandoned = 1;
  cancel_workflow(workflow, data, {});
  cut_loose(workflow.facts, 1);
  EXPECT_EQ(workflow.facts.open_children, 1);
}

TEST(CodeActivation, IsTriedAgainLaterAndLaterUpToAMinute) {
  EXPECT_EQ(activation_pause(0), Duration(1s));
  EXPECT_EQ(activation_pause(1), Duration(1s));
  EXPECT_EQ(activation_pause(2), Duration(2s));
  EXPECT_EQ(activation_pause(6), Duration(32s));
  EXPECT_EQ(activation_pause(7), Duration(60s));
  EXPECT_EQ(activation_pause(1'000'000), Duration(60s));

  Execution workflow;
  workflow.attempt = 5;
  workflow.uncounted_attempts = 3;
  workflow.run_at = test_now - 1h;
  EXPECT_EQ(next_activation(workflow, {AttemptOutcome::failed}, test_now).run_at, test_now + 2s);
  EXPECT_EQ(next_activation(workflow, {AttemptOutcome::timed_out}, test_now).run_at, test_now + 2s);
  EXPECT_EQ(next_activation(workflow, {AttemptOutcome::failed, true, Duration(9s)}, test_now).run_at, test_now + 9s);
  EXPECT_EQ(next_activation(workflow, {AttemptOutcome::lease_ended}, test_now).run_at, test_now);
  const Trial given_back = next_activation(workflow, {AttemptOutcome::undelivered}, test_now);
  EXPECT_EQ(given_back.run_at, workflow.run_at);
  EXPECT_FALSE(given_back.counts);
}

TEST(CodeActivation, ThatIsLostAfterTheDeadlineEndsTheWorkflowOrWaitsForWhatRuns) {
  for (const std::int64_t open : {0, 1}) {
    Workflow workflow = begun_workflow(State::running);
    workflow.facts.open_children = open;
    const Decision decision = activation_failed(workflow, TestData(), test_now, true);
    EXPECT_EQ(decision.end.has_value(), open == 0);
    EXPECT_EQ(decision.next, open == 0 ? Next::as_it_is : Next::waits);
    EXPECT_EQ(workflow.facts.phase, open == 0 ? RunPhase::closed : RunPhase::out_of_time);
  }
}

}  // namespace
}  // namespace semel::domain::code
