#include <algorithm>
#include <limits>

#include "base/json/text.hpp"
#include "ports/cursor.hpp"
#include "store/common/searching.hpp"
#include "store/common/texts.hpp"
#include "store/postgres/attempt_row.hpp"
#include "store/postgres/inner.hpp"
#include "store/postgres/workflows.hpp"

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

#define SEMEL_LIST_ALL(context, large)                                  \
  "SELECT e.seq, " SEMEL_LISTED_COLUMNS(context) " FROM " SEMEL_NEWEST( \
      "e.seq, " SEMEL_EXECUTION_COLUMNS_BUT_LARGE large) " WHERE" SEMEL_FITTING
/// Tasks of runs are never put away, and have an index of their own.
#define SEMEL_LIST_RUN(context) \
  "SELECT e.seq, " SEMEL_LISTED_COLUMNS(context)                                              \
  " FROM (SELECT * FROM executions x WHERE x.tenant = $1 AND x.run = $14 AND x.seq < $2"      \
  " ORDER BY x.seq DESC LIMIT $3) e WHERE" SEMEL_FITTING

/// What fits, newest first, `limit` rows at most; with their contexts when something is looked for in these.
Rows list_rows(Connection& connection, const ListQuery& query, std::int64_t before, std::size_t rows_max,
               std::size_t limit) {
  Parameters parameters(query.tenant, before, rows_max, numbers_of(query.states), query.namespace_, query.name,
                        query.queue, query.handler, query.created_after, query.created_before,
                        label_texts(query.labels), limit, query.kind);
  if (query.run) parameters.add(*query.run);
  if (query.run && query.search) return connection.run(SEMEL_LIST_RUN("e.context"), parameters);
  if (query.run) return connection.run(SEMEL_LIST_RUN("''::text"), parameters);
  if (query.search) return connection.run(SEMEL_LIST_ALL("e.context", ", e.context"), parameters);
  return connection.run(SEMEL_LIST_ALL("''::text", ""), parameters);
}

std::optional<std::string> cursor_of(std::int64_t oldest) {
  return oldest > 1 ? std::optional(std::to_string(oldest)) : std::nullopt;
}

Page list_page(Connection& connection, const ListQuery& query, std::int64_t before, std::size_t rows_max) {
  Page page;
  const Rows rows = list_rows(connection, query, before, rows_max, query.limit + 1);
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
  page.next = cursor_of(oldest_looked_at(connection, query, before, rows_max));
  return page;
}

struct NumberedExecution {
  std::int64_t seq = 0;
  domain::Execution execution{};
};

std::vector<NumberedExecution> read_numbered(const Rows& rows) {
  std::vector<NumberedExecution> executions;
  for (const Row row : rows) executions.push_back({row.integer(0), postgres::read_execution(row, 1).execution});
  return executions;
}

/// Whether a search has found what it looks for, among executions that were read together.
class LookedFor {
 public:
  LookedFor(Connection& connection, const ListQuery& query, const std::vector<NumberedExecution>& executions)
      : query_(query) {
    if (!query.named) return;
    std::vector<domain::ExecutionId> ids;
    for (const NumberedExecution& each : executions) ids.push_back(each.execution.spec.id);
    named_ = read_named_attempts(connection, query.tenant, ids, domain::is_timer_id(query.named->wanted.external_id));
  }

  bool is(const domain::Execution& execution) const {
    if (query_.search) return domain::has_text(execution.spec.context, query_.search->wanted);
    static const postgres::AttemptsOfOne none;
    const auto found = named_.find(execution.spec.id);
    const postgres::AttemptsOfOne& of = found == named_.end() ? none : found->second;
    return attempt_called(execution, of.attempts, of.dispatches, query_.named->wanted).has_value();
  }

 private:
  const ListQuery& query_;
  postgres::AttemptsOfMany named_{};
};

/// The same, looking at each. Contexts may be large, so that few of them are fetched at a time.
Page search_page(Connection& connection, const ListQuery& query, std::int64_t before, std::size_t rows_max,
                 Searching& searching) {
  constexpr std::size_t named_step = 8 * search_step;
  const std::size_t step = query.named ? std::min(named_step, query.named->executions_max) : search_step;
  Page page;
  for (;;) {
    const std::int64_t begin = before;
    std::vector<NumberedExecution> executions = read_numbered(list_rows(connection, query, begin, rows_max, step));
    const LookedFor looked_for(connection, query, executions);
    for (auto& [seq, execution] : executions) {
      if (page.executions.size() == query.limit || searching.is_over()) {
        page.next = std::to_string(before);
        return page;
      }
      before = seq;
      if (!has_labels(execution.spec.labels, query.labels)) continue;
      searching.look_at(execution);
      if (!looked_for.is(execution)) continue;
      execution.spec.context.clear();
      page.executions.push_back(std::move(execution));
    }
    if (executions.size() == step) continue;
    page.next = cursor_of(oldest_looked_at(connection, query, begin, rows_max));
    return page;
  }
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
    std::optional<Searching> searching = Searching::begin(query, [this] { return now(); });
    if (!searching) return list_page(connection, query, before, inner_->list_rows_max);
    Page page = search_page(connection, query, before, inner_->list_rows_max, *searching);
    searching->tell(page);
    return page;
  });
}

std::vector<QueueDepth> PostgresStore::queue_depths() {
  return inner_->read([](Connection& connection) {
    std::vector<QueueDepth> depths;
    const Rows rows = connection.run(
        "SELECT d.tenant, d.queue, sum(d.ready)::bigint, sum(d.waiting)::bigint, sum(d.blocked)::bigint,"
        " sum(d.running)::bigint, min(d.since) FROM ("
        "SELECT g.tenant, g.queue, g.ready, 0 AS waiting, 0 AS blocked, 0 AS running, s.since FROM"
        " (SELECT tenant, queue, handler, priority, count(*) AS ready FROM executions e WHERE phase = 1 "
        "AND " SEMEL_NO_WORKFLOW_HANDLER
        " GROUP BY tenant, queue, handler, priority) g"
        " CROSS JOIN LATERAL (SELECT f.run_at AS since FROM executions f WHERE f.phase = 1 AND f.tenant = g.tenant"
        " AND f.queue = g.queue AND f.handler = g.handler AND f.priority = g.priority ORDER BY f.order_at, f.id LIMIT "
        "1) s"
        " UNION ALL "
        "SELECT tenant, queue, 0, count(*), 0, 0, NULL::bigint FROM executions WHERE phase = 2 AND kind <> 1"
        " GROUP BY tenant, queue UNION ALL "
        "SELECT tenant, queue, 0, 0, count(*), 0, NULL FROM executions WHERE phase = 4 GROUP BY tenant, queue UNION "
        "ALL "
        "SELECT e.tenant, e.queue, 0, 0, 0, count(*), NULL FROM attempts a JOIN executions e ON e.tenant = a.tenant"
        " AND e.id = a.execution_id WHERE a.outcome = 0 AND e.kind = 0 GROUP BY e.tenant, e.queue"
        ") d GROUP BY d.tenant, d.queue ORDER BY d.tenant, d.queue");
    for (const Row row : rows) {
      const auto count = [&](int column) { return static_cast<std::uint64_t>(row.integer(column)); };
      depths.push_back({row.text(0), row.text(1), count(2), count(3), count(4), count(5), row.optional_time(6)});
    }
    return depths;
  });
}

}  // namespace semel::store
