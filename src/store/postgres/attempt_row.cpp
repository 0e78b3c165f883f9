#include "store/postgres/attempt_row.hpp"

#include "store/postgres/dispatch_row.hpp"

namespace semel::store::postgres {
namespace {

#define SEMEL_ATTEMPT_COLUMNS                                                                           \
  "execution_id, id, number, worker, started_at, lease_until, ended_at, outcome, error, stale_results," \
  " last_heartbeat_at"

domain::Attempt attempt_from(const Row& row) {
  domain::Attempt attempt;
  attempt.execution_id = {row.uuid(0)};
  attempt.id = {row.uuid(1)};
  attempt.number = row.small(2);
  attempt.worker = row.text(3);
  attempt.started_at = row.time(4);
  attempt.lease_until = row.time(5);
  attempt.ended_at = row.optional_time(6);
  attempt.outcome = row.as<domain::AttemptOutcome>(7);
  attempt.error = row.optional_text(8);
  attempt.stale_results = row.small(9);
  attempt.last_heartbeat_at = row.optional_time(10);
  return attempt;
}

std::vector<domain::Attempt> attempts_in(const Rows& rows) {
  std::vector<domain::Attempt> attempts;
  for (const Row row : rows) attempts.push_back(attempt_from(row));
  return attempts;
}

}  // namespace

std::vector<domain::Attempt> read_attempts(Connection& connection, std::string_view tenant, domain::ExecutionId id) {
  const Rows rows = connection.run("SELECT " SEMEL_ATTEMPT_COLUMNS
                                   " FROM attempts WHERE tenant = $1 AND execution_id = $2 ORDER BY number",
                                   tenant, id);
  if (!rows.empty()) return attempts_in(rows);
  return attempts_in(connection.run("SELECT " SEMEL_ATTEMPT_COLUMNS
                                    " FROM closed_attempts WHERE tenant = $1 AND execution_id = $2"
                                    " AND NOT is_leaving(keep_days, closed_day) ORDER BY number",
                                    tenant, id));
}

std::vector<domain::Attempt> read_running(Connection& connection, std::string_view tenant,
                                          std::span<const domain::ExecutionId> ids) {
  Array wanted(Type::uuid);
  for (const domain::ExecutionId id : ids) wanted.add(id);
  return attempts_in(connection.run("SELECT " SEMEL_ATTEMPT_COLUMNS
                                    " FROM attempts WHERE tenant = $1 AND execution_id = ANY ($2) AND outcome = 0",
                                    tenant, wanted));
}

/// Both tables in one statement: what is just being put away is seen once.
AttemptsOfMany read_named_attempts(Connection& connection, std::string_view tenant,
                                   std::span<const domain::ExecutionId> ids, bool is_timer) {
  AttemptsOfMany found;
  if (ids.empty()) return found;
  Array wanted(Type::uuid);
  for (const domain::ExecutionId id : ids) wanted.add(id);
  const Rows dispatches = connection.run("SELECT " SEMEL_DISPATCH_COLUMNS
                                         " FROM dispatches d WHERE d.tenant = $1 AND d.execution_id = ANY ($2)"
                                         " AND d.repair >= $3 ORDER BY d.number",
                                         tenant, wanted, is_timer ? 0 : 1);
  for (const Row row : dispatches) {
    domain::Dispatch dispatch = read_dispatch(row);
    found[dispatch.execution_id].dispatches.push_back(std::move(dispatch));
  }
  if (!is_timer) return found;
  const Rows attempts = connection.run("SELECT " SEMEL_ATTEMPT_COLUMNS
                                       " FROM attempts WHERE tenant = $1 AND execution_id = ANY ($2)"
                                       " UNION ALL SELECT " SEMEL_ATTEMPT_COLUMNS
                                       " FROM closed_attempts WHERE tenant = $1 AND execution_id = ANY ($2)"
                                       " AND NOT is_leaving(keep_days, closed_day) ORDER BY number",
                                       tenant, wanted);
  for (const Row row : attempts) {
    domain::Attempt attempt = attempt_from(row);
    found[attempt.execution_id].attempts.push_back(std::move(attempt));
  }
  return found;
}

}  // namespace semel::store::postgres
