#include "ports/firing.hpp"
#include "store/sqlite/audit.hpp"
#include "store/sqlite/inner.hpp"
#include "store/sqlite/schedules.hpp"

namespace semel::store::sqlite {
namespace {

using domain::ScheduleRecord;

bool has_all_schedules(Connection& connection, std::int64_t tenant_id) {
  Scoped query = connection.use("SELECT count(*) FROM schedules WHERE tenant_id = ?1");
  query->bind(1, tenant_id);
  query->step();
  return query->integer(0) >= static_cast<std::int64_t>(domain::limits::schedules_max);
}

std::optional<ScheduleRecord> find_named(Batch& batch, const std::string& tenant, const std::string& name) {
  const auto tenant_id = batch.tenants.find(tenant);
  if (!tenant_id) return std::nullopt;
  return find_schedule(batch.connection, batch.tenants, *tenant_id, name);
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
  std::optional<ScheduleRecord> known = find_named(batch, command.tenant, command.name);
  ScheduleRecord schedule = known ? *std::move(known) : ScheduleRecord{command.tenant, command.name, command.id};
  const bool is_new = schedule.version == 0;
  if (!put(schedule, command.draft, command.by, batch.now)) return ScheduleStored{std::move(schedule), false};
  batch.begin_writing();
  const std::int64_t tenant_id = batch.tenants.id_of(batch.connection, command.tenant);
  if (is_new && has_all_schedules(batch.connection, tenant_id)) return Rejected{too_many_schedules()};
  write_audit(batch, tenant_id, command.by, "schedule.set", command.name);
  write_schedule(batch.connection, tenant_id, schedule);
  return ScheduleStored{std::move(schedule)};
}

Outcome apply(Batch& batch, const PauseSchedule& command) {
  std::optional<ScheduleRecord> schedule = find_named(batch, command.tenant, command.name);
  if (!schedule) return ScheduleStored{};
  if (!set_paused(*schedule, command.paused)) return ScheduleStored{std::move(schedule), false};
  batch.begin_writing();
  const std::int64_t tenant_id = *batch.tenants.find(command.tenant);
  write_audit(batch, tenant_id, command.by, command.paused ? "schedule.pause" : "schedule.resume", command.name);
  write_schedule(batch.connection, tenant_id, *schedule);
  return ScheduleStored{std::move(schedule)};
}

Outcome apply(Batch& batch, const RemoveSchedule& command) {
  if (!find_named(batch, command.tenant, command.name)) return ScheduleRemoved{};
  batch.begin_writing();
  const std::int64_t tenant_id = *batch.tenants.find(command.tenant);
  batch.connection.use("DELETE FROM schedules WHERE tenant_id = ?1 AND name = ?2")
      ->bind(1, tenant_id)
      .bind(2, command.name)
      .run();
  write_audit(batch, tenant_id, command.by, "schedule.remove", command.name);
  return ScheduleRemoved{true};
}

Outcome apply(Batch& batch, const AdvanceSchedule& command) {
  ScheduleAdvanced advanced;
  std::optional<ScheduleRecord> schedule = find_named(batch, command.tenant, command.name);
  if (!schedule || schedule->id != command.id || schedule->version != command.version) return advanced;
  batch.begin_writing();
  for (const Firing& firing : command.firings) fire(batch, *schedule, firing, advanced);
  schedule->handled = command.handled;
  schedule->next = command.next;
  schedule->version += 1;
  write_schedule(batch.connection, *batch.tenants.find(command.tenant), *schedule);
  advanced.schedule = std::move(schedule);
  return advanced;
}

}  // namespace semel::store::sqlite

namespace semel::store {

using domain::ScheduleRecord;

std::optional<ScheduleRecord> SqliteStore::schedule(std::string_view tenant, std::string_view name) {
  const auto tenant_id = inner_->tenants.find(tenant);
  if (!tenant_id) return std::nullopt;
  auto reader = inner_->readers.borrow();
  return sqlite::find_schedule(*reader, inner_->tenants, *tenant_id, name);
}

std::vector<ScheduleRecord> SqliteStore::schedules(std::string_view tenant, std::string_view after, std::size_t limit) {
  const auto tenant_id = inner_->tenants.find(tenant);
  if (!tenant_id) return {};
  auto reader = inner_->readers.borrow();
  return sqlite::read_schedules(*reader, inner_->tenants, *tenant_id, after, limit);
}

std::vector<ScheduleRecord> SqliteStore::due_schedules(Time until, std::size_t limit) {
  auto reader = inner_->readers.borrow();
  return sqlite::read_due_schedules(*reader, inner_->tenants, until, limit);
}

std::optional<Time> SqliteStore::next_schedule() {
  auto reader = inner_->readers.borrow();
  return sqlite::next_due_schedule(*reader);
}

}  // namespace semel::store
