#include "store/postgres/closed.hpp"

#include <string>

#include "store/postgres/retention.hpp"

namespace semel::store::postgres {
namespace {

/// The names of the columns, without the table.
std::string bare(std::string columns) {
  for (std::size_t at = columns.find("e."); at != std::string::npos; at = columns.find("e.", at)) columns.erase(at, 2);
  return columns;
}

/// Statements are known by the address of their text: it must be the same at every call.
const std::string& bringing_back() {
  static const std::string columns = bare(SEMEL_EXECUTION_COLUMNS);
  static const std::string statement =
      "WITH back AS (DELETE FROM closed c USING unnest($1::text[], $2::uuid[]) AS u (tenant, id)"
      " WHERE c.tenant = u.tenant AND c.id = u.id AND NOT is_leaving(c.keep_days, c.closed_day) RETURNING c.*),"
      " attempts_back AS (DELETE FROM closed_attempts a USING back b WHERE a.tenant = b.tenant"
      " AND a.execution_id = b.id RETURNING a.*),"
      " attempts_in AS (INSERT INTO attempts (tenant, id, execution_id, number, worker, started_at, lease_until,"
      " ended_at, outcome, error, stale_results, last_heartbeat_at) SELECT tenant, id, execution_id, number, worker,"
      " started_at, lease_until, ended_at, outcome, error, stale_results, last_heartbeat_at FROM attempts_back)"
      " INSERT INTO executions (seq, " +
      columns + ") OVERRIDING SYSTEM VALUE SELECT seq, " + columns + " FROM back";
  return statement;
}

}  // namespace

std::map<TenantAndId, ExecutionRow> find_closed(Connection& connection, std::span<const TenantAndId> ids,
                                                Leaving leaving) {
  std::map<TenantAndId, ExecutionRow> found;
  if (ids.empty()) return found;
  const IdArrays wanted(ids);
  const Rows rows = connection.run("SELECT " SEMEL_EXECUTION_COLUMNS
                                   " FROM (SELECT DISTINCT * FROM unnest($1::text[], $2::uuid[]) AS u (tenant, id)) u"
                                   " JOIN closed e ON e.tenant = u.tenant AND e.id = u.id"
                                   " WHERE $3 OR NOT is_leaving(e.keep_days, e.closed_day)",
                                   wanted.tenants, wanted.ids, leaving == Leaving::shown);
  for (const Row row : rows) {
    ExecutionRow read = read_execution(row);
    TenantAndId place = read.id();
    found.emplace(std::move(place), std::move(read));
  }
  return found;
}

/// One that is brought back between the first two looks is found by the third.
std::optional<ExecutionRow> find_anywhere(Connection& connection, std::string_view tenant, domain::ExecutionId id) {
  if (auto row = find_execution(connection, tenant, id)) return row;
  const TenantAndId place{tenant, id};
  auto closed = find_closed(connection, {&place, 1}, Leaving::hidden);
  if (!closed.empty()) return std::move(closed.begin()->second);
  return find_execution(connection, tenant, id);
}

void bring_back(Batch& batch, std::span<const TenantAndId> ids) {
  std::vector<ExecutionRow> closed;
  for (auto& [id, row] : find_closed(batch.connection, ids, Leaving::hidden)) closed.push_back(std::move(row));
  if (closed.empty()) return;
  lock_holders(batch, closed);
  const IdArrays wanted(ids);
  batch.connection.run(bringing_back(), wanted.tenants, wanted.ids);
}

/// One look into each of the two indexes.
bool next_closed_queue(Connection& connection, TenantAndQueue& place) {
#define SEMEL_NEXT_QUEUE(of)                                                   \
  "(SELECT e.tenant, e.queue FROM executions e WHERE " SEMEL_CLOSED " AND " of \
  " AND (e.tenant, e.queue) > ($1, $2) ORDER BY e.tenant, e.queue LIMIT 1)"
  const Rows rows = connection.run("SELECT n.tenant, n.queue FROM (" SEMEL_NEXT_QUEUE(
                                       "NOT e.client_made_id") " UNION ALL " SEMEL_NEXT_QUEUE("e.client_made_id") ") n"
                                   " ORDER BY n.tenant, n.queue LIMIT 1",
                                   place.first, place.second);
  if (rows.empty()) return false;
  place = {rows[0].text(0), rows[0].text(1)};
  return true;
}

bool any_was_used(Connection& connection, std::span<const TenantAndId> ids) {
  if (ids.empty()) return false;
  const IdArrays wanted(ids);
  return !connection
              .run(
                  "SELECT 1 FROM unnest($1::text[], $2::uuid[]) AS u (tenant, id)"
                  " WHERE EXISTS (SELECT FROM closed c WHERE c.tenant = u.tenant AND c.id = u.id)"
                  " OR EXISTS (SELECT FROM tombstones t WHERE t.tenant = u.tenant AND t.id = u.id) LIMIT 1",
                  wanted.tenants, wanted.ids)
              .empty();
}

}  // namespace semel::store::postgres
