#include "ports/firing.hpp"
#include "store/postgres/batch.hpp"
#include "store/postgres/schedules.hpp"

namespace semel::store::postgres {
namespace {

using domain::ScheduleRecord;

/// How many the tenant has; nobody else can make one meanwhile.
std::int64_t& count_schedules(Batch& batch, const std::string& tenant) {
  const auto known = batch.schedules.find(tenant);
  if (known != batch.schedules.end()) return known->second;
  const Rows rows = batch.connection.run("SELECT count(*) FROM schedules WHERE tenant = $1", tenant);
  return batch.schedules[tenant] = rows[0].integer(0);
}

void fire(Batch& batch, ScheduleRecord& schedule, const Firing& firing, ScheduleAdvanced& advanced) {
  domain::FiringRecord record = recorded_only(firing, batch.now);
  bool is_new = false;
  if (firing.submit) {
    const Outcome outcome = apply(batch, *firing.submit);
    is_new = std::holds_alternative<Created>(outcome);
    record = recorded(firing, outcome, batch.now);
  }
  if (record.outcome == domain::FiringOutcome::cancelled_previous)
    apply(batch, Cancel{schedule.tenant, *firing.cancels, false, schedule.changed_by});
  add(schedule, record, is_new);
  advanced.firings.push_back(std::move(record));
}

}  // namespace

Outcome apply(Batch& batch, const PutSchedule& command) {
  lock_name(batch, "semel.schedules/" + command.tenant);
  std::optional<ScheduleRecord> known = lock_schedule(batch.connection, command.tenant, command.name);
  ScheduleRecord schedule = known ? *std::move(known) : ScheduleRecord{command.tenant, command.name, command.id};
  const bool is_new = schedule.version == 0;
  if (!put(schedule, command.draft, command.by, batch.now)) return ScheduleStored{std::move(schedule), false};
  if (is_new) {
    std::int64_t& count = count_schedules(batch, command.tenant);
    if (count >= static_cast<std::int64_t>(domain::limits::schedules_max)) return Rejected{too_many_schedules()};
    count += 1;
  }
  write_audit(batch, command.tenant, command.by, "schedule.set", command.name);
  write_schedule(batch.connection, schedule);
  return ScheduleStored{std::move(schedule)};
}

Outcome apply(Batch& batch, const PauseSchedule& command) {
  std::optional<ScheduleRecord> schedule = lock_schedule(batch.connection, command.tenant, command.name);
  if (!schedule) return ScheduleStored{};
  if (!set_paused(*schedule, command.paused)) return ScheduleStored{std::move(schedule), false};
  write_audit(batch, command.tenant, command.by, command.paused ? "schedule.pause" : "schedule.resume", command.name);
  write_schedule(batch.connection, *schedule);
  return ScheduleStored{std::move(schedule)};
}

Outcome apply(Batch& batch, const RemoveSchedule& command) {
  const Rows removed = batch.connection.run("DELETE FROM schedules WHERE tenant = $1 AND name = $2 RETURNING 1",
                                            command.tenant, command.name);
  if (removed.empty()) return ScheduleRemoved{};
  write_audit(batch, command.tenant, command.by, "schedule.remove", command.name);
  return ScheduleRemoved{true};
}

Outcome apply(Batch& batch, const AdvanceSchedule& command) {
  ScheduleAdvanced advanced;
  std::optional<ScheduleRecord> schedule = lock_schedule(batch.connection, command.tenant, command.name);
  if (!schedule || schedule->id != command.id || schedule->version != command.version) return advanced;
  for (const Firing& firing : command.firings) fire(batch, *schedule, firing, advanced);
  schedule->handled = command.handled;
  schedule->next = command.next;
  schedule->version += 1;
  write_schedule(batch.connection, *schedule);
  advanced.schedule = std::move(schedule);
  return advanced;
}

}  // namespace semel::store::postgres
