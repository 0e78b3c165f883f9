#pragma once
#include <map>
#include <optional>
#include <span>

#include "domain/holder.hpp"
#include "store/postgres/execution_row.hpp"

namespace semel::store::postgres {

struct TombstoneRow {
  domain::Holder holder{};
  domain::TombstoneClaims claims{};
  std::optional<Hash32> hash{};  // of the identity that it holds
};

/// Nothing where there is one already: days that are put away may be gone through twice. `holds_identity`: whether the
/// removed execution still held its identity; else only its id is kept.
void insert_tombstone(Connection& connection, const domain::Execution& execution, bool holds_identity);

std::map<TenantAndId, TombstoneRow> find_tombstones(Connection& connection, std::span<const TenantAndId> ids);
std::optional<TombstoneRow> find_tombstone(Connection& connection, std::string_view tenant, domain::ExecutionId id);

/// They go, and with them the identities that they hold.
void remove_tombstones(Connection& connection, std::span<const TenantAndId> ids);

/// The identity has been taken over: the row goes, unless it still keeps a promise for its id.
void drop_tombstone_identity(Connection& connection, const std::string& tenant, const TombstoneRow& row);

}  // namespace semel::store::postgres
