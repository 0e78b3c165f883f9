#include "domain/workflow/advance.hpp"
#include "domain/workflow/code/course.hpp"

namespace semel::domain::code {

Decision cancel_workflow(Workflow& workflow, const WorkflowData& data, const CancelRequest& request) {
  Facts& facts = workflow.facts;
  if (facts.phase == RunPhase::closed) return {};
  Course course(workflow);
  course.drop_below();
  if (facts.phase == RunPhase::open) {
    const bool is_late = request.why == WhyCancelled::deadline;
    facts.phase = is_late ? RunPhase::out_of_time : RunPhase::cancelling;
    course.note(is_late ? HistoryKind::deadline_passed : HistoryKind::cancel_requested, "",
                is_late ? "" : by_hand_text(request.by));
    if (facts.open_children > 0) facts.open_children -= data.abandoned_children();  // nobody waits for these
  } else if (request.force) {
    course.note(HistoryKind::cancel_requested, "", by_hand_text(request.by));  // somebody has had enough
  }
  if (request.force) {
    course.decision.stops_activation = workflow.state == State::running;
    course.end(course.end_of_cancelled());
    return course.settle();
  }
  if (workflow.state == State::pending) course.wait();
  course.end_if_nothing_is_left();
  return course.settle();
}

}  // namespace semel::domain::code
