#include <algorithm>

#include "store/postgres/inner.hpp"
#include "store/postgres/runs.hpp"

/// What of runs is shown.
namespace semel::store {

using postgres::Connection;
using postgres::Row;
using postgres::Rows;

/// By one statement, so that facts and outcomes are of one moment.
std::optional<StoredRun> PostgresStore::run(std::string_view tenant, domain::ExecutionId id) {
  return inner_->read([&](Connection& connection) -> std::optional<StoredRun> {
    const Rows rows = connection.run(
        "SELECT r.plan, r.facts, r.history_length, o.step, o.result, o.error FROM runs r"
        " LEFT JOIN outcomes o ON o.tenant = r.tenant AND o.run = r.id WHERE r.tenant = $1 AND r.id = $2",
        tenant, id);
    if (rows.empty()) return std::nullopt;
    StoredRun run;
    run.graph = graph_of(connection, inner_->plans, std::string(tenant), rows[0].hash(0));
    std::optional<domain::RunFacts> facts = domain::decode_facts(rows[0].view(1));
    if (!facts) throw StoreFault("the facts of a run cannot be read");
    run.facts = *std::move(facts);
    run.history_length = rows[0].integer(2);
    for (const Row row : rows) {
      const std::optional<std::size_t> step = row.is_null(3) ? std::nullopt : run.graph->find(row.view(3));
      if (step) run.outcomes.push_back({*step, row.optional_text(4), row.optional_text(5)});
    }
    std::sort(run.outcomes.begin(), run.outcomes.end(),
              [](const auto& one, const auto& other) { return one.step < other.step; });
    return run;
  });
}

std::vector<HistoryEntry> PostgresStore::history(std::string_view tenant, domain::ExecutionId id, std::int64_t after,
                                                 std::size_t limit) {
  return inner_->read([&](Connection& connection) {
    std::vector<HistoryEntry> entries;
    const Rows rows = connection.run(
        "SELECT h.sequence, h.at, h.kind, h.task_key, h.detail FROM history h WHERE h.tenant = $1 AND h.run = $2"
        " AND h.sequence > $3 ORDER BY h.sequence LIMIT $4",
        tenant, id, after, limit);
    for (const Row row : rows) {
      const domain::HistoryEvent event{row.as<domain::HistoryKind>(2), row.text(3), row.text(4)};
      entries.push_back({row.integer(0), row.time(1), event});
    }
    return entries;
  });
}

}  // namespace semel::store
