#include "store/sqlite/inner.hpp"

namespace semel::store {

namespace sqlite {

Outcome apply(Batch&, const RetrySteps&) { return RunAnswer{}; }
Outcome apply(Batch&, const ResolveStep&) { return RunAnswer{}; }

}  // namespace sqlite

std::optional<StoredRun> SqliteStore::run(std::string_view, domain::ExecutionId) { return std::nullopt; }

std::vector<HistoryEntry> SqliteStore::history(std::string_view, domain::ExecutionId, std::int64_t, std::size_t) {
  return {};
}

}  // namespace semel::store
