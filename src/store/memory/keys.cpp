#include "store/memory/tables.hpp"

namespace semel::store::memory {

void note(Tables& tables, const std::string& tenant, AuditEntry entry) {
  entry.seq = static_cast<std::int64_t>(tables.audit.size()) + 1;
  tables.audit.emplace_back(tenant, std::move(entry));
}

Outcome apply(Tables& tables, const CreateKey& create, Time now) {
  domain::ApiKey key = create.key;
  key.created_at = now;
  if (create.expires_in) key.expires_at = now + *create.expires_in;
  if (!tables.keys.emplace(key.id, key).second) {
    return Rejected{{ErrorCode::bad_request, "there is a key of this id"}};
  }
  note(tables, key.tenant, {0, now, key.created_by, "key.create", key.id});
  return KeyCreated{std::move(key)};
}

Outcome apply(Tables& tables, const RevokeKey& revoke, Time now) {
  const auto found = tables.keys.find(revoke.id);
  if (found == tables.keys.end() || (revoke.tenant && *revoke.tenant != found->second.tenant)) return KeyRevoked{};
  domain::ApiKey& key = found->second;
  if (!key.revoked_at) {
    key.revoked_at = now;
    note(tables, key.tenant, {0, now, revoke.by, "key.revoke", key.id});
  }
  return KeyRevoked{key};
}

}  // namespace semel::store::memory
