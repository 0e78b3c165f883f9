#include "store/postgres/closed.hpp"

namespace semel::store::postgres {
namespace {

struct HashArrays {
  explicit HashArrays(std::span<const TenantAndHash> identities) {
    for (const auto& [tenant, hash] : identities) {
      tenants.add(tenant);
      hashes.add(hash);
    }
  }
  Array tenants{Type::text};
  Array hashes{Type::bytes};
};

}  // namespace

Held FoundHolder::held(bool by_id) && {
  Held held{holder(), std::nullopt, by_id};
  if (row) held.execution = std::move(row->execution);
  return held;
}

/// Identities and executions are read by one statement, at one moment; a tombstone that has gone before the second was
/// held by nobody any more. Whoever has a tombstone has left, also where the row is still there.
std::map<TenantAndHash, FoundHolder> find_holders(Connection& connection, std::span<const TenantAndHash> identities) {
  std::map<TenantAndHash, FoundHolder> found;
  if (identities.empty()) return found;
  const HashArrays wanted(identities);
  const Rows rows =
      connection.run("SELECT i.tenant, i.hash, i.execution_id, " SEMEL_EXECUTION_COLUMNS
                     " FROM (SELECT DISTINCT * FROM unnest($1::text[], $2::bytea[]) AS u (tenant, hash)) u"
                     " JOIN identities i ON i.tenant = u.tenant AND i.hash = u.hash"
                     " LEFT JOIN executions e ON e.tenant = i.tenant AND e.id = i.execution_id",
                     wanted.tenants, wanted.hashes);
  std::map<TenantAndId, TenantAndHash> buried;
  for (const Row row : rows) {
    TenantAndHash identity{row.text(0), row.hash(1)};
    if (row.is_null(4)) buried.emplace(TenantAndId{identity.first, {row.uuid(2)}}, std::move(identity));
    else found[std::move(identity)].row = read_execution(row, 3);
  }
  std::vector<TenantAndId> ids;
  for (const auto& [id, identity] : buried) ids.push_back(id);
  for (auto& [id, tombstone] : find_tombstones(connection, ids)) found[buried.at(id)].tombstone = std::move(tombstone);
  std::erase_if(ids, [&](const TenantAndId& id) { return found.contains(buried.at(id)); });
  for (auto& [id, row] : find_closed(connection, ids, Leaving::shown)) found[buried.at(id)].row = std::move(row);
  return found;
}

std::map<TenantAndId, FoundHolder> find_by_client_ids(Connection& connection, std::span<const TenantAndId> ids,
                                                      Time now) {
  std::map<TenantAndId, FoundHolder> found;
  for (auto& [id, row] : find_executions(connection, ids)) found[id].row = std::move(row);
  std::vector<TenantAndId> others(ids.begin(), ids.end());
  std::erase_if(others, [&](const TenantAndId& id) { return found.contains(id); });
  for (auto& [id, row] : find_closed(connection, others, Leaving::shown)) found[id].row = std::move(row);
  for (auto& [id, tombstone] : find_tombstones(connection, ids)) {
    const bool is_taken = domain::tombstone_holds(tombstone.holder, tombstone.claims, now);
    if (is_taken && !found.contains(id)) found[id].tombstone = std::move(tombstone);
  }
  return found;
}

/// The sort is below the locking, so rows are locked as sorted. It reads no holder: a join under FOR UPDATE reads the
/// locked row anew after a wait, but what it is joined with as it was when the statement began.
LockedIdentities lock_identities(Connection& connection, std::span<const TenantAndHash> identities) {
  LockedIdentities held;
  if (identities.empty()) return held;
  const HashArrays wanted(identities);
  const Rows rows = connection.run(
      "SELECT i.tenant, i.hash, i.execution_id, i.promised_until FROM identities i WHERE (i.tenant, i.hash) IN"
      " (SELECT * FROM unnest($1::text[], $2::bytea[])) ORDER BY i.tenant, i.hash FOR UPDATE",
      wanted.tenants, wanted.hashes);
  for (const Row row : rows) {
    held.emplace(TenantAndHash{row.text(0), row.hash(1)},
                 LockedIdentity{domain::ExecutionId{row.uuid(2)}, row.optional_time(3)});
  }
  return held;
}

bool claim_identity(Batch& batch, const TenantAndHash& identity, domain::ExecutionId id) {
  return !batch.connection
              .run(
                  "INSERT INTO identities (tenant, hash, execution_id) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING"
                  " RETURNING 1",
                  identity.first, identity.second, id)
              .empty();
}

void hand_over(Batch& batch, const TenantAndHash& identity, const FoundHolder& holder, domain::ExecutionId to) {
  if (holder.tombstone) drop_tombstone_identity(batch.connection, identity.first, *holder.tombstone);
  const Rows moved = batch.connection.run(
      "UPDATE identities SET execution_id = $3 WHERE tenant = $1 AND hash = $2 AND execution_id = $4"
      " AND coalesce(promised_until, 0) <= $5 RETURNING 1",
      identity.first, identity.second, to, holder.holder().id, batch.now);
  if (moved.empty()) throw Contention("the identity has another holder by now");
}

void lock_name(Batch& batch, std::string_view name) {
  if (!batch.names.emplace(name).second) return;
  batch.connection.run("SELECT pg_advisory_xact_lock(hashtextextended($1, 0))", name);
}

void write_audit(Batch& batch, std::string_view tenant, std::string_view actor, std::string_view action,
                 std::string_view subject) {
  batch.audit.emplace_back(tenant,
                           AuditEntry{0, batch.now, std::string(actor), std::string(action), std::string(subject)});
}

void flush_audit(Batch& batch) {
  if (batch.audit.empty()) return;
  Array tenants(Type::text), actors(Type::text), actions(Type::text), subjects(Type::text);
  for (const auto& [tenant, entry] : batch.audit) {
    tenants.add(tenant);
    actors.add(entry.actor);
    actions.add(entry.action);
    subjects.add(entry.subject);
  }
  batch.connection.run(
      "INSERT INTO audit (tenant, at, actor, action, subject) SELECT b.tenant, $1, b.actor, b.action, b.subject"
      " FROM unnest($2::text[], $3::text[], $4::text[], $5::text[]) WITH ORDINALITY"
      " AS b (tenant, actor, action, subject, arrival) ORDER BY b.arrival",
      batch.now, tenants, actors, actions, subjects);
}

}  // namespace semel::store::postgres
