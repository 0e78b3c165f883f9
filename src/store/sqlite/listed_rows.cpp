#include "store/sqlite/listed_rows.hpp"

#include <algorithm>

#include "store/common/texts.hpp"
#include "store/sqlite/batch.hpp"
#include "store/sqlite/dispatch_row.hpp"

namespace semel::store::sqlite {
namespace {

/// Which index leads to the rows, newest first.
enum class Way : std::uint8_t { all, run, failures, running, kind };

Way way_to(const ListQuery& wanted) {
  const auto is_failure = [](domain::State state) {
    return state == domain::State::failed || state == domain::State::timed_out;
  };
  if (wanted.run) return Way::run;
  if (!wanted.states.empty() && std::all_of(wanted.states.begin(), wanted.states.end(), is_failure))
    return Way::failures;
  if (wanted.states == std::vector{domain::State::running}) return Way::running;
  return wanted.kind && *wanted.kind != domain::Kind::task ? Way::kind : Way::all;
}

/// By their numbers. Left to itself the planner takes the index of ids, reads all rows of the tenant and sorts them.
#define SEMEL_BY_NUMBER " NOT INDEXED WHERE"
#define SEMEL_BY_RUN " INDEXED BY executions_of_run WHERE run IS NOT NULL AND run = ?12 AND"
#define SEMEL_BY_FAILURE " INDEXED BY executions_failed WHERE state IN (4, 6) AND"
/// What runs has an attempt that has not ended, and these have an index.
#define SEMEL_BY_ATTEMPT \
  " NOT INDEXED WHERE seq IN (SELECT a.seq FROM attempts a INDEXED BY attempts_by_lease WHERE a.outcome = 0) AND"
#define SEMEL_BY_KIND " INDEXED BY executions_but_tasks WHERE kind <> 0 AND kind = ?11 AND"

#define SEMEL_LIST(way)                                                                                              \
  "SELECT " SEMEL_LISTED_COLUMNS(                                                                                    \
      "CASE WHEN ?13 THEN context ELSE '' END") " FROM executions" way                                               \
                                                " seq >= ?1 AND seq < ?2 AND tenant_id = ?3 AND (?4 >> state) & 1 "  \
                                                "AND (?5 IS NULL OR namespace = ?5)"                                 \
                                                " AND (?6 IS NULL OR name = ?6) AND (?7 IS NULL OR queue = ?7) AND " \
                                                "(?8 IS NULL OR handler = ?8)"                                       \
                                                " AND (?9 IS NULL OR created_at >= ?9) AND (?10 IS NULL OR "         \
                                                "created_at < ?10) AND (?11 IS NULL OR kind = ?11)"                  \
                                                " AND (?14 IS NULL OR instr(labels, ?14) > 0) ORDER BY seq DESC"

std::int64_t bits_of(const std::vector<domain::State>& states) {
  std::int64_t bits = states.empty() ? -1 : 0;
  for (const domain::State state : states) bits |= std::int64_t{1} << static_cast<std::int64_t>(state);
  return bits;
}

void bind_conditions(Statement& query, std::int64_t tenant_id, const ListQuery& wanted, const SeqRange& range) {
  query.bind(1, range.from).bind(2, range.before).bind(3, tenant_id).bind(4, bits_of(wanted.states));
  query.bind(5, wanted.namespace_).bind(6, wanted.name).bind(7, wanted.queue).bind(8, wanted.handler);
  query.bind(9, wanted.created_after).bind(10, wanted.created_before);
  if (wanted.kind) query.bind(11, static_cast<std::int64_t>(*wanted.kind));
}

/// Of dispatches, only those that were given a new name cannot be told by the execution alone.
bool is_called(Connection& connection, std::int64_t tenant_id, const ExecutionRow& row,
               const domain::WantedName& wanted) {
  const bool is_timer = domain::is_timer_id(wanted.external_id);
  std::vector<domain::Attempt> attempts;
  if (is_timer) attempts = read_attempts(connection, tenant_id, row.execution.spec.id);
  const auto which = is_timer ? DispatchesOf::all : DispatchesOf::repaired;
  const std::vector<domain::Dispatch> dispatches = read_dispatches_of(connection, tenant_id, row.seq, which);
  return domain::attempt_called(row.execution, attempts, dispatches, wanted).has_value();
}

/// Whether a search has found what it looks for.
bool is_looked_for(Connection& connection, std::int64_t tenant_id, const ListQuery& wanted, const ExecutionRow& row) {
  if (wanted.search) return domain::has_text(row.execution.spec.context, wanted.search->wanted);
  return is_called(connection, tenant_id, row, wanted.named->wanted);
}

}  // namespace

bool is_by_number(const ListQuery& wanted) { return way_to(wanted) == Way::all; }

std::string_view list_statement(const ListQuery& wanted) {
  switch (way_to(wanted)) {
    case Way::run: return SEMEL_LIST(SEMEL_BY_RUN);
    case Way::failures: return SEMEL_LIST(SEMEL_BY_FAILURE);
    case Way::running: return SEMEL_LIST(SEMEL_BY_ATTEMPT);
    case Way::kind: return SEMEL_LIST(SEMEL_BY_KIND);
    case Way::all: break;
  }
  return SEMEL_LIST(SEMEL_BY_NUMBER);
}

Listed list_rows(Connection& connection, std::int64_t tenant_id, const ListQuery& wanted, const SeqRange& range,
                 Searching* searching) {
  Scoped query = connection.use(list_statement(wanted));
  bind_conditions(*query, tenant_id, wanted, range);
  if (wanted.run) query->bind(12, wanted.run->uuid);
  query->bind(13, std::int64_t{wanted.search.has_value()});
  const std::string label = wanted.labels.empty() ? std::string() : label_text(wanted.labels.front());
  if (!label.empty()) query->bind(14, label);  // a row is only read if it may fit
  Listed listed;
  while (listed.rows.size() < range.rows_max && query->step()) {
    if (searching != nullptr && searching->is_over()) {
      listed.stopped_before = query->integer(0);
      break;
    }
    ExecutionRow row = read_row(*query, wanted.tenant);
    if (!has_labels(row.execution.spec.labels, wanted.labels)) continue;
    if (searching != nullptr) {
      searching->look_at(row.execution);
      if (!is_looked_for(connection, tenant_id, wanted, row)) continue;
    }
    row.execution.spec.context.clear();
    listed.rows.push_back(std::move(row));
  }
  return listed;
}

std::int64_t first_looked_at(Connection& connection, std::int64_t tenant_id, const ListQuery& wanted,
                             std::int64_t before, std::size_t rows_max) {
#define SEMEL_NUMBERS(way) \
  "SELECT seq FROM executions" way " tenant_id = ?3 AND seq < ?2 ORDER BY seq DESC LIMIT 1 OFFSET ?1 - 1"
  const auto count = static_cast<std::int64_t>(rows_max);
  switch (way_to(wanted)) {
    case Way::run:
    case Way::running: return 1;  // a run has so many tasks at most, and workers are few
    case Way::all: return std::max<std::int64_t>(1, before - count);
    case Way::failures: break;
    case Way::kind: {
      Scoped query = connection.use(SEMEL_NUMBERS(SEMEL_BY_KIND));
      query->bind(1, count).bind(2, before).bind(3, tenant_id).bind(11, static_cast<std::int64_t>(*wanted.kind));
      return query->step() ? query->integer(0) : 1;
    }
  }
  Scoped query = connection.use(SEMEL_NUMBERS(SEMEL_BY_FAILURE));
  query->bind(1, count).bind(2, before).bind(3, tenant_id);
  return query->step() ? query->integer(0) : 1;
}

}  // namespace semel::store::sqlite
