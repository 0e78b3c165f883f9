#include <limits>

#include "base/json/text.hpp"
#include "ports/cursor.hpp"
#include "store/common/texts.hpp"
#include "store/postgres/inner.hpp"

/// What shows many executions at once: lists, and the depths of queues.
namespace semel::store {
namespace {

using postgres::Array;
using postgres::Connection;
using postgres::Parameters;
using postgres::Row;
using postgres::Rows;
using postgres::Type;

/// The labels as they stand in the column, each by itself: `"name":"value"`.
Array label_texts(const domain::Labels& labels) {
  Array texts(Type::text);
  for (const auto& [name, value] : labels) texts.add(json::quote(name) + ":" + json::quote(value));
  return texts;
}

Array numbers_of(const std::vector<domain::State>& states) {
  Array numbers(Type::integer);
  for (const domain::State state : states) numbers.add(state);
  return numbers;
}

/// The newest of a tenant before $2, at most $3, also of those that were put away: one statement, so that one which is
/// just being moved is seen once. Each half says its order and its limit, so that both are read by their indexes. That
/// any day is leaving is rare, and asked once.
#define SEMEL_NEWEST_OF(columns, table, condition) \
  "(SELECT " columns " FROM " table " e WHERE e.tenant = $1 AND e.seq < $2" condition " ORDER BY e.seq DESC LIMIT $3)"
#define SEMEL_NOT_LEAVING                                                      \
  " AND (NOT EXISTS (SELECT FROM closed_days WHERE leaving_since IS NOT NULL)" \
  " OR NOT is_leaving(e.keep_days, e.closed_day))"
#define SEMEL_NEWEST(columns)                                                                  \
  "(SELECT * FROM (" SEMEL_NEWEST_OF(columns, "executions", "") " UNION ALL " SEMEL_NEWEST_OF( \
      columns, "closed", SEMEL_NOT_LEAVING) ") b ORDER BY seq DESC LIMIT $3) e"

/// The oldest row that a page before `seq` may look at; 0 when it may look at all.
std::int64_t oldest_looked_at(Connection& connection, const ListQuery& query, std::int64_t before,
                              std::size_t rows_max) {
  const Rows rows =
      query.run
          ? connection.run(
                "SELECT x.seq FROM executions x WHERE x.tenant = $1 AND x.run = $4 AND x.seq < $2"
                " ORDER BY x.seq DESC OFFSET $3 - 1 LIMIT 1",
                query.tenant, before, rows_max, *query.run)
          : connection.run("SELECT e.seq FROM " SEMEL_NEWEST("e.seq") " ORDER BY e.seq DESC OFFSET $3 - 1 LIMIT 1",
                           query.tenant, before, rows_max);
  return rows.empty() ? 0 : rows[0].integer(0);
}

#define SEMEL_FITTING                                                                                                \
  " (cardinality($4::bigint[]) = 0 OR e.state = ANY ($4)) AND ($5::text IS NULL OR e.namespace = $5)"                \
  " AND ($6::text IS NULL OR e.name = $6) AND ($7::text IS NULL OR e.queue = $7)"                                    \
  " AND ($8::text IS NULL OR e.handler = $8) AND ($9::bigint IS NULL OR e.created_at >= $9)"                         \
  " AND ($10::bigint IS NULL OR e.created_at < $10) AND ($13::bigint IS NULL OR e.kind = $13)"                       \
  " AND NOT EXISTS (SELECT FROM unnest($11::text[]) AS l (label) WHERE strpos(coalesce(e.labels, ''), l.label) = 0)" \
  " ORDER BY e.seq DESC LIMIT $12"

Rows list_rows(Connection& connection, const ListQuery& query, std::int64_t before, std::size_t rows_max) {
  Parameters parameters(query.tenant, before, rows_max, numbers_of(query.states), query.namespace_, query.name,
                        query.queue, query.handler, query.created_after, query.created_before,
                        label_texts(query.labels), query.limit + 1, query.kind);
  if (!query.run) {
    return connection.run("SELECT e.seq, " SEMEL_LISTED_COLUMNS
                          " FROM " SEMEL_NEWEST("e.seq, " SEMEL_EXECUTION_COLUMNS_BUT_LARGE) " WHERE" SEMEL_FITTING,
                          parameters);
  }
  // Tasks of runs are never put away, and have an index of their own.
  parameters.add(*query.run);
  return connection.run("SELECT e.seq, " SEMEL_LISTED_COLUMNS
                        " FROM (SELECT * FROM executions x WHERE x.tenant = $1 AND x.run = $14 AND x.seq < $2"
                        " ORDER BY x.seq DESC LIMIT $3) e WHERE" SEMEL_FITTING,
                        parameters);
}

}  // namespace

/// A cursor is the number of a row: the page has what is older. Numbers are never given twice and rows keep theirs, so
/// whatever comes or goes meanwhile, nothing is shown twice or left out.
Result<Page> PostgresStore::list(const ListQuery& query) {
  std::int64_t before = std::numeric_limits<std::int64_t>::max();
  if (query.cursor) {
    const Result<std::int64_t> cursor = read_cursor(*query.cursor);
    if (!cursor) return pass_on(cursor.error());
    before = *cursor;
  }
  return inner_->read([&](Connection& connection) {
    Page page;
    const std::size_t rows_max = inner_->list_rows_max;
    const Rows rows = list_rows(connection, query, before, rows_max);
    std::int64_t last = 0;
    for (const Row row : rows) {
      if (page.executions.size() == query.limit) {
        page.next = std::to_string(last);
        return page;
      }
      last = row.integer(0);
      domain::Execution execution = postgres::read_execution(row, 1).execution;
      if (has_labels(execution.spec.labels, query.labels)) page.executions.push_back(std::move(execution));
    }
    const std::int64_t oldest = oldest_looked_at(connection, query, before, rows_max);
    if (oldest > 1) page.next = std::to_string(oldest);
    return page;
  });
}

std::vector<QueueDepth> PostgresStore::queue_depths() {
  return inner_->read([](Connection& connection) {
    std::vector<QueueDepth> depths;
    const Rows rows = connection.run(
        "SELECT d.tenant, d.queue, sum(d.ready)::bigint, sum(d.waiting)::bigint, sum(d.blocked)::bigint,"
        " sum(d.running)::bigint FROM ("
        "SELECT tenant, queue, count(*) AS ready, 0 AS waiting, 0 AS blocked, 0 AS running FROM executions"
        " WHERE phase = 1 GROUP BY tenant, queue UNION ALL "
        "SELECT tenant, queue, 0, count(*), 0, 0 FROM executions WHERE phase = 2 AND kind <> 1"
        " GROUP BY tenant, queue UNION ALL "
        "SELECT tenant, queue, 0, 0, count(*), 0 FROM executions WHERE phase = 4 GROUP BY tenant, queue UNION ALL "
        "SELECT e.tenant, e.queue, 0, 0, 0, count(*) FROM attempts a JOIN executions e ON e.tenant = a.tenant"
        " AND e.id = a.execution_id WHERE a.outcome = 0 GROUP BY e.tenant, e.queue"
        ") d GROUP BY d.tenant, d.queue ORDER BY d.tenant, d.queue");
    for (const Row row : rows) {
      const auto count = [&](int column) { return static_cast<std::uint64_t>(row.integer(column)); };
      depths.push_back({row.text(0), row.text(1), count(2), count(3), count(4), count(5)});
    }
    return depths;
  });
}

}  // namespace semel::store
