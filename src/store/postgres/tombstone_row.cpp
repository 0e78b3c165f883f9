#include "store/postgres/tombstone_row.hpp"

namespace semel::store::postgres {
namespace {

#define SEMEL_TOMBSTONE_COLUMNS                                                                          \
  "t.tenant, t.id, t.kind, t.named_task, t.handler, t.state, t.created_at, t.closed_at, t.window_kind, " \
  "t.window_ms, t.fingerprint, t.created_by, t.released_at, t.client_made_id, t.hash"

TombstoneRow read_tombstone(const Row& row) {
  TombstoneRow read;
  domain::Holder& holder = read.holder;
  holder.tombstone = true;
  holder.id = {row.uuid(1)};
  holder.kind = row.as<domain::Kind>(2);
  holder.named_task = row.optional_uuid(3);
  holder.handler = row.text(4);
  holder.state = row.as<domain::State>(5);
  holder.created_at = row.time(6);
  holder.closed_at = row.time(7);
  holder.window = {row.as<domain::Window::Kind>(8), Duration{row.integer(9)}};
  holder.fingerprint = row.optional_hash(10);
  holder.created_by = row.text(11);
  holder.released_at = row.optional_time(12);
  read.hash = row.optional_hash(14);
  read.claims = {row.boolean(13), read.hash.has_value()};
  return read;
}

}  // namespace

void insert_tombstone(Connection& connection, const domain::Execution& execution, bool holds_identity) {
  const domain::Holder holder = domain::tombstone_of(execution);
  const bool client_made = execution.spec.client_made_id;
  std::optional<Hash32> hash;
  if (holds_identity) hash = execution.spec.identity.hash;
  connection.run(
      "INSERT INTO tombstones (tenant, id, kind, named_task, handler, state, created_at, closed_at, window_kind,"
      " window_ms, fingerprint, created_by, released_at, client_made_id, hash, expires_at)"
      " VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16) ON CONFLICT DO NOTHING",
      execution.spec.tenant, holder.id, holder.kind, holder.named_task, holder.handler, holder.state, holder.created_at,
      holder.closed_at, holder.window.kind, holder.window.length, holder.fingerprint, holder.created_by,
      holder.released_at, client_made, hash, domain::tombstone_end(holder, {client_made, holds_identity}));
}

std::map<TenantAndId, TombstoneRow> find_tombstones(Connection& connection, std::span<const TenantAndId> ids) {
  std::map<TenantAndId, TombstoneRow> found;
  if (ids.empty()) return found;
  const IdArrays wanted(ids);
  const Rows rows = connection.run("SELECT " SEMEL_TOMBSTONE_COLUMNS
                                   " FROM tombstones t WHERE (t.tenant, t.id) IN"
                                   " (SELECT * FROM unnest($1::text[], $2::uuid[]))",
                                   wanted.tenants, wanted.ids);
  for (const Row row : rows) found.emplace(TenantAndId{row.text(0), {row.uuid(1)}}, read_tombstone(row));
  return found;
}

std::optional<TombstoneRow> find_tombstone(Connection& connection, std::string_view tenant, domain::ExecutionId id) {
  const Rows rows = connection.run(
      "SELECT " SEMEL_TOMBSTONE_COLUMNS " FROM tombstones t WHERE t.tenant = $1 AND t.id = $2", tenant, id);
  if (rows.empty()) return std::nullopt;
  return read_tombstone(rows[0]);
}

void remove_tombstones(Connection& connection, std::span<const TenantAndId> ids) {
  if (ids.empty()) return;
  const IdArrays gone(ids);
  connection.run(
      "WITH gone AS (DELETE FROM tombstones t WHERE (t.tenant, t.id) IN (SELECT * FROM unnest($1::text[], $2::uuid[]))"
      " RETURNING t.tenant, t.id, t.hash)"
      " DELETE FROM identities i USING gone g WHERE i.tenant = g.tenant AND i.hash = g.hash AND i.execution_id = g.id",
      gone.tenants, gone.ids);
}

void drop_tombstone_identity(Connection& connection, const std::string& tenant, const TombstoneRow& row) {
  if (row.claims.client_made_id) {
    connection.run("UPDATE tombstones SET hash = NULL WHERE tenant = $1 AND id = $2", tenant, row.holder.id);
    return;
  }
  connection.run("DELETE FROM tombstones WHERE tenant = $1 AND id = $2", tenant, row.holder.id);
}

}  // namespace semel::store::postgres
