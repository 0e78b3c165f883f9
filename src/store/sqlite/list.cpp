#include "ports/cursor.hpp"
#include "store/sqlite/inner.hpp"
#include "store/sqlite/listed_rows.hpp"

namespace semel::store {
namespace {

using sqlite::Connection;
using sqlite::ExecutionRow;
using sqlite::Listed;
using sqlite::Scoped;

/// The newest row before `seq`; 0 = there is none.
std::int64_t newest_before(Connection& connection, std::int64_t seq) {
  Scoped query = connection.use("SELECT coalesce(max(seq), 0) FROM executions WHERE seq < ?1");
  query->bind(1, seq);
  query->step();
  return query->integer(0);
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
  std::optional<Searching> searching = Searching::begin(query, [this] { return now(); });
  auto reader = inner_->readers.borrow();
  const sqlite::Snapshot snapshot(*reader);
  before = newest_before(*reader, before) + 1;
  const std::int64_t from = first_looked_at(*reader, *tenant_id, query, before, inner_->list_rows_max);
  Listed listed =
      list_rows(*reader, *tenant_id, query, {from, before, query.limit + 1}, searching ? &*searching : nullptr);
  if (listed.rows.size() > query.limit) {
    listed.rows.pop_back();
    page.next = std::to_string(listed.rows.back().seq);
  } else if (listed.stopped_before) {
    page.next = std::to_string(*listed.stopped_before + 1);
  } else if (const std::int64_t older = newest_before(*reader, from); older > 0) {
    page.next = std::to_string(older + 1);
  }
  if (searching) searching->tell(page);
  for (ExecutionRow& row : listed.rows) page.executions.push_back(std::move(row.execution));
  return page;
}

}  // namespace semel::store
