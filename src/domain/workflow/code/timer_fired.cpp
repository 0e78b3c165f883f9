#include "domain/workflow/code/course.hpp"

namespace semel::domain::code {

Decision timer_fired(Workflow& workflow, std::int64_t command) {
  if (workflow.facts.phase == RunPhase::closed) return {};
  Course course(workflow);
  course.note(HistoryKind::timer_fired, "", command_text(command).end_object().take());
  course.wake();
  return course.settle();
}

}  // namespace semel::domain::code
