#include "store/postgres/run_removal.hpp"

#include "store/postgres/workflows.hpp"

namespace semel::store::postgres {
namespace {

std::vector<TenantAndId> listed_of(const std::set<TenantAndId>& ids) { return {ids.begin(), ids.end()}; }

/// One that somebody just now makes a run of is in use, and left alone. Whether a run refers to it is asked again once
/// it is locked, by a new statement: whoever had it locked before has made its run by then.
void erase_plans(Connection& connection, const Array& tenants, const Array& hashes) {
#define SEMEL_UNUSED                                                      \
  "(p.tenant, p.hash) IN (SELECT * FROM unnest($1::text[], $2::bytea[]))" \
  " AND NOT EXISTS (SELECT FROM runs r WHERE r.tenant = p.tenant AND r.plan = p.hash)"
  const Rows locked = connection.run(
      "SELECT p.tenant, p.hash FROM plans p WHERE " SEMEL_UNUSED " FOR UPDATE SKIP LOCKED", tenants, hashes);
  if (locked.empty()) return;
  Array unused_tenants(Type::text), unused_hashes(Type::bytes);
  for (const Row row : locked) {
    unused_tenants.add(row.text(0));
    unused_hashes.add(row.hash(1));
  }
  connection.run("DELETE FROM plans p WHERE " SEMEL_UNUSED, unused_tenants, unused_hashes);
}

/// The next queue after this one that has closed runs.
bool next_queue_of_runs(Connection& connection, TenantAndQueue& place) {
  const Rows rows = connection.run(
      "SELECT e.tenant, e.queue FROM executions e WHERE e.closed_at IS NOT NULL AND e.run IS NULL AND e.kind = 1"
      " AND (e.tenant, e.queue) > ($1, $2) ORDER BY e.tenant, e.queue LIMIT 1",
      place.first, place.second);
  if (rows.empty()) return false;
  place = {rows[0].text(0), rows[0].text(1)};
  return true;
}

}  // namespace

Trees trees_among(Connection& connection, std::span<const TenantAndId> ids) {
  Trees trees;
  const IdArrays wanted(ids);
  const Rows rows = connection.run(
      "WITH RECURSIVE wanted AS MATERIALIZED (SELECT DISTINCT * FROM unnest($1::text[], $2::uuid[]) AS u (tenant, id)),"
      " roots AS MATERIALIZED (SELECT r.tenant, r.id, false AS is_code FROM wanted u"
      " JOIN runs r ON r.tenant = u.tenant AND r.id = u.id"
      " UNION ALL SELECT w.tenant, w.id, true FROM wanted u JOIN workflows w ON w.tenant = u.tenant AND w.id = u.id),"
      " tree AS (SELECT r.tenant, r.id AS root, r.id, r.is_code FROM roots r"
      " UNION ALL SELECT e.tenant, t.root, e.id, NOT " SEMEL_NO_WORKFLOW_HANDLER
      " FROM tree t JOIN executions e ON e.tenant = t.tenant AND e.run = t.id AND e.run IS NOT NULL)"
      " SELECT tenant, root, id, is_code FROM tree",
      wanted.tenants, wanted.ids);
  for (const Row row : rows) {
    const TenantAndId root{row.text(0), {row.uuid(1)}};
    const TenantAndId id{root.first, {row.uuid(2)}};
    if (row.boolean(3)) trees.workflows.insert(id);
    else if (id == root) trees.runs.insert(id);
    if (id != root) trees.root_of.insert_or_assign(id, root);
  }
  return trees;
}

void lock_trees(Connection& connection, const Trees& trees) {
  if (!trees.runs.empty()) {
    const IdArrays runs(listed_of(trees.runs));
    connection.run(
        "SELECT 1 FROM runs r WHERE (r.tenant, r.id) IN (SELECT * FROM unnest($1::text[], $2::uuid[]))"
        " ORDER BY r.tenant, r.id FOR UPDATE",
        runs.tenants, runs.ids);
  }
  if (!trees.workflows.empty()) {
    const IdArrays workflows(listed_of(trees.workflows));
    connection.run(
        "SELECT 1 FROM workflows w WHERE (w.tenant, w.id) IN (SELECT * FROM unnest($1::text[], $2::uuid[]))"
        " ORDER BY w.tenant, w.id FOR UPDATE",
        workflows.tenants, workflows.ids);
  }
}

void erase_workflows(Connection& connection, std::span<const TenantAndId> workflows) {
  if (workflows.empty()) return;
  const IdArrays gone(workflows);
  connection.run(
      "WITH gone AS MATERIALIZED (SELECT * FROM unnest($1::text[], $2::uuid[]) AS g (tenant, id)),"
      " history_gone AS (DELETE FROM history h USING gone g WHERE h.tenant = g.tenant AND h.run = g.id),"
      " timers_gone AS (DELETE FROM timers t USING gone g WHERE t.tenant = g.tenant AND t.run = g.id),"
      " signals_gone AS (DELETE FROM signals s USING gone g WHERE s.tenant = g.tenant AND s.run = g.id)"
      " DELETE FROM workflows w USING gone g WHERE w.tenant = g.tenant AND w.id = g.id",
      gone.tenants, gone.ids);
}

void erase_runs(Connection& connection, std::span<const TenantAndId> runs) {
  if (runs.empty()) return;
  const IdArrays gone(runs);
  const Rows erased = connection.run(
      "WITH gone AS MATERIALIZED (SELECT * FROM unnest($1::text[], $2::uuid[]) AS g (tenant, id)),"
      " outcomes_gone AS (DELETE FROM outcomes o USING gone g WHERE o.tenant = g.tenant AND o.run = g.id),"
      " history_gone AS (DELETE FROM history h USING gone g WHERE h.tenant = g.tenant AND h.run = g.id)"
      " DELETE FROM runs r USING gone g WHERE r.tenant = g.tenant AND r.id = g.id RETURNING r.tenant, r.plan",
      gone.tenants, gone.ids);
  std::set<TenantAndHash> plans;
  for (const Row row : erased) plans.emplace(row.text(0), row.hash(1));
  Array tenants(Type::text), hashes(Type::bytes);
  for (const auto& [tenant, hash] : plans) {
    tenants.add(tenant);
    hashes.add(hash);
  }
  if (!plans.empty()) erase_plans(connection, tenants, hashes);
}

void find_old_runs(Batch& batch, std::int64_t max, std::vector<TenantAndId>& old, std::int64_t& count) {
  TenantAndQueue place;
  while (count < max && next_queue_of_runs(batch.connection, place)) {
    const Duration retention = batch.queues.settings(place).run_retention;
    const Rows rows = batch.connection.run(
        "SELECT e.id, (SELECT count(*) FROM executions t WHERE t.tenant = e.tenant AND t.run = e.id)"
        " FROM executions e WHERE e.closed_at IS NOT NULL AND e.run IS NULL AND e.kind = 1 AND e.tenant = $1"
        " AND e.queue = $2 AND e.closed_at <= $3 AND NOT EXISTS (SELECT FROM executions t WHERE t.tenant = e.tenant"
        " AND t.run = e.id AND t.run IS NOT NULL AND t.state IN (0, 1, 2)) ORDER BY e.closed_at LIMIT $4",
        place.first, place.second, batch.now - retention, max - count);
    for (const Row row : rows) {
      if (count >= max) return;
      old.emplace_back(place.first, domain::ExecutionId{row.uuid(0)});
      count += 1 + row.integer(1);
    }
  }
}

}  // namespace semel::store::postgres
