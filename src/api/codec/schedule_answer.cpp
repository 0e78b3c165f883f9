#include "api/codec/answers.hpp"
#include "api/codec/schedule.hpp"
#include "base/json/writer.hpp"

namespace semel::codec {
namespace {

using json::Writer;

void write_firing(Writer& writer, const domain::FiringRecord& firing) {
  writer.begin_object().string("nominal_time", to_rfc3339(firing.nominal)).string("fired_at", to_rfc3339(firing.at));
  writer.string("outcome", name_of(firing.outcome));
  if (firing.task) writer.string("task_uuid", firing.task->text());
  if (!firing.error.empty()) writer.string("error", firing.error);
  writer.end_object();
}

void write_progress(Writer& writer, const engine::ScheduleView& view) {
  const domain::ScheduleRecord& record = view.record;
  if (record.next) writer.string("next_firing", to_rfc3339(*record.next));
  if (record.last) write_firing(writer.key("last_firing"), *record.last);
  if (record.task) {
    writer.key("last_task").begin_object().string("task_uuid", record.task->text());
    if (view.task_state) writer.string("status", name_of(*view.task_state));
    writer.end_object();
  }
  writer.key("counts").begin_object().integer("submitted", record.counts.submitted);
  writer.integer("skipped", record.counts.skipped).integer("refused", record.counts.refused).end_object();
}

/// The members that one schedule and a list of them share; the object stays open.
void begin_schedule(Writer& writer, const engine::ScheduleView& view) {
  const domain::ScheduleRecord& record = view.record;
  writer.begin_object().string("name", record.name).string("schedule_id", record.id.text());
  writer.boolean("paused", record.paused);
  if (view.definition) write_schedule(writer, view.definition->schedule);
  else writer.string("unreadable", view.unreadable);
  writer.string("created_at", to_rfc3339(record.created_at)).string("changed_at", to_rfc3339(record.changed_at));
  write_progress(writer, view);
}

}  // namespace

Encoded encode_schedule(const engine::ScheduleView& view) {
  Writer writer;
  begin_schedule(writer, view);
  if (view.definition) writer.raw("task", view.definition->task_document);
  writer.key("upcoming").begin_array();
  for (const Time time : view.upcoming) writer.string(to_rfc3339(time));
  return {200, writer.end_array().end_object().take()};
}

Encoded encode_schedules(const std::vector<engine::ScheduleView>& views, std::size_t limit) {
  Writer writer;
  writer.begin_object().key("schedules").begin_array();
  for (const engine::ScheduleView& view : views) {
    begin_schedule(writer, view);
    writer.end_object();
  }
  writer.end_array();
  if (views.size() == limit) writer.string("next_cursor", views.back().record.name);
  return {200, writer.end_object().take()};
}

Encoded encode_firing(const domain::FiringRecord& firing) {
  Writer writer;
  write_firing(writer, firing);
  return {firing.task ? 201 : 200, writer.take()};
}

}  // namespace semel::codec
