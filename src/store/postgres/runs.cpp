#include "store/postgres/batch.hpp"
#include "store/postgres/inner.hpp"

/// Runs of templates with steps. They are not kept in PostgreSQL yet: nothing makes one, so there is none to change.
namespace semel::store {

namespace postgres {

Outcome apply(Batch&, const RetrySteps&) { return RunAnswer{}; }
Outcome apply(Batch&, const ResolveStep&) { return RunAnswer{}; }

}  // namespace postgres

std::optional<StoredRun> PostgresStore::run(std::string_view, domain::ExecutionId) { return std::nullopt; }

std::vector<HistoryEntry> PostgresStore::history(std::string_view, domain::ExecutionId, std::int64_t, std::size_t) {
  return {};
}

}  // namespace semel::store
