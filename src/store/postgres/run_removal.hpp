#pragma once
#include <map>
#include <set>
#include <span>
#include <vector>

#include "store/postgres/batch.hpp"

/// How runs and code workflows leave: with all that they have begun, and what that has begun.
namespace semel::store::postgres {

/// Roots that are runs or code workflows, and what is below them.
struct Trees {
  std::set<TenantAndId> runs{};                  // themselves
  std::set<TenantAndId> workflows{};             // too, and those below
  std::map<TenantAndId, TenantAndId> root_of{};  // of all that is below one

  bool operator==(const Trees&) const = default;
  bool empty() const { return runs.empty() && workflows.empty(); }
};
Trees trees_among(Connection& connection, std::span<const TenantAndId> ids);
/// Only locks, in the order that everybody keeps.
void lock_trees(Connection& connection, const Trees& trees);
/// Removes all that the runs had beside executions; plans too, that nobody else uses.
void erase_runs(Connection& connection, std::span<const TenantAndId> runs);
/// Removes all that the workflows had beside executions.
void erase_workflows(Connection& connection, std::span<const TenantAndId> workflows);
/// Adds runs whose retention has passed, until they and their tasks are `max`; `count` is how many there are by now.
void find_old_runs(Batch& batch, std::int64_t max, std::vector<TenantAndId>& old, std::int64_t& count);

}  // namespace semel::store::postgres
