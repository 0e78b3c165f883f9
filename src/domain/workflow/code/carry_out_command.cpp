#include <algorithm>
#include <utility>

#include "base/time.hpp"
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

  json::Writer text() const { return command_text(number); }

  /// What was made, with its record.
  template <typename T>
  Result<void> make(const T& what, HistoryKind kind, json::Writer& detail) {
    Result<NewChild> child = child_of(workflow, data, number, what, now);
    if (!child) return pass_on(child.error());
    if (child->spec.key) detail.string("key", *child->spec.key);
    course.note(kind, child->spec.step->task_key, detail.end_object().take());
    course.decision.make.push_back(*std::move(child));
    return {};
  }

  Result<void> operator()(const ScheduleTask& task) {
    json::Writer detail = text();
    detail.string("handler", task.handler);
    if (task.queue) detail.string("queue", *task.queue);
    return make(task, HistoryKind::task_scheduled, detail);
  }
  Result<void> operator()(const StartChild& child) {
    json::Writer detail = text();
    detail.string("kind", child.kind);
    return make(child, HistoryKind::child_started, detail);
  }
  Result<void> operator()(const CreatePromise& promise) {
    json::Writer detail = text();
    return make(promise, HistoryKind::promise_created, detail);
  }
  Result<void> operator()(const StartTimer& timer) {
    const Time fire_at = timer.fire_at.value_or(now + timer.after);
    course.note(HistoryKind::timer_started, "", text().string("fire_at", to_rfc3339(fire_at)).end_object().take());
    course.decision.start.push_back({number, fire_at});
    return {};
  }
  Result<void> operator()(const RecordMarker& marker) {
    course.note(HistoryKind::marker, "",
                text().string("name", marker.name).raw("value", marker.value).end_object().take());
    return {};
  }
  Result<void> operator()(const CancelEarlier& cancel) {
    if (cancel.target < workflow.facts.first_command || cancel.target >= number)
      return bad_request("command {} cannot cancel {}: only what this workflow began before", number, cancel.target);
    const bool is_timer = has_timer(cancel.target);
    course.note(is_timer ? HistoryKind::timer_cancelled : HistoryKind::task_cancel_requested, "",
                text().integer("target", cancel.target).end_object().take());
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
  return std::visit(CarryOut{course, workflow, data, command.number, now}, command.what);
}

}  // namespace semel::domain::code
