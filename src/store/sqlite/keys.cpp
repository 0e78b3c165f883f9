#include "store/sqlite/audit.hpp"
#include "store/sqlite/inner.hpp"

namespace semel::store::sqlite {
namespace {

#define SEMEL_KEY_COLUMNS \
  "id, tenant_id, name, permissions, secret_hash, created_at, created_by, expires_at, revoked_at"

domain::ApiKey read_key(const Statement& row, const Tenants& tenants) {
  domain::ApiKey key;
  key.id = row.text(0);
  key.tenant = tenants.name_of(row.integer(1));
  key.name = row.text(2);
  key.permissions = static_cast<std::uint8_t>(row.integer(3));
  key.secret_hash = row.hash(4);
  key.created_at = row.time(5);
  key.created_by = row.text(6);
  key.expires_at = row.optional_time(7);
  key.revoked_at = row.optional_time(8);
  return key;
}

std::optional<domain::ApiKey> find_key(Batch& batch, const std::string& id) {
  Scoped query = batch.connection.use("SELECT " SEMEL_KEY_COLUMNS " FROM api_keys WHERE id = ?1");
  query->bind(1, id);
  if (!query->step()) return std::nullopt;
  return read_key(*query, batch.tenants);
}

}  // namespace

Outcome apply(Batch& batch, const CreateKey& command) {
  batch.begin_writing();
  const std::int64_t tenant_id = batch.tenants.id_of(batch.connection, command.key.tenant);
  domain::ApiKey key = command.key;
  key.created_at = batch.now;
  if (command.expires_in) key.expires_at = batch.now + *command.expires_in;
  batch.connection
      .use(
          "INSERT INTO api_keys (id, tenant_id, name, permissions, secret_hash, created_at, created_by, expires_at)"
          " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)")
      ->bind(1, key.id)
      .bind(2, tenant_id)
      .bind(3, key.name)
      .bind(4, std::int64_t{key.permissions})
      .bind(5, key.secret_hash)
      .bind(6, key.created_at)
      .bind(7, key.created_by)
      .bind(8, key.expires_at)
      .run();
  write_audit(batch, tenant_id, key.created_by, "key.create", key.id);
  return KeyCreated{std::move(key)};
}

Outcome apply(Batch& batch, const RevokeKey& command) {
  std::optional<domain::ApiKey> key = find_key(batch, command.id);
  if (!key || (command.tenant && *command.tenant != key->tenant)) return KeyRevoked{};
  if (key->revoked_at) return KeyRevoked{std::move(key)};
  batch.begin_writing();
  key->revoked_at = batch.now;
  batch.connection.use("UPDATE api_keys SET revoked_at = ?2 WHERE id = ?1")->bind(1, key->id).bind(2, batch.now).run();
  write_audit(batch, *batch.tenants.find(key->tenant), command.by, "key.revoke", key->id);
  return KeyRevoked{std::move(key)};
}

}  // namespace semel::store::sqlite

namespace semel::store {

std::vector<domain::ApiKey> SqliteStore::api_keys() {
  auto reader = inner_->readers.borrow();
  sqlite::Scoped query = (*reader).use("SELECT " SEMEL_KEY_COLUMNS " FROM api_keys ORDER BY id");
  std::vector<domain::ApiKey> keys;
  while (query->step()) keys.push_back(sqlite::read_key(*query, inner_->tenants));
  return keys;
}

std::vector<AuditEntry> SqliteStore::audit(std::string_view tenant, std::optional<std::int64_t> before,
                                           std::size_t limit) {
  const auto tenant_id = inner_->tenants.find(tenant);
  if (!tenant_id) return {};
  auto reader = inner_->readers.borrow();
  return sqlite::read_audit(*reader, *tenant_id, before, limit);
}

}  // namespace semel::store
