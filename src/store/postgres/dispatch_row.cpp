#include "store/postgres/dispatch_row.hpp"

#include <map>

namespace semel::store::postgres {
namespace {

#define SEMEL_STORED_DISPATCHES(executions, attempts, both)                                               \
  "SELECT " SEMEL_DISPATCH_COLUMNS ", e.queue, e.handler, a.outcome = 0 FROM dispatches d JOIN " attempts \
  " a ON a.tenant = d.tenant AND a.id = d.attempt_id JOIN " executions                                    \
  " e ON e.tenant = a.tenant AND e.id = a.execution_id" both                                              \
  " WHERE d.tenant = $1 AND ($2::uuid IS NULL OR d.attempt_id < $2) AND "
#define SEMEL_LIVE_DISPATCHES SEMEL_STORED_DISPATCHES("executions", "attempts", "")
#define SEMEL_CLOSED_DISPATCHES                                                            \
  SEMEL_STORED_DISPATCHES("closed", "closed_attempts",                                     \
                          " AND e.keep_days = a.keep_days AND e.closed_day = a.closed_day" \
                          " AND NOT is_leaving(e.keep_days, e.closed_day)")
#define SEMEL_NEWEST_FIRST " ORDER BY d.attempt_id DESC LIMIT $3"

/// Those of an execution that was put away are beside it there.
template <typename T>
Rows run_for(Connection& connection, const DispatchQuery& query, const T& value, std::string_view live,
             std::string_view closed) {
  const auto limit = static_cast<std::int64_t>(query.limit);
  Rows rows = connection.run(live, query.tenant, query.before, limit, value);
  if (!rows.empty()) return rows;
  return connection.run(closed, query.tenant, query.before, limit, value);
}

/// Open ones are found by their attempts: only few of those run.
Rows find_rows(Connection& connection, const DispatchQuery& query) {
  if (query.external_id)
    return run_for(connection, query, *query.external_id, SEMEL_LIVE_DISPATCHES "d.external_id = $4" SEMEL_NEWEST_FIRST,
                   SEMEL_CLOSED_DISPATCHES "d.external_id = $4" SEMEL_NEWEST_FIRST);
  if (query.execution_id)
    return run_for(connection, query, *query.execution_id,
                   SEMEL_LIVE_DISPATCHES "d.execution_id = $4" SEMEL_NEWEST_FIRST,
                   SEMEL_CLOSED_DISPATCHES "d.execution_id = $4" SEMEL_NEWEST_FIRST);
  if (query.attempt_id)
    return run_for(connection, query, *query.attempt_id, SEMEL_LIVE_DISPATCHES "d.attempt_id = $4" SEMEL_NEWEST_FIRST,
                   SEMEL_CLOSED_DISPATCHES "d.attempt_id = $4" SEMEL_NEWEST_FIRST);
  return connection.run(SEMEL_LIVE_DISPATCHES "a.outcome = 0 AND a.worker = $4" SEMEL_NEWEST_FIRST, query.tenant,
                        query.before, static_cast<std::int64_t>(query.limit), domain::push_worker);
}

}  // namespace

domain::Dispatch read_dispatch(const Row& row, int first) {
  domain::Dispatch dispatch;
  dispatch.attempt_id = {row.uuid(first)};
  dispatch.execution_id = {row.uuid(first + 1)};
  dispatch.attempt = row.small(first + 2);
  dispatch.repair = row.small(first + 3);
  dispatch.ids = {row.text(first + 4), row.text(first + 5)};
  dispatch.state = row.as<domain::DispatchState>(first + 6);
  dispatch.sends = row.small(first + 7);
  dispatch.created_at = row.time(first + 8);
  dispatch.due_at = row.time(first + 9);
  dispatch.accepted_at = row.optional_time(first + 10);
  dispatch.next_send_at = row.optional_time(first + 11);
  dispatch.answer = row.text(first + 12);
  return dispatch;
}

void insert_dispatches(Connection& connection,
                       std::span<const std::pair<std::string_view, const domain::Dispatch*>> dispatches) {
  if (dispatches.empty()) return;
  Array tenants(Type::text), attempts(Type::uuid), executions(Type::uuid), numbers(Type::integer),
      internals(Type::text), externals(Type::text), states(Type::integer), sends(Type::integer), created(Type::integer),
      due(Type::integer), next(Type::integer);
  for (const auto& [tenant, dispatch] : dispatches) {
    tenants.add(tenant);
    attempts.add(dispatch->attempt_id);
    executions.add(dispatch->execution_id);
    numbers.add(dispatch->attempt);
    internals.add(dispatch->ids.internal);
    externals.add(dispatch->ids.external);
    states.add(dispatch->state);
    sends.add(dispatch->sends);
    created.add(dispatch->created_at);
    due.add(dispatch->due_at);
    next.add(dispatch->next_send_at);
  }
  connection.run(
      "INSERT INTO dispatches (tenant, attempt_id, execution_id, number, repair, dispatch_id, external_id, state, "
      "sends,"
      " created_at, due_at, next_send_at, answer)"
      " SELECT b.tenant, b.attempt_id, b.execution_id, b.number, 0, b.dispatch_id, b.external_id, b.state, b.sends,"
      " b.created_at, b.due_at, b.next_send_at, '' FROM unnest($1::text[], $2::uuid[], $3::uuid[], $4::bigint[],"
      " $5::text[], $6::text[], $7::bigint[], $8::bigint[], $9::bigint[], $10::bigint[], $11::bigint[])"
      " AS b (tenant, attempt_id, execution_id, number, dispatch_id, external_id, state, sends, created_at, due_at,"
      " next_send_at)",
      tenants, attempts, executions, numbers, internals, externals, states, sends, created, due, next);
}

std::vector<StoredDispatch> read_dispatches(Connection& connection, const DispatchQuery& query) {
  std::vector<StoredDispatch> found;
  for (const Row row : find_rows(connection, query))
    found.push_back({read_dispatch(row), row.text(13), row.text(14), row.boolean(15)});
  return found;
}

std::vector<DispatchDepth> read_dispatch_depths(Connection& connection) {
  std::map<TenantAndQueue, DispatchDepth> depths;
  const Rows rows = connection.run(
      "SELECT d.tenant, e.queue, d.state, count(*) FROM attempts a"
      " JOIN executions e ON e.tenant = a.tenant AND e.id = a.execution_id"
      " JOIN dispatches d ON d.tenant = a.tenant AND d.attempt_id = a.id"
      " WHERE a.outcome = 0 AND a.worker = $1 GROUP BY d.tenant, e.queue, d.state",
      domain::push_worker);
  for (const Row row : rows) {
    DispatchDepth& depth = depths[{row.text(0), row.text(1)}];
    depth.tenant = row.text(0);
    depth.queue = row.text(1);
    count(depth, row.as<domain::DispatchState>(2), row.integer(3));
  }
  std::vector<DispatchDepth> listed;
  for (auto& [queue, depth] : depths) listed.push_back(std::move(depth));
  return listed;
}

}  // namespace semel::store::postgres
