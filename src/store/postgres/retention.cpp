#include "store/postgres/batch.hpp"

/// How executions leave: when their retention has passed, or at once where nothing is kept.
namespace semel::store::postgres {
namespace {

TenantAndHash identity_of(const ExecutionRow& row) {
  return {row.execution.spec.tenant, row.execution.spec.identity.hash};
}

bool has_identity(const ExecutionRow& row) { return row.execution.spec.identity.mode != domain::Mode::none; }

/// What was removed, and what is left of it.
struct Departure {
  domain::Execution execution;
  bool left_tombstone = false;
};

void erase(Batch& batch, std::span<const TenantAndId> ids) {
  if (ids.empty()) return;
  const IdArrays gone(ids);
  batch.connection.run(
      "WITH gone AS MATERIALIZED (SELECT * FROM unnest($1::text[], $2::uuid[]) AS g (tenant, id)),"
      " attempts_gone AS (DELETE FROM attempts a USING gone g WHERE a.tenant = g.tenant AND a.execution_id = g.id),"
      " duplicates_gone AS (DELETE FROM duplicates d USING gone g WHERE d.tenant = g.tenant AND d.id = g.id)"
      " DELETE FROM executions e USING gone g WHERE e.tenant = g.tenant AND e.id = g.id",
      gone.tenants, gone.ids);
}

/// Removes those that are closed, and says so. Identities are locked first, and then the rows, which are read again
/// under their locks.
std::vector<Departure> remove_closed(Batch& batch, std::span<const TenantAndId> ids) {
  std::vector<Departure> departures;
  if (ids.empty()) return departures;
  std::vector<TenantAndHash> identities;
  for (const auto& [id, row] : find_executions(batch.connection, ids)) {
    if (has_identity(row)) identities.push_back(identity_of(row));
  }
  const std::map<TenantAndHash, domain::ExecutionId> holders = lock_identities(batch.connection, identities);
  lock_executions(batch.connection, ids);
  std::map<TenantAndId, ExecutionRow> rows = find_executions(batch.connection, ids);
  std::vector<TenantAndId> gone;
  Array tenants(Type::text);
  Array hashes(Type::bytes);
  for (const TenantAndId& id : ids) {
    const auto found = rows.find(id);
    if (found == rows.end() || domain::is_open(found->second.execution.state)) continue;
    const ExecutionRow& row = found->second;
    const auto holder = holders.find(identity_of(row));
    const bool holds = has_identity(row) && holder != holders.end() && holder->second == id.second;
    const domain::TombstoneClaims claims{row.execution.spec.client_made_id, holds};
    const bool leaves = domain::tombstone_holds(domain::tombstone_of(row.execution), claims, batch.now);
    if (leaves) insert_tombstone(batch.connection, row.execution, holds);
    if (holds && !leaves) {
      tenants.add(id.first);
      hashes.add(row.execution.spec.identity.hash);
    }
    gone.push_back(id);
    departures.push_back({std::move(found->second.execution), leaves});
    rows.erase(found);
  }
  erase(batch, gone);
  if (tenants.size() > 0) {
    batch.connection.run(
        "DELETE FROM identities i USING unnest($1::text[], $2::bytea[]) AS g (tenant, hash)"
        " WHERE i.tenant = g.tenant AND i.hash = g.hash",
        tenants, hashes);
  }
  return departures;
}

/// The next queue that has closed executions: one look into the index, however many it has.
bool next_queue(Batch& batch, TenantAndQueue& place) {
  const Rows rows = batch.connection.run(
      "SELECT e.tenant, e.queue FROM executions e WHERE e.closed_at IS NOT NULL AND (e.tenant, e.queue) > ($1, $2)"
      " ORDER BY e.tenant, e.queue LIMIT 1",
      place.first, place.second);
  if (rows.empty()) return false;
  place = {rows[0].text(0), rows[0].text(1)};
  return true;
}

void find_old(Batch& batch, const TenantAndQueue& place, std::int64_t max, std::vector<TenantAndId>& old) {
  const Duration retention = batch.queues.settings(place).retention;
  const Rows rows = batch.connection.run(
      "SELECT e.id FROM executions e WHERE e.closed_at IS NOT NULL AND e.tenant = $1 AND e.queue = $2"
      " AND e.closed_at <= $3 ORDER BY e.closed_at LIMIT $4",
      place.first, place.second, batch.now - retention, max);
  for (const Row row : rows) old.emplace_back(place.first, domain::ExecutionId{row.uuid(0)});
}

std::int64_t sweep_tombstones(Batch& batch, std::int64_t max) {
  const Rows rows = batch.connection.run(
      "SELECT t.tenant, t.id, t.hash FROM tombstones t WHERE t.expires_at IS NOT NULL AND t.expires_at <= $1"
      " ORDER BY t.expires_at LIMIT $2",
      batch.now, max);
  std::vector<TenantAndId> stale;
  std::vector<TenantAndHash> identities;
  for (const Row row : rows) {
    stale.emplace_back(row.text(0), domain::ExecutionId{row.uuid(1)});
    if (!row.is_null(2)) identities.emplace_back(row.text(0), row.hash(2));
  }
  lock_identities(batch.connection, identities);
  remove_tombstones(batch.connection, stale);
  return std::ssize(stale);
}

}  // namespace

Outcome apply(Batch& batch, const Remove& command) {
  const TenantAndId id{command.tenant, command.id};
  const std::vector<Departure> removed = remove_closed(batch, {&id, 1});
  if (!removed.empty())
    return Removed{removed[0].left_tombstone ? Removed::Kind::left_tombstone : Removed::Kind::removed};
  const bool is_there = find_execution(batch.connection, command.tenant, command.id).has_value();
  return Removed{is_there ? Removed::Kind::still_open : Removed::Kind::not_found};
}

std::vector<domain::Execution> forget_closed(Batch& batch, std::span<const TenantAndId> ids) {
  std::vector<domain::Execution> gone;
  for (Departure& each : remove_closed(batch, ids)) gone.push_back(std::move(each.execution));
  return gone;
}

Outcome apply(Batch& batch, const Sweep& command) {
  std::vector<TenantAndId> old;
  TenantAndQueue place;
  while (std::ssize(old) < command.max && next_queue(batch, place))
    find_old(batch, place, command.max - std::ssize(old), old);
  Swept swept;
  swept.executions = static_cast<int>(remove_closed(batch, old).size());
  const std::int64_t left = command.max - std::ssize(old);
  swept.tombstones = static_cast<int>(left > 0 ? sweep_tombstones(batch, left) : 0);
  swept.more = std::ssize(old) + swept.tombstones == command.max;
  return swept;
}

}  // namespace semel::store::postgres
