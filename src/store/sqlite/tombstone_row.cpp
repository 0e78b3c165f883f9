#include "store/sqlite/tombstone_row.hpp"

namespace semel::store::sqlite {
namespace {

#define SEMEL_TOMBSTONE_COLUMNS                                                                                    \
  "id, kind, named_task, handler, state, created_at, closed_at, window_kind, window_ms, fingerprint, created_by, " \
  "released_at, client_made_id, expires_at"
#define SEMEL_SELECT_TOMBSTONE "SELECT " SEMEL_TOMBSTONE_COLUMNS ", hash IS NOT NULL FROM tombstones"

TombstoneRow read_row(const Statement& row) {
  TombstoneRow read;
  domain::Holder& holder = read.holder;
  holder.tombstone = true;
  holder.id = {row.uuid(0)};
  holder.kind = static_cast<domain::Kind>(row.integer(1));
  holder.named_task = row.optional_uuid(2);
  holder.handler = row.text(3);
  holder.state = static_cast<domain::State>(row.integer(4));
  holder.created_at = row.time(5);
  holder.closed_at = row.time(6);
  holder.window = {static_cast<domain::Window::Kind>(row.integer(7)), Duration{row.integer(8)}};
  holder.fingerprint = row.optional_hash(9);
  holder.created_by = row.text(10);
  holder.released_at = row.optional_time(11);
  read.claims = {row.integer(12) != 0, row.integer(14) != 0};
  return read;
}

}  // namespace

void insert_tombstone(Connection& connection, std::int64_t tenant_id, const domain::Execution& execution,
                      bool holds_identity) {
  const domain::Holder holder = domain::tombstone_of(execution);
  Scoped insert = connection.use("INSERT INTO tombstones (tenant_id, hash, " SEMEL_TOMBSTONE_COLUMNS
                                 ") VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16)");
  insert->bind(1, tenant_id);
  if (holds_identity) insert->bind(2, execution.spec.identity.hash);
  insert->bind(3, holder.id.uuid).bind(4, static_cast<std::int64_t>(holder.kind)).bind(5, holder.named_task);
  insert->bind(6, holder.handler).bind(7, static_cast<std::int64_t>(holder.state)).bind(8, holder.created_at);
  insert->bind(9, holder.closed_at)
      .bind(10, static_cast<std::int64_t>(holder.window.kind))
      .bind(11, holder.window.length);
  insert->bind(12, holder.fingerprint).bind(13, holder.created_by).bind(14, holder.released_at);
  insert->bind(15, std::int64_t{execution.spec.client_made_id});
  insert->bind(16, domain::tombstone_end(holder, {execution.spec.client_made_id, holds_identity})).run();
}

std::optional<TombstoneRow> find_tombstone_by_id(Connection& connection, std::int64_t tenant_id,
                                                 domain::ExecutionId id) {
  Scoped query = connection.use(SEMEL_SELECT_TOMBSTONE " WHERE tenant_id = ?1 AND id = ?2");
  query->bind(1, tenant_id).bind(2, id.uuid);
  if (!query->step()) return std::nullopt;
  return read_row(*query);
}

std::optional<TombstoneRow> find_tombstone_by_hash(Connection& connection, const IdentityKey& key) {
  Scoped query = connection.use(SEMEL_SELECT_TOMBSTONE " WHERE tenant_id = ?1 AND hash = ?2");
  query->bind(1, key.tenant_id).bind(2, key.hash);
  if (!query->step()) return std::nullopt;
  return read_row(*query);
}

void remove_tombstone(Connection& connection, std::int64_t tenant_id, domain::ExecutionId id) {
  connection.use("DELETE FROM tombstones WHERE tenant_id = ?1 AND id = ?2")->bind(1, tenant_id).bind(2, id.uuid).run();
}

void drop_tombstone_identity(Connection& connection, std::int64_t tenant_id, const TombstoneRow& row) {
  if (!row.claims.client_made_id) {
    remove_tombstone(connection, tenant_id, row.holder.id);
    return;
  }
  connection.use("UPDATE tombstones SET hash = NULL WHERE tenant_id = ?1 AND id = ?2")
      ->bind(1, tenant_id)
      .bind(2, row.holder.id.uuid)
      .run();
}

}  // namespace semel::store::sqlite
