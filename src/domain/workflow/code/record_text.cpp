#include "base/time.hpp"
#include "domain/workflow/code/course.hpp"

namespace semel::domain::code {
namespace {

/// Adds what one command says to its record; private to this file.
struct Record {
  json::Writer& writer;
  const Time now;

  void operator()(const ScheduleTask& task) const {
    writer.string("handler", task.handler);
    if (task.queue) writer.string("queue", *task.queue);
  }
  void operator()(const StartChild& child) const { writer.string("kind", child.kind); }
  void operator()(const CreatePromise&) const {}
  void operator()(const StartTimer& timer) const { writer.string("fire_at", to_rfc3339(fire_time(timer, now))); }
  void operator()(const RecordMarker& marker) const { writer.string("name", marker.name).raw("value", marker.value); }
  void operator()(const CancelEarlier& cancel) const { writer.integer("target", cancel.target); }
};

}  // namespace

Time fire_time(const StartTimer& timer, Time now) { return timer.fire_at.value_or(now + timer.after); }

std::optional<std::string> key_of(const Workflow& workflow, const Command& command) {
  if (const auto* task = std::get_if<ScheduleTask>(&command.what)) return task->key;
  if (const auto* promise = std::get_if<CreatePromise>(&command.what)) return promise->key;
  const auto* child = std::get_if<StartChild>(&command.what);
  if (child == nullptr) return std::nullopt;
  return child->workflow_id.value_or(workflow.spec.id.text() + "/" + std::to_string(command.number));
}

std::string record_text(const Workflow& workflow, const Command& command, Time now) {
  json::Writer writer = command_text(command.number);
  std::visit(Record{writer, now}, command.what);
  if (const std::optional<std::string> key = key_of(workflow, command)) writer.string("key", *key);
  return writer.end_object().take();
}

}  // namespace semel::domain::code
