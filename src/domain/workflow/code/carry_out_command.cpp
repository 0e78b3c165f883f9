#include <algorithm>
#include <utility>

#include "domain/workflow/code/course.hpp"

namespace semel::domain::code {
namespace {

/// Does what one command says; private to this file.
struct CarryOut {
  Course& course;
  const Workflow& workflow;
  const WorkflowData& data;
  const std::int64_t number;
  const Time now;
  std::string record;

  /// What was made, with its record.
  template <typename T>
  Result<void> make(const T& what, HistoryKind kind) {
    Result<NewChild> child = child_of(workflow, data, number, what, now);
    if (!child) return pass_on(child.error());
    course.note(kind, child->spec.step->task_key, std::move(record));
    course.decision.make.push_back(*std::move(child));
    return {};
  }

  Result<void> operator()(const ScheduleTask& task) { return make(task, HistoryKind::task_scheduled); }
  Result<void> operator()(const StartChild& child) { return make(child, HistoryKind::child_started); }
  Result<void> operator()(const CreatePromise& promise) { return make(promise, HistoryKind::promise_created); }
  Result<void> operator()(const StartTimer& timer) {
    course.note(HistoryKind::timer_started, "", std::move(record));
    course.decision.start.push_back({number, fire_time(timer, now)});
    return {};
  }
  Result<void> operator()(const RecordMarker&) {
    course.note(HistoryKind::marker, "", std::move(record));
    return {};
  }
  Result<void> operator()(const CancelEarlier& cancel) {
    if (cancel.target < workflow.facts.first_command || cancel.target >= number)
      return bad_request("command {} cannot cancel {}: only what this workflow began before", number, cancel.target);
    const bool is_timer = has_timer(cancel.target);
    course.note(is_timer ? HistoryKind::timer_cancelled : HistoryKind::task_cancel_requested, "", std::move(record));
    (is_timer ? course.decision.stop : course.decision.cancel).push_back(cancel.target);
    return {};
  }

  /// Also one of this very answer.
  bool has_timer(std::int64_t command) const {
    const auto& stopped = course.decision.stop;
    if (std::find(stopped.begin(), stopped.end(), command) != stopped.end()) return false;
    const auto& started = course.decision.start;
    const auto is_it = [&](const NewTimer& each) { return each.command == command; };
    return std::any_of(started.begin(), started.end(), is_it) || data.has_timer(command);
  }
};

}  // namespace

Result<void> carry_out_command(Course& course, const Workflow& workflow, const WorkflowData& data,
                               const Command& command, Time now) {
  return std::visit(CarryOut{course, workflow, data, command.number, now, record_text(workflow, command, now)},
                    command.what);
}

}  // namespace semel::domain::code
