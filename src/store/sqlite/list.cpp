#include <algorithm>

#include "ports/cursor.hpp"
#include "store/sqlite/inner.hpp"

namespace semel::store {
namespace {

using sqlite::Connection;
using sqlite::ExecutionRow;
using sqlite::Scoped;

/// The newest row before `seq`; 0 = there is none.
std::int64_t newest_before(Connection& connection, std::int64_t seq) {
  Scoped query = connection.use("SELECT coalesce(max(seq), 0) FROM executions WHERE seq < ?1");
  query->bind(1, seq);
  query->step();
  return query->integer(0);
}

Page tasks_of_run(Connection& connection, std::int64_t tenant_id, const ListQuery& query, std::int64_t before) {
  std::vector<ExecutionRow> rows = list_rows_of_run(connection, tenant_id, query, {1, before, query.limit + 1});
  Page page;
  if (rows.size() > query.limit) {
    rows.pop_back();
    page.next = std::to_string(rows.back().seq);
  }
  for (ExecutionRow& row : rows) page.executions.push_back(std::move(row.execution));
  return page;
}

}  // namespace

/// A cursor is the number of a row: the page has what is older. Numbers are never given twice and rows never move, so
/// whatever comes or goes meanwhile, nothing is shown twice or left out.
Result<Page> SqliteStore::list(const ListQuery& query) {
  std::int64_t before = std::numeric_limits<std::int64_t>::max();
  if (query.cursor) {
    const Result<std::int64_t> cursor = read_cursor(*query.cursor);
    if (!cursor) return pass_on(cursor.error());
    before = *cursor;
  }
  Page page;
  const auto tenant_id = inner_->tenants.find(query.tenant);
  if (!tenant_id) return page;
  auto reader = inner_->readers.borrow();
  const sqlite::Snapshot snapshot(*reader);
  if (query.run) return tasks_of_run(*reader, *tenant_id, query, before);
  before = newest_before(*reader, before) + 1;
  const std::int64_t from = std::max<std::int64_t>(1, before - static_cast<std::int64_t>(inner_->list_rows_max));
  std::vector<ExecutionRow> rows = list_rows(*reader, *tenant_id, query, {from, before, query.limit + 1});
  if (rows.size() > query.limit) {
    rows.pop_back();
    page.next = std::to_string(rows.back().seq);
  } else if (const std::int64_t older = newest_before(*reader, from); older > 0) {
    page.next = std::to_string(older + 1);
  }
  for (ExecutionRow& row : rows) page.executions.push_back(std::move(row.execution));
  return page;
}

}  // namespace semel::store
