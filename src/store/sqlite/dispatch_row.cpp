#include "store/sqlite/dispatch_row.hpp"

#include <algorithm>
#include <map>
#include <tuple>

#include "base/ensure.hpp"

namespace semel::store::sqlite {
namespace {

#define SEMEL_DISPATCH_COLUMNS                                                                                       \
  "d.attempt_id, d.execution_id, d.number, d.repair, d.dispatch_id, d.external_id, d.state, d.sends, d.created_at, " \
  "d.due_at, d.accepted_at, d.next_send_at, d.answer"
#define SEMEL_STORED_DISPATCHES                                                              \
  "SELECT " SEMEL_DISPATCH_COLUMNS                                                           \
  ", e.queue, e.handler, a.outcome FROM dispatches d JOIN attempts a ON a.id = d.attempt_id" \
  " JOIN executions e ON e.seq = a.seq WHERE d.tenant_id = ?1 AND d.attempt_id < ?2 AND "
#define SEMEL_NEWEST_FIRST " ORDER BY d.attempt_id DESC LIMIT ?3"

domain::Dispatch read_dispatch(const Statement& row) {
  domain::Dispatch dispatch;
  dispatch.attempt_id = {row.uuid(0)};
  dispatch.execution_id = {row.uuid(1)};
  dispatch.attempt = row.small(2);
  dispatch.repair = row.small(3);
  dispatch.ids = {row.text(4), row.text(5)};
  dispatch.state = static_cast<domain::DispatchState>(row.integer(6));
  dispatch.sends = row.small(7);
  dispatch.created_at = row.time(8);
  dispatch.due_at = row.time(9);
  dispatch.accepted_at = row.optional_time(10);
  dispatch.next_send_at = row.optional_time(11);
  dispatch.answer = row.text(12);
  return dispatch;
}

/// Beyond all ids.
Uuid last_uuid() {
  Uuid uuid;
  uuid.bytes.fill(0xFF);
  return uuid;
}

/// Open ones are found by their attempts: only few of those run.
Scoped query_of(Connection& connection, const DispatchQuery& query) {
  if (query.external_id) return connection.use(SEMEL_STORED_DISPATCHES "d.external_id = ?4" SEMEL_NEWEST_FIRST);
  if (query.execution_id) {
    return connection.use(SEMEL_STORED_DISPATCHES
                          "d.attempt_id IN (SELECT x.id FROM executions y JOIN attempts x ON x.seq = y.seq"
                          " WHERE y.tenant_id = ?1 AND y.id = ?4)" SEMEL_NEWEST_FIRST);
  }
  if (query.attempt_id) return connection.use(SEMEL_STORED_DISPATCHES "d.attempt_id = ?4" SEMEL_NEWEST_FIRST);
  return connection.use(
      SEMEL_STORED_DISPATCHES
      "d.attempt_id IN (SELECT x.id FROM attempts x WHERE x.outcome = 0 AND x.worker = ?4)" SEMEL_NEWEST_FIRST);
}

}  // namespace

void insert_dispatch(Connection& connection, std::int64_t tenant_id, const domain::Dispatch& dispatch) {
  connection
      .use(
          "INSERT INTO dispatches (tenant_id, attempt_id, execution_id, number, repair, dispatch_id, external_id, "
          "state,"
          " sends, created_at, due_at, next_send_at, answer)"
          " VALUES (?1, ?2, ?3, ?4, 0, ?5, ?6, ?7, ?8, ?9, ?10, ?11, '')")
      ->bind(1, tenant_id)
      .bind(2, dispatch.attempt_id.uuid)
      .bind(3, dispatch.execution_id.uuid)
      .bind(4, std::int64_t{dispatch.attempt})
      .bind(5, dispatch.ids.internal)
      .bind(6, dispatch.ids.external)
      .bind(7, static_cast<std::int64_t>(dispatch.state))
      .bind(8, std::int64_t{dispatch.sends})
      .bind(9, dispatch.created_at)
      .bind(10, dispatch.due_at)
      .bind(11, dispatch.next_send_at)
      .run();
}

std::optional<domain::Dispatch> find_dispatch(Connection& connection, std::int64_t tenant_id, domain::AttemptId id) {
  Scoped query = connection.use("SELECT " SEMEL_DISPATCH_COLUMNS
                                " FROM dispatches d WHERE d.tenant_id = ?1 AND d.attempt_id = ?2");
  query->bind(1, tenant_id).bind(2, id.uuid);
  if (!query->step()) return std::nullopt;
  return read_dispatch(*query);
}

void write_dispatch(Connection& connection, std::int64_t tenant_id, const domain::Dispatch& dispatch) {
  connection
      .use(
          "UPDATE dispatches SET repair = ?3, dispatch_id = ?4, external_id = ?5, state = ?6, sends = ?7,"
          " accepted_at = ?8, next_send_at = ?9, answer = ?10 WHERE tenant_id = ?1 AND attempt_id = ?2")
      ->bind(1, tenant_id)
      .bind(2, dispatch.attempt_id.uuid)
      .bind(3, std::int64_t{dispatch.repair})
      .bind(4, dispatch.ids.internal)
      .bind(5, dispatch.ids.external)
      .bind(6, static_cast<std::int64_t>(dispatch.state))
      .bind(7, std::int64_t{dispatch.sends})
      .bind(8, dispatch.accepted_at)
      .bind(9, dispatch.next_send_at)
      .bind(10, dispatch.answer)
      .run();
}

void erase_dispatches(Connection& connection, std::int64_t tenant_id, std::int64_t seq) {
  connection
      .use(
          "DELETE FROM dispatches WHERE tenant_id = ?1"
          " AND attempt_id IN (SELECT id FROM attempts WHERE seq = ?2 AND worker = ?3)")
      ->bind(1, tenant_id)
      .bind(2, seq)
      .bind(3, domain::push_worker)
      .run();
}

std::vector<StoredDispatch> read_dispatches(Connection& connection, std::int64_t tenant_id,
                                            const DispatchQuery& query) {
  Scoped rows = query_of(connection, query);
  const Uuid before = query.before ? query.before->uuid : last_uuid();
  rows->bind(1, tenant_id).bind(2, before).bind(3, static_cast<std::int64_t>(query.limit));
  if (query.external_id) rows->bind(4, *query.external_id);
  else if (query.execution_id) rows->bind(4, query.execution_id->uuid);
  else if (query.attempt_id) rows->bind(4, query.attempt_id->uuid);
  else rows->bind(4, domain::push_worker);
  std::vector<StoredDispatch> found;
  while (rows->step()) {
    const bool is_open = rows->integer(15) == static_cast<std::int64_t>(domain::AttemptOutcome::running);
    found.push_back({read_dispatch(*rows), rows->text(13), rows->text(14), is_open});
  }
  return found;
}

std::vector<domain::Dispatch> read_dispatches_of(Connection& connection, std::int64_t tenant_id, std::int64_t seq,
                                                 DispatchesOf which) {
  Scoped query = connection.use("SELECT " SEMEL_DISPATCH_COLUMNS
                                " FROM attempts a INDEXED BY attempts_by_execution JOIN dispatches d"
                                " ON d.tenant_id = ?1 AND d.attempt_id = a.id WHERE a.seq = ?2 AND d.repair >= ?3"
                                " ORDER BY a.number");
  query->bind(1, tenant_id).bind(2, seq).bind(3, std::int64_t{which == DispatchesOf::repaired ? 1 : 0});
  std::vector<domain::Dispatch> found;
  while (query->step()) found.push_back(read_dispatch(*query));
  return found;
}

std::vector<DispatchDepth> read_dispatch_depths(Connection& connection, const Tenants& tenants) {
  std::map<std::pair<std::string, std::string>, DispatchDepth> depths;
  Scoped query = connection.use(
      "SELECT d.tenant_id, e.queue, d.state, count(*) FROM attempts a JOIN executions e ON e.seq = a.seq"
      " JOIN dispatches d ON d.tenant_id = a.tenant_id AND d.attempt_id = a.id"
      " WHERE a.outcome = 0 AND a.worker = ?1 GROUP BY d.tenant_id, e.queue, d.state");
  query->bind(1, domain::push_worker);
  while (query->step()) {
    const std::string tenant = tenants.name_of(query->integer(0));
    DispatchDepth& depth = depths[{tenant, query->text(1)}];
    depth.tenant = tenant;
    depth.queue = query->text(1);
    count(depth, static_cast<domain::DispatchState>(query->integer(2)), query->integer(3));
  }
  std::vector<DispatchDepth> listed;
  for (auto& [queue, depth] : depths) listed.push_back(std::move(depth));
  return listed;
}

}  // namespace semel::store::sqlite
