#include <gtest/gtest.h>

#include "domain/workflow/step_id.hpp"
#include "tests/unit/domain/code_builders.hpp"

namespace semel::domain::code {
namespace {

TEST(CodeNames, TellWhatBelongsToCode) {
  EXPECT_EQ(handler_of_workflow("order"), "workflow:order");
  EXPECT_EQ(kind_of_workflow("workflow:order"), "order");
  EXPECT_TRUE(is_workflow_handler("workflow:order"));
  EXPECT_FALSE(is_workflow_handler("workflow"));
  EXPECT_EQ(child_key("charge", 7), "charge#7");
  EXPECT_EQ(command_of("charge#7"), 7);
  EXPECT_EQ(command_of("workflow:pack#12"), 12);
  for (const std::string_view step : {"charge", "mail[17]", "charge#", "charge#x", "charge#7x", ""})
    EXPECT_EQ(command_of(step), std::nullopt) << step;
}

TEST(CodeNames, GiveEachCommandAnIdOfItsOwnThatBeginsWithTheTimeOfItsWorkflow) {
  const Workflow workflow = begun_workflow();
  const ExecutionId one = child_id(workflow.spec.id, 1);
  EXPECT_NE(one, child_id(workflow.spec.id, 2));
  EXPECT_EQ(one, step_execution_id(workflow.spec.id, "#1"));
  EXPECT_TRUE(std::equal(one.uuid.bytes.begin(), one.uuid.bytes.begin() + 6, workflow.spec.id.uuid.bytes.begin()));
}

TEST(CodeWorkflow, IsWokenByWhatHappensOnlyWhenItWaits) {
  for (const State state : {State::pending, State::running, State::suspended}) {
    Workflow workflow = begun_workflow(state);
    workflow.facts.open_children = 1;
    const Next expected = state == State::suspended ? Next::is_ready : Next::as_it_is;
    Workflow copy = workflow;
    EXPECT_EQ(signal_received(copy, {"go", "1"}).next, expected);
    copy = workflow;
    EXPECT_EQ(timer_fired(copy, 1).next, expected);
    copy = workflow;
    EXPECT_EQ(child_closed(copy, "a#1", {State::completed, "1", std::nullopt}).next, expected);
    EXPECT_EQ(copy.facts.open_children, 0);
  }
}

TEST(CodeWorkflow, IsChangedByNothingOnceItIsClosed) {
  Workflow workflow = begun_workflow(State::completed);
  workflow.facts.phase = RunPhase::closed;
  const Facts before = workflow.facts;
  for (const Decision& decision :
       {signal_received(workflow, {"go", "1"}), timer_fired(workflow, 1),
        child_closed(workflow, "a#1", {State::completed, "1", std::nullopt}), cancel_workflow(workflow, TestData(), {}),
        activation_failed(workflow, TestData(), test_now, true)}) {
    EXPECT_TRUE(decision.events.empty());
    EXPECT_FALSE(decision.end.has_value());
  }
  EXPECT_EQ(workflow.facts, before);
}

TEST(CodeWorkflow, SaysHowAChildEnded) {
  Workflow workflow = begun_workflow();
  workflow.facts.open_children = 4;
  const auto event_of = [&](State state, std::optional<std::string> result, std::optional<std::string> error) {
    const HistoryEvent event = child_closed(workflow, "a#3", {state, std::move(result), std::move(error)}).events.at(0);
    return std::string(name_of(event.kind)) + " " + event.task_key + " " + event.detail;
  };
  EXPECT_EQ(event_of(State::completed, "1", std::nullopt), R"(task_completed a#3 {"command":3,"result":1})");
  EXPECT_EQ(event_of(State::completed, std::nullopt, std::nullopt), R"(task_completed a#3 {"command":3})");
  EXPECT_EQ(event_of(State::failed, std::nullopt, "{}"), R"(task_failed a#3 {"command":3,"error":{}})");
  EXPECT_EQ(event_of(State::cancelled, std::nullopt, std::nullopt), R"(task_cancelled a#3 {"command":3})");
}

TEST(CodeWorkflow, IsCancelledAtOnceWhenNothingRunsAndElseWithTheLastThatDoes) {
  struct Case {
    State state;
    std::int64_t open;
    bool ends;
    Next next;
  };
  for (const Case& each :
       {Case{State::pending, 0, true, Next::as_it_is}, Case{State::suspended, 0, true, Next::as_it_is},
        Case{State::running, 0, false, Next::as_it_is}, Case{State::pending, 1, false, Next::waits},
        Case{State::suspended, 1, false, Next::as_it_is}, Case{State::running, 1, false, Next::as_it_is}}) {
    Workflow workflow = begun_workflow(each.state);
    workflow.facts.open_children = each.open;
    const Decision decision = cancel_workflow(workflow, TestData(), {});
    EXPECT_EQ(decision.end.has_value(), each.ends);
    EXPECT_EQ(decision.next, each.next);
    EXPECT_EQ(decision.cancel_all, each.open > 0);
    EXPECT_TRUE(decision.stop_all);
    EXPECT_FALSE(decision.stops_activation);
  }
}

TEST(CodeWorkflow, ThatIsBeingCancelledClosesWithItsLastChild) {
  for (const WhyCancelled why : {WhyCancelled::asked_for, WhyCancelled::deadline}) {
    Workflow workflow = begun_workflow();
    workflow.facts.open_children = 3;
    TestData data;
    data.abandoned = 1;
    EXPECT_FALSE(cancel_workflow(workflow, data, {why, {}, false}).end.has_value());
    EXPECT_FALSE(child_closed(workflow, "a#1", {State::completed, {}, {}}).end.has_value());
    const Decision last = child_closed(workflow, "b#2", {State::cancelled, {}, {}});
    ASSERT_TRUE(last.end.has_value());
    EXPECT_EQ(last.end->state, why == WhyCancelled::deadline ? State::timed_out : State::cancelled);
  }
}

TEST(CodeWorkflow, EndsAtOnceByForceWhateverRuns) {
  for (const State state : {State::pending, State::running, State::suspended}) {
    Workflow workflow = begun_workflow(state);
    workflow.facts.open_children = 2;
    cancel_workflow(workflow, TestData(), {});
    const Decision decision = cancel_workflow(workflow, TestData(), {WhyCancelled::asked_for, {}, true});
    EXPECT_EQ(names_of(decision), "cancel_requested, run_cancelled");
    EXPECT_EQ(decision.stops_activation, state == State::running);
    EXPECT_TRUE(decision.cancel_all);
  }
}

TEST(CodeWorkflow, KnowsWhichCommandAnEventRecords) {
  EXPECT_EQ(command_recorded_by({HistoryKind::task_scheduled, "a#7", R"({"command":7,"handler":"a"})"}), 7);
  EXPECT_EQ(command_recorded_by({HistoryKind::timer_cancelled, "", R"({"command":8,"target":7})"}), 8);
  EXPECT_EQ(command_recorded_by({HistoryKind::task_completed, "a#7", R"({"command":7})"}), std::nullopt);
  EXPECT_EQ(command_recorded_by({HistoryKind::marker, "", "{}"}), std::nullopt);
}

TEST(CodeKeys, AreJudgedAsTheCommandSays) {
  ExecutionSpec child;
  child.id = ExecutionId{{{9}}};
  child.key = "k";
  child.handler = "charge";
  Holder holder;
  holder.id = ExecutionId{{{1}}};
  holder.handler = "charge";
  const auto answer = [&](KeyConflict on_conflict, Reuse reuse = Reuse::allow_duplicate_failed_only) {
    return judge_child_key(&holder, child, {on_conflict, reuse}, test_now).answer;
  };
  EXPECT_EQ(judge_child_key(nullptr, child, {KeyConflict::fail}, test_now).answer, KeyAnswer::claim);
  EXPECT_EQ(answer(KeyConflict::attach), KeyAnswer::attach);
  EXPECT_EQ(answer(KeyConflict::fail), KeyAnswer::fail);
  EXPECT_EQ(answer(KeyConflict::warn_and_create), KeyAnswer::apart);
  holder.state = State::completed;
  holder.closed_at = test_now;
  holder.window = {Window::Kind::forever, {}};
  EXPECT_EQ(answer(KeyConflict::attach), KeyAnswer::take_result);
  EXPECT_EQ(answer(KeyConflict::fail), KeyAnswer::fail);
  EXPECT_EQ(answer(KeyConflict::attach, Reuse::allow_duplicate), KeyAnswer::claim);
  holder.state = State::failed;
  for (const KeyConflict each : {KeyConflict::attach, KeyConflict::fail, KeyConflict::warn_and_create})
    EXPECT_EQ(answer(each), KeyAnswer::claim);
  EXPECT_EQ(answer(KeyConflict::attach, Reuse::reject_duplicate), KeyAnswer::fail);
}

TEST(CodeKeys, AreHeldForTheTimeThatTheCommandSaysOrForThatOfTheQueue) {
  Workflow workflow = begun_workflow(State::running);
  ScheduleTask task{.handler = "charge", .key = "t"};
  StartChild child{.kind = "pack", .workflow_id = "c"};
  CreatePromise promise{.key = "p"};
  const Answer usual = answer_of(workflow, {task, child, promise});
  task.ttl = child.ttl = promise.ttl = 60s;
  Answer timed = answer_of(workflow, {task, child, promise});

  const Decision as_usual = end_activation(workflow, TestData(), usual, test_now).value();
  workflow = begun_workflow(State::running);
  const Decision with_times = end_activation(workflow, TestData(), timed, test_now).value();

  ASSERT_EQ(with_times.make.size(), 3u);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(as_usual.make[i].spec.window.kind, Window::Kind::after_closing);
    EXPECT_EQ(with_times.make[i].spec.window, (Window{Window::Kind::after_creation, 60s}));
  }
}

TEST(CodeRetry, IsRefusedForWorkflowsAndWhatTheyBegan) {
  ExecutionSpec spec;
  spec.handler = "charge";
  EXPECT_EQ(refusal_of_retry(spec), nullptr);
  spec.step = StepOf{{}, "charge", {}};
  EXPECT_EQ(refusal_of_retry(spec), nullptr);
  spec.step->task_key = "charge#1";
  EXPECT_NE(refusal_of_retry(spec), nullptr);
  spec.step.reset();
  spec.kind = Kind::workflow;
  EXPECT_EQ(refusal_of_retry(spec), nullptr);  // a run of steps
  spec.handler = "workflow:order";
  EXPECT_NE(refusal_of_retry(spec), nullptr);
  spec.kind = Kind::promise;
  EXPECT_NE(refusal_of_retry(spec), nullptr);
}

}  // namespace
}  // namespace semel::domain::code
