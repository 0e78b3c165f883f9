#include "store/postgres/schedules.hpp"

namespace semel::store::postgres {
namespace {

using domain::ScheduleRecord;

#define SEMEL_SCHEDULE_COLUMNS                                                                         \
  "tenant, name, id, version, document, paused, created_at, changed_at, changed_by, handled, next_at," \
  " last_nominal, last_at, last_outcome, last_task, last_error, task, submitted, skipped, refused"

std::optional<domain::FiringRecord> read_last_firing(const Row& row) {
  if (row.is_null(11)) return std::nullopt;
  return domain::FiringRecord{row.time(11), row.time(12), row.as<domain::FiringOutcome>(13), row.optional_id(14),
                              row.text(15)};
}

ScheduleRecord read_schedule(const Row& row) {
  ScheduleRecord schedule;
  schedule.tenant = row.text(0);
  schedule.name = row.text(1);
  schedule.id = {row.uuid(2)};
  schedule.version = row.integer(3);
  schedule.document = row.text(4);
  schedule.paused = row.boolean(5);
  schedule.created_at = row.time(6);
  schedule.changed_at = row.time(7);
  schedule.changed_by = row.text(8);
  schedule.handled = row.time(9);
  schedule.next = row.optional_time(10);
  schedule.last = read_last_firing(row);
  schedule.task = row.optional_id(16);
  schedule.counts = {row.integer(17), row.integer(18), row.integer(19)};
  return schedule;
}

std::optional<ScheduleRecord> first_of(const Rows& rows) {
  if (rows.empty()) return std::nullopt;
  return read_schedule(rows[0]);
}

std::vector<ScheduleRecord> all_of(const Rows& rows) {
  std::vector<ScheduleRecord> found;
  for (const Row row : rows) found.push_back(read_schedule(row));
  return found;
}

}  // namespace

std::optional<ScheduleRecord> find_schedule(Connection& connection, std::string_view tenant, std::string_view name) {
  return first_of(
      connection.run("SELECT " SEMEL_SCHEDULE_COLUMNS " FROM schedules WHERE tenant = $1 AND name = $2", tenant, name));
}

std::optional<ScheduleRecord> lock_schedule(Connection& connection, std::string_view tenant, std::string_view name) {
  return first_of(connection.run(
      "SELECT " SEMEL_SCHEDULE_COLUMNS " FROM schedules WHERE tenant = $1 AND name = $2 FOR UPDATE", tenant, name));
}

std::vector<ScheduleRecord> read_schedules(Connection& connection, std::string_view tenant, std::string_view after,
                                           std::size_t limit) {
  return all_of(connection.run("SELECT " SEMEL_SCHEDULE_COLUMNS
                               " FROM schedules WHERE tenant = $1 AND name > $2 ORDER BY name LIMIT $3",
                               tenant, after, limit));
}

std::vector<ScheduleRecord> read_due_schedules(Connection& connection, Time until, std::size_t limit) {
  return all_of(connection.run("SELECT " SEMEL_SCHEDULE_COLUMNS
                               " FROM schedules WHERE NOT paused AND next_at IS NOT NULL AND next_at <= $1"
                               " ORDER BY next_at, tenant, name LIMIT $2",
                               until, limit));
}

std::optional<Time> next_due_schedule(Connection& connection) {
  return connection.run("SELECT min(next_at) FROM schedules WHERE NOT paused AND next_at IS NOT NULL")[0].optional_time(
      0);
}

void write_schedule(Connection& connection, const ScheduleRecord& schedule) {
  std::optional<Time> nominal;
  std::optional<Time> at;
  std::optional<domain::FiringOutcome> outcome;
  std::optional<domain::ExecutionId> last_task;
  std::optional<std::string_view> error;
  if (schedule.last) {
    nominal = schedule.last->nominal;
    at = schedule.last->at;
    outcome = schedule.last->outcome;
    last_task = schedule.last->task;
    error = schedule.last->error;
  }
  connection.run("INSERT INTO schedules (" SEMEL_SCHEDULE_COLUMNS
                 ") VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20)"
                 " ON CONFLICT (tenant, name) DO UPDATE SET id = excluded.id, version = excluded.version, document ="
                 " excluded.document, paused = excluded.paused, created_at = excluded.created_at, changed_at ="
                 " excluded.changed_at, changed_by = excluded.changed_by, handled = excluded.handled, next_at ="
                 " excluded.next_at, last_nominal = excluded.last_nominal, last_at = excluded.last_at, last_outcome ="
                 " excluded.last_outcome, last_task = excluded.last_task, last_error = excluded.last_error, task ="
                 " excluded.task, submitted = excluded.submitted, skipped = excluded.skipped, refused ="
                 " excluded.refused",
                 schedule.tenant, schedule.name, schedule.id, schedule.version, schedule.document, schedule.paused,
                 schedule.created_at, schedule.changed_at, schedule.changed_by, schedule.handled, schedule.next,
                 nominal, at, outcome, last_task, error, schedule.task, schedule.counts.submitted,
                 schedule.counts.skipped, schedule.counts.refused);
}

}  // namespace semel::store::postgres
