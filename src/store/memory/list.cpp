#include <algorithm>

#include "ports/cursor.hpp"
#include "store/common/searching.hpp"
#include "store/memory/tables.hpp"

namespace semel::store::memory {
namespace {

template <typename T>
bool fits(const std::optional<T>& wanted, const T& value) {
  return !wanted || *wanted == value;
}

bool fits(const ListQuery& query, const domain::Execution& execution) {
  const domain::ExecutionSpec& spec = execution.spec;
  const std::string space = spec.named_task ? spec.named_task->namespace_ : "";
  const std::string name = spec.named_task ? spec.named_task->name : "";
  const bool state_fits = query.states.empty() || std::count(query.states.begin(), query.states.end(), execution.state);
  const bool labels_fit = std::all_of(query.labels.begin(), query.labels.end(), [&](const auto& label) {
    return std::count(spec.labels.begin(), spec.labels.end(), label) > 0;
  });
  return spec.tenant == query.tenant && fits(query.namespace_, space) && fits(query.name, name) &&
         fits(query.kind, spec.kind) && (!query.run || (spec.step && spec.step->run == *query.run)) &&
         fits(query.queue, spec.queue) && fits(query.handler, spec.handler) && state_fits && labels_fit &&
         (!query.created_after || execution.created_at >= *query.created_after) &&
         (!query.created_before || execution.created_at < *query.created_before);
}

/// Whether a search has found what it looks for.
bool is_looked_for(const ListQuery& query, const Record& record) {
  if (query.search) return domain::has_text(record.execution.spec.context, query.search->wanted);
  return attempt_called(record.execution, record.attempts, record.dispatches, query.named->wanted).has_value();
}

/// Without what is large.
domain::Execution shown(domain::Execution execution) {
  execution.spec.context.clear();
  if (execution.spec.step) execution.spec.step->item.reset();
  execution.result.reset();
  execution.error.reset();
  return execution;
}

}  // namespace

Result<Page> list(const Tables& tables, const ListQuery& query, const std::function<Time()>& now) {
  std::uint64_t before = tables.last_seq + 1;
  if (query.cursor) {
    const Result<std::int64_t> cursor = read_cursor(*query.cursor);
    if (!cursor) return pass_on(cursor.error());
    before = static_cast<std::uint64_t>(*cursor);
  }
  std::vector<const Record*> records;
  for (const auto& [id, record] : tables.executions) {
    if (record.seq < before && fits(query, record.execution)) records.push_back(&record);
  }
  std::sort(records.begin(), records.end(), [](const Record* a, const Record* b) { return a->seq > b->seq; });
  Page page;
  std::optional<Searching> searching = Searching::begin(query, now);
  for (const Record* record : records) {
    if (page.executions.size() == query.limit || (searching && searching->is_over())) {
      page.next = std::to_string(record->seq + 1);
      break;
    }
    if (searching) searching->look_at(record->execution);
    if (searching && !is_looked_for(query, *record)) continue;
    page.executions.push_back(shown(record->execution));
  }
  if (searching) searching->tell(page);
  return page;
}

}  // namespace semel::store::memory
