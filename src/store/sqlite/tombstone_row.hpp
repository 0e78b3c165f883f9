#pragma once
#include <optional>

#include "domain/holder.hpp"
#include "store/sqlite/connection.hpp"
#include "store/sqlite/identity_index.hpp"

namespace semel::store::sqlite {

/// `holds_identity`: whether the removed execution still held its identity; else only its id is kept.
void insert_tombstone(Connection& connection, std::int64_t tenant_id, const domain::Execution& execution,
                      bool holds_identity);

struct TombstoneRow {
  domain::Holder holder;
  domain::TombstoneClaims claims;
};

std::optional<TombstoneRow> find_tombstone_by_id(Connection& connection, std::int64_t tenant_id,
                                                 domain::ExecutionId id);
std::optional<TombstoneRow> find_tombstone_by_hash(Connection& connection, const IdentityKey& key);

/// A new execution takes the id.
void remove_tombstone(Connection& connection, std::int64_t tenant_id, domain::ExecutionId id);

/// The identity has been taken over: the row goes, unless it still keeps a promise for its id.
void drop_tombstone_identity(Connection& connection, std::int64_t tenant_id, const TombstoneRow& row);

}  // namespace semel::store::sqlite
