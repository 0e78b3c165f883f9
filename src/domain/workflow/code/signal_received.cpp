#include "domain/workflow/code/course.hpp"

namespace semel::domain::code {

Decision signal_received(Workflow& workflow, const Signal& signal) {
  if (workflow.facts.phase == RunPhase::closed) return {};
  Course course(workflow);
  json::Writer writer;
  writer.begin_object().string("name", signal.name).raw("value", signal.value);
  course.note(HistoryKind::signal_received, "", writer.end_object().take());
  course.wake();
  return course.settle();
}

}  // namespace semel::domain::code
