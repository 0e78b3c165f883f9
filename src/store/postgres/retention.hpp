#pragma once
#include <map>
#include <span>
#include <vector>

#include "store/postgres/batch.hpp"

/// What every way out of the store does first.
namespace semel::store::postgres {

/// Locks the identities of the executions, and says who holds them. What was read of the executions before may have
/// changed meanwhile.
LockedIdentities lock_holders(Batch& batch, std::span<const ExecutionRow> rows);

/// Of closed executions that go: writes the tombstones that are still needed, and frees the identities that nobody
/// holds any more. Says which of them leave a tombstone.
std::vector<bool> leave_tombstones(Batch& batch, std::span<const domain::Execution* const> gone,
                                   const LockedIdentities& holders);

}  // namespace semel::store::postgres
