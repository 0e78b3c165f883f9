#pragma once
#include <map>
#include <optional>
#include <span>

#include "store/postgres/batch.hpp"

/// Executions that closed a while ago and were put away: in `closed`, or else in `executions`, never in both. Whoever
/// looks for one looks in `executions` first: most are there.
namespace semel::store::postgres {

/// Whose retention has passed, with all others of their days, are not shown any more. As holders of identities they
/// count until their tombstones are written.
enum class Leaving : bool { hidden, shown };

std::map<TenantAndId, ExecutionRow> find_closed(Connection& connection, std::span<const TenantAndId> ids,
                                                Leaving leaving);
/// Wherever it is.
std::optional<ExecutionRow> find_anywhere(Connection& connection, std::string_view tenant, domain::ExecutionId id);

/// Puts executions back among the others, with their attempts, if they were put away. Their identities are locked
/// first.
void bring_back(Batch& batch, std::span<const TenantAndId> ids);

/// Closed executions that go by themselves, and may be put away: no runs, and no tasks of runs. As the indexes say it.
#define SEMEL_CLOSED "e.closed_at IS NOT NULL AND e.kind <> 1 AND e.run IS NULL"

/// The next queue after this one that has closed executions which were not put away, however many it has.
bool next_closed_queue(Connection& connection, TenantAndQueue& place);

/// Whether an id, of those given, is the id of one that was put away, or of a tombstone.
bool any_was_used(Connection& connection, std::span<const TenantAndId> ids);

}  // namespace semel::store::postgres
