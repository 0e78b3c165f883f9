#include "sdk/testing/stage.hpp"
#include "semel/testing.hpp"

namespace semel::testkit {
namespace {

/// What a run came to, in words that can be compared.
std::string words_for_run(const detail::Closing& closing) {
  const std::string value = closing.status == Status::completed ? closing.result.value_or("nothing") : closing.error;
  return std::string(name_of(closing.status)).append(" with ").append(value);
}

}  // namespace

WorkflowTest::WorkflowTest(std::string kind, detail::WorkflowFunction workflow)
    : stage_(std::make_unique<Stage>(kind)) {
  add_workflow(std::move(kind), std::move(workflow));
}

WorkflowTest::~WorkflowTest() = default;

void WorkflowTest::add_task(std::string name, detail::TaskFunction fake) {
  stage_->tasks.insert_or_assign(std::move(name), std::move(fake));
}

void WorkflowTest::add_workflow(std::string kind, detail::WorkflowFunction workflow) {
  stage_->workflows.insert_or_assign(std::move(kind), std::move(workflow));
}

WorkflowTest& WorkflowTest::at(Duration after_start, std::function<void(Client&)> act) {
  stage_->outside.emplace(after_start, std::move(act));
  return *this;
}

WorkflowTest& WorkflowTest::cached_workflows(std::size_t count) {
  stage_->cached_workflows = count;
  return *this;
}

detail::Closing WorkflowTest::run_text(std::string input) { return stage_->run(input, {}); }

std::size_t WorkflowTest::crash_everywhere(std::string input) {
  const std::string expected = words_for_run(stage_->run(input, {}));
  const std::vector<std::string> expected_tasks = stage_->tasks_done;
  const std::size_t places = stage_->activations;
  for (std::size_t place = 1; place <= places; ++place) {
    for (const bool has_answered : {false, true}) {
      const std::string found = words_for_run(stage_->run(input, {place, has_answered}));
      const std::string where = "after a crash at activation " + std::to_string(place);
      if (found != expected) {
        throw NotDeterministic("the workflow ended " + where + " as " + found + ", and without one as " + expected);
      }
      if (stage_->tasks_done != expected_tasks) throw NotDeterministic("other tasks were done " + where);
    }
  }
  return 2 * places;
}

const std::vector<std::string>& WorkflowTest::tasks_done() const { return stage_->tasks_done; }

Duration WorkflowTest::elapsed() const { return stage_->elapsed(); }

Json WorkflowTest::status() const {
  const std::string text = stage_->status();
  return text.empty() ? Json() : detail::read_json(text);
}

std::string WorkflowTest::history() const { return stage_->history(); }

}  // namespace semel::testkit
