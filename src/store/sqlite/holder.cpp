#include "store/sqlite/batch.hpp"

namespace semel::store::sqlite {

Held FoundHolder::held(bool by_id) && {
  Held held{holder(), std::nullopt, by_id};
  if (row) held.execution = std::move(row->execution);
  return held;
}

std::optional<FoundHolder> load_holder(Connection& connection, const std::string& tenant, const IdentityKey& key,
                                       std::int64_t seq) {
  FoundHolder found;
  if (seq != IdentityIndex::nobody) found.row = find_by_seq(connection, tenant, seq);
  // The index may name an execution that is gone or was taken over: only the row itself is the truth.
  const bool holds = found.row && !found.row->superseded && found.row->execution.spec.identity.hash == key.hash;
  if (holds) return found;
  found.row.reset();
  found.tombstone = find_tombstone_by_hash(connection, key);
  if (!found.tombstone) return std::nullopt;
  return found;
}

ClientId find_client_id(Connection& connection, const std::string& tenant, std::int64_t tenant_id,
                        domain::ExecutionId id, Time now) {
  FoundHolder found;
  found.row = find_by_id(connection, tenant, tenant_id, id);
  if (found.row) return {std::move(found)};
  found.tombstone = find_tombstone_by_id(connection, tenant_id, id);
  if (!found.tombstone) return {};
  const bool taken = domain::tombstone_holds(found.tombstone->holder, found.tombstone->claims, now);
  return {taken ? std::optional(std::move(found)) : std::nullopt, !taken};
}

}  // namespace semel::store::sqlite
