#include "store/postgres/keys.hpp"

#include <limits>

#include "store/postgres/batch.hpp"

namespace semel::store::postgres {
namespace {

#define SEMEL_KEY_COLUMNS "id, tenant, name, permissions, secret_hash, created_at, created_by, expires_at, revoked_at"

domain::ApiKey read_key(const Row& row) {
  domain::ApiKey key;
  key.id = row.text(0);
  key.tenant = row.text(1);
  key.name = row.text(2);
  key.permissions = static_cast<std::uint8_t>(row.integer(3));
  key.secret_hash = row.hash(4);
  key.created_at = row.time(5);
  key.created_by = row.text(6);
  key.expires_at = row.optional_time(7);
  key.revoked_at = row.optional_time(8);
  return key;
}

}  // namespace

Outcome apply(Batch& batch, const CreateKey& command) {
  domain::ApiKey key = command.key;
  key.created_at = batch.now;
  if (command.expires_in) key.expires_at = batch.now + *command.expires_in;
  batch.connection.run(
      "INSERT INTO api_keys (id, tenant, name, permissions, secret_hash, created_at, created_by, expires_at)"
      " VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
      key.id, key.tenant, key.name, key.permissions, key.secret_hash, key.created_at, key.created_by, key.expires_at);
  write_audit(batch, key.tenant, key.created_by, "key.create", key.id);
  return KeyCreated{std::move(key)};
}

Outcome apply(Batch& batch, const RevokeKey& command) {
  const Rows rows = batch.connection.run(
      "SELECT " SEMEL_KEY_COLUMNS " FROM api_keys WHERE id = $1 AND ($2::text IS NULL OR tenant = $2) FOR UPDATE",
      command.id, command.tenant);
  if (rows.empty()) return KeyRevoked{};
  domain::ApiKey key = read_key(rows[0]);
  if (key.revoked_at) return KeyRevoked{std::move(key)};
  key.revoked_at = batch.now;
  batch.connection.run("UPDATE api_keys SET revoked_at = $3 WHERE tenant = $1 AND id = $2", key.tenant, key.id,
                       batch.now);
  write_audit(batch, key.tenant, command.by, "key.revoke", key.id);
  return KeyRevoked{std::move(key)};
}

std::vector<domain::ApiKey> read_keys(Connection& connection) {
  std::vector<domain::ApiKey> keys;
  for (const Row row : connection.run("SELECT " SEMEL_KEY_COLUMNS " FROM api_keys ORDER BY id"))
    keys.push_back(read_key(row));
  return keys;
}

std::vector<AuditEntry> read_audit(Connection& connection, std::string_view tenant, std::optional<std::int64_t> before,
                                   std::size_t limit) {
  const Rows rows = connection.run(
      "SELECT seq, at, actor, action, subject FROM audit WHERE tenant = $1 AND seq < $2 ORDER BY seq DESC LIMIT $3",
      tenant, before.value_or(std::numeric_limits<std::int64_t>::max()), limit);
  std::vector<AuditEntry> entries;
  for (const Row row : rows) entries.push_back({row.integer(0), row.time(1), row.text(2), row.text(3), row.text(4)});
  return entries;
}

}  // namespace semel::store::postgres
