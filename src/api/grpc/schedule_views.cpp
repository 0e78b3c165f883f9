#include "api/grpc/schedule_views.hpp"

#include "api/grpc/values.hpp"

namespace semel::rpc {
namespace {

void write_when(v1::Schedule& to, const domain::Schedule& schedule) {
  if (const auto* recurring = std::get_if<domain::Recurring>(&schedule.timing)) {
    to.set_cron(recurring->cron.text());
    to.set_time_zone(recurring->zone.name());
  } else {
    set_time(to.mutable_at(), std::get<domain::OneOff>(schedule.timing).at);
  }
  to.set_missed(std::string(name_of(schedule.missed)));
  if (schedule.missed == domain::Missed::catch_up) to.set_catch_up_max(schedule.catch_up_max);
  to.set_overlap(std::string(name_of(schedule.overlap)));
  if (schedule.start) set_time(to.mutable_start(), *schedule.start);
  if (schedule.end) set_time(to.mutable_end(), *schedule.end);
}

void write_how_far(v1::Schedule& to, const engine::ScheduleView& view) {
  const domain::ScheduleRecord& record = view.record;
  if (record.next) set_time(to.mutable_next_firing(), *record.next);
  if (record.last) write_firing(*to.mutable_last_firing(), *record.last);
  if (record.task) to.mutable_last_task()->set_task_uuid(record.task->text());
  if (record.task && view.task_state) to.mutable_last_task()->set_status(to_wire(*view.task_state));
  v1::Schedule::Counts& counts = *to.mutable_counts();
  counts.set_submitted(record.counts.submitted);
  counts.set_skipped(record.counts.skipped);
  counts.set_refused(record.counts.refused);
}

}  // namespace

void write_firing(v1::Firing& to, const domain::FiringRecord& firing) {
  set_time(to.mutable_nominal_time(), firing.nominal);
  set_time(to.mutable_fired_at(), firing.at);
  to.set_outcome(std::string(name_of(firing.outcome)));
  if (firing.task) to.set_task_uuid(firing.task->text());
  if (!firing.error.empty()) to.set_error(firing.error);
}

void write_schedule(v1::Schedule& to, const engine::ScheduleView& view) {
  const domain::ScheduleRecord& record = view.record;
  to.set_name(record.name);
  to.set_schedule_id(record.id.text());
  to.set_paused(record.paused);
  if (view.definition) write_when(to, view.definition->schedule);
  else to.set_unreadable(view.unreadable);
  set_time(to.mutable_created_at(), record.created_at);
  set_time(to.mutable_changed_at(), record.changed_at);
  write_how_far(to, view);
}

void write_whole_schedule(v1::Schedule& to, const engine::ScheduleView& view) {
  write_schedule(to, view);
  if (view.definition) to.set_task(view.definition->task_document);
  for (const Time time : view.upcoming) set_time(to.add_upcoming(), time);
}

}  // namespace semel::rpc
