#pragma once
#include <span>
#include <vector>

#include "store/postgres/batch.hpp"

/// How runs leave: with their tasks and all that they have.
namespace semel::store::postgres {

std::vector<TenantAndId> runs_among(Connection& connection, std::span<const TenantAndId> ids);
/// Sorted.
std::vector<TenantAndId> tasks_of(Connection& connection, std::span<const TenantAndId> runs);
/// Only locks, in the order that everybody keeps.
void lock_runs(Connection& connection, std::span<const TenantAndId> runs);
/// Removes all that the runs had beside executions; plans too, that nobody else uses.
void erase_runs(Connection& connection, std::span<const TenantAndId> runs);
/// Adds runs whose retention has passed, until they and their tasks are `max`; `count` is how many there are by now.
void find_old_runs(Batch& batch, std::int64_t max, std::vector<TenantAndId>& old, std::int64_t& count);

}  // namespace semel::store::postgres
