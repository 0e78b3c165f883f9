#include "store/postgres/run_removal.hpp"

#include <algorithm>

namespace semel::store::postgres {
namespace {

std::vector<TenantAndId> ids_of(const Rows& rows) {
  std::vector<TenantAndId> ids;
  for (const Row row : rows) ids.emplace_back(row.text(0), domain::ExecutionId{row.uuid(1)});
  return ids;
}

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
      "SELECT e.tenant, e.queue FROM executions e WHERE e.closed_at IS NOT NULL AND e.kind = 1"
      " AND (e.tenant, e.queue) > ($1, $2) ORDER BY e.tenant, e.queue LIMIT 1",
      place.first, place.second);
  if (rows.empty()) return false;
  place = {rows[0].text(0), rows[0].text(1)};
  return true;
}

}  // namespace

std::vector<TenantAndId> runs_among(Connection& connection, std::span<const TenantAndId> ids) {
  const IdArrays wanted(ids);
  return ids_of(connection.run(
      "SELECT r.tenant, r.id FROM (SELECT DISTINCT * FROM unnest($1::text[], $2::uuid[]) AS u (tenant, id)) u"
      " JOIN runs r ON r.tenant = u.tenant AND r.id = u.id",
      wanted.tenants, wanted.ids));
}

std::vector<TenantAndId> tasks_of(Connection& connection, std::span<const TenantAndId> runs) {
  if (runs.empty()) return {};
  const IdArrays wanted(runs);
  std::vector<TenantAndId> tasks =
      ids_of(connection.run("SELECT e.tenant, e.id FROM unnest($1::text[], $2::uuid[]) AS u (tenant, id)"
                            " JOIN executions e ON e.tenant = u.tenant AND e.run = u.id AND e.run IS NOT NULL",
                            wanted.tenants, wanted.ids));
  std::sort(tasks.begin(), tasks.end());
  return tasks;
}

void lock_runs(Connection& connection, std::span<const TenantAndId> runs) {
  if (runs.empty()) return;
  const IdArrays wanted(runs);
  connection.run(
      "SELECT 1 FROM runs r WHERE (r.tenant, r.id) IN (SELECT * FROM unnest($1::text[], $2::uuid[]))"
      " ORDER BY r.tenant, r.id FOR UPDATE",
      wanted.tenants, wanted.ids);
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
        " FROM executions e WHERE e.closed_at IS NOT NULL AND e.kind = 1 AND e.tenant = $1 AND e.queue = $2"
        " AND e.closed_at <= $3 ORDER BY e.closed_at LIMIT $4",
        place.first, place.second, batch.now - retention, max - count);
    for (const Row row : rows) {
      if (count >= max) return;
      old.emplace_back(place.first, domain::ExecutionId{row.uuid(0)});
      count += 1 + row.integer(1);
    }
  }
}

}  // namespace semel::store::postgres
