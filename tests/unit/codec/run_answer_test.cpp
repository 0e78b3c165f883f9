#include "api/codec/run_answer.hpp"

#include <gtest/gtest.h>

#include "api/codec/answers.hpp"
#include "domain/workflow/step_task.hpp"
#include "tests/support/steps.hpp"

/// What is told of runs, byte for byte.
namespace semel::codec {
namespace {

using Builder = semel::test::StepBuilder;
using domain::StepState;

const domain::ExecutionId run_id = *domain::ExecutionId::parse("019bddae-b818-7d82-b7c5-bd42e5db27fc");

/// list → mail (for each) → report, and a step that somebody resolved.
engine::RunView view() {
  engine::RunView view;
  view.run.graph = std::make_shared<const domain::Graph>(
      std::vector<domain::Step>{Builder("list"), Builder("mail", {"list"}).for_each("list", "/users"),
                                Builder("report", {"mail"}), Builder("paid")});
  view.run.facts.steps.resize(4);
  view.run.facts.steps[0] = {StepState::completed, true, {}};
  view.run.facts.steps[1] = {StepState::scheduled,
                             true,
                             {domain::ItemState::completed, domain::ItemState::scheduled, domain::ItemState::held}};
  view.run.facts.steps[3] = {StepState::resolved, false, {}};
  view.run.outcomes.push_back({3, R"({"in": "cash"})", std::nullopt});
  view.tasks.resize(4);
  return view;
}

std::string steps_of(const engine::RunView& view) {
  json::Writer writer;
  writer.begin_object();
  write_steps(writer, run_id, view);
  return writer.end_object().take();
}

TEST(RunAnswer, ShowsEachStepAsItIs) {
  const std::string list = domain::step_execution_id(run_id, "list").text();

  EXPECT_EQ(
      steps_of(view()),
      R"({"step_count":4,"steps":[)"
      R"({"name":"list","handler":"do_list","queue":"default","depends_on":[],"status":"completed","task_uuid":")" +
          list +
          R"("},)"
          R"({"name":"mail","handler":"do_mail","queue":"default","depends_on":["list"],"status":"scheduled",)"
          R"("items":{"total":3,"waiting":1,"scheduled":1,"completed":1}},)"
          R"({"name":"report","handler":"do_report","queue":"default","depends_on":["mail"],"status":"waiting"},)"
          R"({"name":"paid","handler":"do_paid","queue":"default","depends_on":[],"status":"completed",)"
          R"("reason":"resolved","result":{"in": "cash"}}]})");
}

TEST(RunAnswer, ShowsTheStateOfAnOpenTask) {
  engine::RunView open = view();
  open.run.facts.steps[0] = {StepState::scheduled, true, {}};
  open.tasks[0] = domain::State::running;

  EXPECT_NE(steps_of(open).find(R"("depends_on":[],"status":"running")"), std::string::npos);
  EXPECT_NE(encode_graph(open).body.find(R"("depends_on":[],"status":"running")"), std::string::npos);
  EXPECT_NE(encode_mermaid(open).find("s0[\"list<br/>running\"]"), std::string::npos);
}

TEST(RunAnswer, LeavesOutWhatWasKeptOfAStepBeforeItRan) {
  engine::RunView again = view();
  again.run.facts.steps[3] = {StepState::completed, true, {}};

  EXPECT_EQ(steps_of(again).find("cash"), std::string::npos);
}

TEST(RunAnswer, GivesAHandlerAllThatItWorksOn) {
  Lease lease;
  lease.execution.spec.step = domain::StepOf{run_id, "mail[2]", R"({"id":7})"};
  lease.input = domain::StepInput{R"({ "n": 1.0 })",
                                  {{"list", StepState::completed, "[1]", std::nullopt},
                                   {"check", StepState::failed, std::nullopt, R"({"type":"t"})"},
                                   {"gift", StepState::skipped, std::nullopt, std::nullopt}},
                                  2};
  json::Writer writer;
  writer.begin_object();

  write_input(writer, lease);

  EXPECT_EQ(writer.end_object().take(),
            R"({"context":{ "n": 1.0 },"upstream":{"list":{"status":"completed","result":[1]},)"
            R"("check":{"status":"failed","error":{"type":"t"}},"gift":{"status":"skipped"}},)"
            R"("run_id":"019bddae-b818-7d82-b7c5-bd42e5db27fc","task_key":"mail[2]","item":{"id":7},"index":2})");
}

TEST(RunAnswer, TellsHistoryWithACursorWhereThereIsMore) {
  engine::HistoryView history;
  history.entries.push_back({1, from_ms(1768910400123), {domain::HistoryKind::run_started, "", ""}});
  history.entries.push_back({2, from_ms(1768910400123), {domain::HistoryKind::step_retried, "a", R"({"by":"k"})"}});
  history.next = 2;

  EXPECT_EQ(encode_history(history).body,
            R"({"events":[{"sequence":1,"at":"2026-01-20T12:00:00.123Z","kind":"run_started"},)"
            R"({"sequence":2,"at":"2026-01-20T12:00:00.123Z","kind":"step_retried","task_key":"a",)"
            R"("detail":{"by":"k"}}],"next_cursor":"2"})");
}

}  // namespace
}  // namespace semel::codec
