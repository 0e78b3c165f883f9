#include "base/ensure.hpp"
#include "domain/workflow/code/course.hpp"
#include "domain/workflow/code/names.hpp"

namespace semel::domain::code {
namespace {

HistoryKind kind_of_closing(State state) {
  switch (state) {
    case State::completed: return HistoryKind::task_completed;
    case State::failed: return HistoryKind::task_failed;
    case State::cancelled: return HistoryKind::task_cancelled;
    case State::timed_out: return HistoryKind::task_timed_out;
    default: break;
  }
  ensure(false);  // an open child has not ended
  return HistoryKind::task_failed;
}

}  // namespace

Decision child_closed(Workflow& workflow, std::string_view task_key, const TaskOutcome& outcome) {
  Facts& facts = workflow.facts;
  const std::optional<std::int64_t> command = command_of(task_key);
  ensure(command.has_value());
  if (facts.phase == RunPhase::closed) return {};
  facts.open_children -= 1;
  Course course(workflow);
  // What an earlier generation began is nothing that the code knows of.
  if (*command >= facts.first_command) {
    course.note(kind_of_closing(outcome.state), std::string(task_key), closing_text(*command, outcome));
    course.wake();
  }
  course.end_if_nothing_is_left();
  return course.settle();
}

}  // namespace semel::domain::code
