#include "store/sqlite/schedules.hpp"

namespace semel::store::sqlite {
namespace {

using domain::ScheduleRecord;

#define SEMEL_SCHEDULE_COLUMNS                                                                            \
  "tenant_id, name, id, version, document, paused, created_at, changed_at, changed_by, handled, next_at," \
  " last_nominal, last_at, last_outcome, last_task, last_error, task, submitted, skipped, refused"

std::optional<domain::ExecutionId> task_in(const Statement& row, int column) {
  const std::optional<Uuid> uuid = row.optional_uuid(column);
  if (!uuid) return std::nullopt;
  return domain::ExecutionId{*uuid};
}

std::optional<Uuid> uuid_of(const std::optional<domain::ExecutionId>& id) {
  if (!id) return std::nullopt;
  return id->uuid;
}

std::optional<domain::FiringRecord> read_last_firing(const Statement& row) {
  if (row.is_null(11)) return std::nullopt;
  return domain::FiringRecord{row.time(11), row.time(12), static_cast<domain::FiringOutcome>(row.integer(13)),
                              task_in(row, 14), row.text(15)};
}

ScheduleRecord read_schedule(const Statement& row, const Tenants& tenants) {
  ScheduleRecord schedule;
  schedule.tenant = tenants.name_of(row.integer(0));
  schedule.name = row.text(1);
  schedule.id = {row.uuid(2)};
  schedule.version = row.integer(3);
  schedule.document = row.text(4);
  schedule.paused = row.integer(5) != 0;
  schedule.created_at = row.time(6);
  schedule.changed_at = row.time(7);
  schedule.changed_by = row.text(8);
  schedule.handled = row.time(9);
  schedule.next = row.optional_time(10);
  schedule.last = read_last_firing(row);
  schedule.task = task_in(row, 16);
  schedule.counts = {row.integer(17), row.integer(18), row.integer(19)};
  return schedule;
}

void bind_last_firing(Statement& insert, const std::optional<domain::FiringRecord>& last) {
  if (!last) return;
  insert.bind(12, last->nominal).bind(13, last->at).bind(14, static_cast<std::int64_t>(last->outcome));
  insert.bind(16, last->error);
}

}  // namespace

std::optional<ScheduleRecord> find_schedule(Connection& connection, const Tenants& tenants, std::int64_t tenant_id,
                                            std::string_view name) {
  Scoped query = connection.use("SELECT " SEMEL_SCHEDULE_COLUMNS " FROM schedules WHERE tenant_id = ?1 AND name = ?2");
  query->bind(1, tenant_id).bind(2, name);
  if (!query->step()) return std::nullopt;
  return read_schedule(*query, tenants);
}

std::vector<ScheduleRecord> read_schedules(Connection& connection, const Tenants& tenants, std::int64_t tenant_id,
                                           std::string_view after, std::size_t limit) {
  Scoped query = connection.use("SELECT " SEMEL_SCHEDULE_COLUMNS
                                " FROM schedules WHERE tenant_id = ?1 AND name > ?2 ORDER BY name LIMIT ?3");
  query->bind(1, tenant_id).bind(2, after).bind(3, static_cast<std::int64_t>(limit));
  std::vector<ScheduleRecord> found;
  while (query->step()) found.push_back(read_schedule(*query, tenants));
  return found;
}

std::vector<ScheduleRecord> read_due_schedules(Connection& connection, const Tenants& tenants, Time until,
                                               std::size_t limit) {
  Scoped query = connection.use("SELECT " SEMEL_SCHEDULE_COLUMNS
                                " FROM schedules INDEXED BY schedules_due"
                                " WHERE paused = 0 AND next_at IS NOT NULL AND next_at <= ?1"
                                " ORDER BY next_at, tenant_id, name LIMIT ?2");
  query->bind(1, until).bind(2, static_cast<std::int64_t>(limit));
  std::vector<ScheduleRecord> due;
  while (query->step()) due.push_back(read_schedule(*query, tenants));
  return due;
}

std::optional<Time> next_due_schedule(Connection& connection) {
  Scoped query = connection.use(
      "SELECT min(next_at) FROM schedules INDEXED BY schedules_due WHERE paused = 0 AND next_at IS NOT NULL");
  if (!query->step()) return std::nullopt;
  return query->optional_time(0);
}

void write_schedule(Connection& connection, std::int64_t tenant_id, const ScheduleRecord& schedule) {
  Scoped insert = connection.use("INSERT OR REPLACE INTO schedules (" SEMEL_SCHEDULE_COLUMNS
                                 ") VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17,"
                                 " ?18, ?19, ?20)");
  insert->bind(1, tenant_id).bind(2, schedule.name).bind(3, schedule.id.uuid).bind(4, schedule.version);
  insert->bind(5, schedule.document).bind(6, std::int64_t{schedule.paused ? 1 : 0});
  insert->bind(7, schedule.created_at).bind(8, schedule.changed_at).bind(9, schedule.changed_by);
  insert->bind(10, schedule.handled).bind(11, schedule.next);
  bind_last_firing(*insert, schedule.last);
  const std::optional<Uuid> last_task = schedule.last ? uuid_of(schedule.last->task) : std::nullopt;
  const std::optional<Uuid> task = uuid_of(schedule.task);
  insert->bind(15, last_task).bind(17, task);
  insert->bind(18, schedule.counts.submitted).bind(19, schedule.counts.skipped).bind(20, schedule.counts.refused);
  insert->run();
}

}  // namespace semel::store::sqlite
