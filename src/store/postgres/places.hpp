#pragma once
#include <optional>
#include <string>

#include "store/postgres/batch.hpp"

/// Which of the tasks with one concurrency_key may run: at most max_running_per_key of them are ready or running, and
/// the others are blocked. A claim need not look at keys at all. The queue must be locked in all of these.
namespace semel::store::postgres {

/// Tenant, queue and concurrency_key.
struct KeyPlace {
  std::string tenant;
  std::string queue;
  std::string key;

  auto operator<=>(const KeyPlace&) const = default;
};
inline KeyPlace key_place(const domain::ExecutionSpec& spec) {
  return {spec.tenant, spec.queue, *spec.concurrency_key};
}

/// How many more tasks with the key may be ready.
std::int64_t free_places(Batch& batch, const KeyPlace& place);

/// Makes the best of the blocked ready. Whether `known`, which is not told of, got a place.
bool fill_places(Batch& batch, const KeyPlace& place, std::optional<domain::ExecutionId> known = std::nullopt);

/// A task is not ready or running any more: makes the next ones ready.
inline void make_room(Batch& batch, const domain::ExecutionSpec& gone) {
  if (gone.concurrency_key) fill_places(batch, key_place(gone));
}

/// The phase of a task whose time has come, and whose row does not count yet.
Phase entry_phase(Batch& batch, const domain::ExecutionSpec& spec);

/// The phase of a task that is claimed.
Phase running_phase(const domain::QueueSettings& settings, const domain::ExecutionSpec& spec);

/// Locks the queue of a task that has a concurrency_key.
inline void lock_place(Batch& batch, const domain::ExecutionSpec& spec) {
  if (spec.concurrency_key) batch.queues.lock({{spec.tenant, spec.queue}});
}

/// Brings the rows of a queue in line with what holds for it now.
void settle_places(Batch& batch, const TenantAndQueue& queue, const domain::QueueSettings& before);

void set_phase(Batch& batch, std::span<const TenantAndId> ids, Phase phase);

}  // namespace semel::store::postgres
