#include <algorithm>

#include "base/log.hpp"
#include "store/postgres/archive.hpp"
#include "store/postgres/closed.hpp"
#include "store/postgres/retention.hpp"

/// How executions that were put away go: with all others of their days, when the retention of all of them has passed.
/// First whoever is kept longer by now moves on. Then the days are hidden; a while later nobody is left who has seen
/// them before, tombstones are written where they are still needed, and the tables are dropped.
namespace semel::store::postgres {
namespace {

/// Who waits for a table holds up those who come later and want to read it: not too often.
constexpr Duration drops_again_after = 5min;

#define SEMEL_OF_DAYS "e.keep_days = $1 AND e.closed_day >= $2 AND e.closed_day < $3"

std::vector<ExecutionRow> page_of(Batch& batch, const ClosedDays& days, const TenantAndId& after, int max) {
  std::vector<ExecutionRow> page;
  const Rows rows = batch.connection.run(
      "SELECT " SEMEL_LISTED_COLUMNS("''::text") " FROM closed e WHERE " SEMEL_OF_DAYS
                                                 " AND (e.tenant, e.id) > ($4, $5) ORDER BY e.tenant, e.id LIMIT $6",
      days.keep_days, days.first, days.end, after.first, after.second, max);
  for (const Row row : rows) page.push_back(read_execution(row));
  return page;
}

}  // namespace

/// A step on the way of the first days that have passed. False when there are none.
bool Archive::let_go() {
  std::optional<ClosedDays> passed;
  bool is_hidden = false;
  wanted_.reset();
  transact_([&](Batch& batch) {
    wanted_.reset();
    const Rows rows = batch.connection.run(
        "SELECT keep_days, first_day, end_day, leaving_since IS NOT NULL FROM closed_days"
        " WHERE (end_day + keep_days)::bigint * 86400000 <= $1 AND coalesce(leaving_since, 0) <= $2"
        " AND ($3 OR leaving_since IS NULL) ORDER BY keep_days, first_day LIMIT 1",
        batch.now, batch.now - options_.leaving_for, batch.now >= drops_again_at_);
    if (rows.empty()) return;
    passed = ClosedDays{rows[0].small(0), rows[0].small(1), rows[0].small(2)};
    is_hidden = rows[0].boolean(3);
    if (is_hidden || keep_longer(batch, *passed)) return;
    batch.connection.run("UPDATE closed_days SET leaving_since = $3 WHERE keep_days = $1 AND first_day = $2",
                         passed->keep_days, passed->first, batch.now);
  });
  if (!passed) return false;
  if (wanted_) open(*wanted_);
  else if (is_hidden && !bury(*passed)) drop(*passed);
  return true;
}

/// Moves some whose queue keeps them for longer than when they were put away. False when there are none.
bool Archive::keep_longer(Batch& batch, const ClosedDays& days) {
  std::set<TenantAndQueue> queues;
  const Rows rows =
      batch.connection.run("SELECT tenant, queue FROM closed_queues WHERE keep_days = $1", days.keep_days);
  for (const Row row : rows) queues.emplace(row.text(0), row.text(1));
  batch.queues.preload(queues);
  for (const TenantAndQueue& queue : queues) {
    const int keep_days = keep_days_of(batch.queues.settings(queue).retention);
    if (keep_days <= days.keep_days) continue;
    const Rows found = batch.connection.run("SELECT min(e.closed_day) FROM closed e WHERE " SEMEL_OF_DAYS
                                            " AND e.tenant = $4 AND e.queue = $5",
                                            days.keep_days, days.first, days.end, queue.first, queue.second);
    if (found[0].is_null(0)) continue;
    const ClosedDays longer = days_around(keep_days, found[0].small(0));
    if (!open_.contains({longer.keep_days, longer.first})) {
      wanted_ = longer;
      return true;
    }
    batch.connection.run(
        "WITH noted AS (INSERT INTO closed_queues (tenant, queue, keep_days) VALUES ($4, $5, $8) ON CONFLICT DO "
        "NOTHING),"
        " picked AS MATERIALIZED (SELECT e.tenant, e.id FROM closed e WHERE " SEMEL_OF_DAYS
        " AND e.tenant = $4 AND e.queue = $5 AND e.closed_day < $6 LIMIT $7 FOR UPDATE),"
        " attempts_kept AS (UPDATE closed_attempts e SET keep_days = $8 FROM picked p WHERE " SEMEL_OF_DAYS
        " AND e.tenant = p.tenant AND e.execution_id = p.id)"
        " UPDATE closed e SET keep_days = $8 FROM picked p WHERE " SEMEL_OF_DAYS
        " AND e.tenant = p.tenant AND e.id = p.id",
        days.keep_days, days.first, days.end, queue.first, queue.second, longer.end, options_.at_once, keep_days);
    return true;
  }
  return false;
}

/// Writes the tombstones of a page that is still needed, frees identities, and forgets duplicates and dispatches. False
/// when all are.
bool Archive::bury(const ClosedDays& days) {
  if (!leaving_ || leaving_->keep_days != days.keep_days || leaving_->first != days.first) buried_ = {};
  leaving_ = days;
  TenantAndId last;
  transact_([&](Batch& batch) {
    last = {};
    const LockedIdentities holders = lock_holders(batch, page_of(batch, days, buried_, options_.at_once));
    std::vector<ExecutionRow> page = page_of(batch, days, buried_, options_.at_once);  // as it is under the locks
    std::vector<const domain::Execution*> gone;
    std::vector<TenantAndId> ids;
    for (const ExecutionRow& row : page) {
      gone.push_back(&row.execution);
      ids.push_back(row.id());
    }
    leave_tombstones(batch, gone, holders);
    const IdArrays arrays(ids);
    batch.connection.run(
        "DELETE FROM duplicates d USING unnest($1::text[], $2::uuid[]) AS g (tenant, id)"
        " WHERE d.tenant = g.tenant AND d.id = g.id",
        arrays.tenants, arrays.ids);
    batch.connection.run(
        "DELETE FROM dispatches d USING unnest($1::text[], $2::uuid[]) AS g (tenant, id)"
        " WHERE d.tenant = g.tenant AND d.execution_id = g.id",
        arrays.tenants, arrays.ids);
    if (!ids.empty()) last = ids.back();
  });
  buried_ = last;
  return last != TenantAndId{};
}

/// Waits a moment only for whoever reads: others would wait behind it. Where somebody reads for long, as an export
/// does, all else goes on, and what is hidden stays for a while.
void Archive::drop(const ClosedDays& days) {
  Time now{};
  try {
    transact_([&](Batch& batch) {
      now = batch.now;
      batch.connection.execute("SET LOCAL lock_timeout = '1s'");
      batch.connection.run("SELECT drop_days($1::integer, $2::integer)", days.keep_days, days.first);
    });
  } catch (const LockTimeout&) {
    log::info("what has passed its retention is being read, and is dropped later");
    drops_again_at_ = now + drops_again_after;
    return;
  }
  open_.erase({days.keep_days, days.first});
  leaving_.reset();
}

}  // namespace semel::store::postgres
