#pragma once
#include <optional>
#include <string>

#include "store/sqlite/batch.hpp"

/// Which of the tasks with one concurrency_key may run: at most max_running_per_key of them are ready or running, and
/// the others are blocked. A claim need not look at keys at all.
namespace semel::store::sqlite {

/// The phase of a new task whose time has come.
Phase entry_phase(Batch& batch, std::int64_t tenant_id, const domain::ExecutionSpec& spec);

/// The phase of a task that nobody works on any more, and whose time has come. Its row must say blocked where it has a
/// key.
Phase enter_again(Batch& batch, std::int64_t tenant_id, const domain::ExecutionSpec& spec, std::int64_t seq);

/// A task is not ready or running any more: makes the next ones ready.
void make_room(Batch& batch, std::int64_t tenant_id, const domain::ExecutionSpec& gone);

/// The phase of a task that is claimed.
Phase running_phase(const domain::QueueSettings& settings, const domain::ExecutionSpec& spec);

/// Brings the rows of a queue in line with what holds for it now.
void settle_places(Batch& batch, std::int64_t tenant_id, const std::string& queue, const domain::QueueSettings& before);

}  // namespace semel::store::sqlite
