#include "store/postgres/retention.hpp"

#include <algorithm>

#include "store/postgres/archive.hpp"
#include "store/postgres/closed.hpp"
#include "store/postgres/run_removal.hpp"

/// How executions leave: when their retention has passed, or at once where nothing is kept.
namespace semel::store::postgres {
namespace {

TenantAndHash identity_of(const domain::Execution& execution) {
  return {execution.spec.tenant, execution.spec.identity.hash};
}

bool has_identity(const domain::Execution& execution) { return execution.spec.identity.mode != domain::Mode::none; }

/// What was removed, without what is large of it, and what is left of it.
struct Departure {
  domain::Execution execution;
  bool left_tombstone = false;
};

bool is_closed_in(const std::map<TenantAndId, ExecutionRow>& rows, const TenantAndId& id) {
  const auto found = rows.find(id);
  return found != rows.end() && domain::is_closed(found->second.execution.state);
}

void erase(Batch& batch, std::span<const TenantAndId> ids) {
  if (ids.empty()) return;
  const IdArrays gone(ids);
  batch.connection.run(
      "WITH gone AS MATERIALIZED (SELECT * FROM unnest($1::text[], $2::uuid[]) AS g (tenant, id)),"
      " dispatches_gone AS (DELETE FROM dispatches d USING gone g WHERE d.tenant = g.tenant"
      " AND d.execution_id = g.id),"
      " attempts_gone AS (DELETE FROM attempts a USING gone g WHERE a.tenant = g.tenant AND a.execution_id = g.id),"
      " duplicates_gone AS (DELETE FROM duplicates d USING gone g WHERE d.tenant = g.tenant AND d.id = g.id)"
      " DELETE FROM executions e USING gone g WHERE e.tenant = g.tenant AND e.id = g.id",
      gone.tenants, gone.ids);
}

/// The identity that the execution holds, while that is promised to stay so.
const LockedIdentities::value_type* promised_holding(const LockedIdentities& holders,
                                                     const domain::Execution& execution, Time now) {
  if (!has_identity(execution)) return nullptr;
  const auto found = holders.find(identity_of(execution));
  const bool is_promised = found != holders.end() && found->second.holder == execution.spec.id;
  return is_promised && found->second.is_promised(now) ? &*found : nullptr;
}

/// Of those rows, who has been promised to stay: a run or a workflow with all below it, where one of them has. Whoever
/// wants to wait is told in `postponed` until when.
std::set<TenantAndId> promised_among(Batch& batch, const std::map<TenantAndId, ExecutionRow>& rows, const Trees& trees,
                                     const LockedIdentities& holders, std::optional<Outcome>* postponed) {
  std::set<TenantAndId> staying;
  for (const auto& [id, row] : rows) {
    const auto* holding = promised_holding(holders, row.execution, batch.now);
    if (holding == nullptr) continue;
    Outcome outcome = postpone(batch, holding->first, *holding->second.promised_until);
    if (postponed != nullptr) *postponed = std::move(outcome);
    const auto root = trees.root_of.find(id);
    staying.insert(root != trees.root_of.end() ? root->second : id);
  }
  return staying;
}

/// Of those that are closed, whoever does not stay. What is below another goes only with its root, and that only when
/// all of it is closed.
std::vector<TenantAndId> leaving_of(const std::map<TenantAndId, ExecutionRow>& rows, const Trees& trees,
                                    std::span<const TenantAndId> ids, std::set<TenantAndId> staying) {
  for (const auto& [id, root] : trees.root_of) {
    if (!is_closed_in(rows, id)) staying.insert(root);
  }
  std::vector<TenantAndId> leaving;
  for (const TenantAndId& id : ids) {
    if (!is_closed_in(rows, id)) continue;
    const auto below = trees.root_of.find(id);
    const bool has_parent = rows.at(id).execution.spec.step.has_value();
    const TenantAndId& root = below == trees.root_of.end() ? id : below->second;
    const bool goes_alone = below == trees.root_of.end() && !has_parent;
    const bool goes_along =
        below != trees.root_of.end() && is_closed_in(rows, root) && !rows.at(root).execution.spec.step;
    if ((goes_alone || goes_along) && !staying.contains(root)) leaving.push_back(id);
  }
  return leaving;
}

/// Removes all that those had beside their executions.
void erase_belongings(Batch& batch, const Trees& trees, std::span<const TenantAndId> gone) {
  std::vector<TenantAndId> runs;
  std::vector<TenantAndId> workflows;
  for (const TenantAndId& id : gone) {
    if (trees.runs.contains(id)) runs.push_back(id);
    if (trees.workflows.contains(id)) workflows.push_back(id);
  }
  erase_runs(batch.connection, runs);
  erase_workflows(batch.connection, workflows);
}

/// Removes those that are closed, runs and workflows with all below them, and says so, what is below last. Identities
/// are locked first, then runs and workflows, and then the rows, which are read again under their locks. What has been
/// promised to stay, stays: the next sweep finds it.
std::vector<Departure> remove_closed(Batch& batch, std::span<const TenantAndId> wanted,
                                     std::optional<Outcome>* postponed = nullptr) {
  std::vector<Departure> departures;
  if (wanted.empty()) return departures;
  const Trees trees = trees_among(batch.connection, wanted);
  std::vector<TenantAndId> ids(wanted.begin(), wanted.end());
  const std::set<TenantAndId> known(wanted.begin(), wanted.end());
  for (const auto& [id, root] : trees.root_of) {
    if (!known.contains(id)) ids.push_back(id);
  }
  std::vector<ExecutionRow> seen;
  for (auto& [id, row] : find_listed(batch.connection, ids)) seen.push_back(std::move(row));
  const LockedIdentities holders = lock_holders(batch, seen);
  lock_trees(batch.connection, trees);
  lock_executions(batch.connection, ids);
  std::map<TenantAndId, ExecutionRow> rows = find_listed(batch.connection, ids);
  if (!trees.empty() && trees_among(batch.connection, wanted) != trees)
    throw Contention("a run has gone on while it was to be removed");
  const std::set<TenantAndId> staying = promised_among(batch, rows, trees, holders, postponed);
  const std::vector<TenantAndId> gone = leaving_of(rows, trees, ids, staying);
  for (const TenantAndId& id : gone) departures.push_back({std::move(rows.at(id).execution)});
  std::vector<const domain::Execution*> executions;
  for (const Departure& each : departures) executions.push_back(&each.execution);
  const std::vector<bool> left = leave_tombstones(batch, executions, holders);
  for (std::size_t i = 0; i < left.size(); ++i) departures[i].left_tombstone = left[i];
  erase(batch, gone);
  erase_belongings(batch, trees, gone);
  return departures;
}

/// For whoever waits at another server. One that is not removed after all does no harm here.
void keep_a_while(Batch& batch, std::span<const TenantAndId> ids) {
  const IdArrays leaving(ids);
  batch.connection.run(
      "INSERT INTO departed SELECT $1::bigint, e.* FROM executions e WHERE (e.tenant, e.id) IN"
      " (SELECT * FROM unnest($2::text[], $3::uuid[])) AND e.closed_at IS NOT NULL ON CONFLICT DO NOTHING",
      batch.now, leaving.tenants, leaving.ids);
}

/// Those of a queue whose retention has passed, oldest first. They are in two indexes.
void find_old(Batch& batch, const TenantAndQueue& place, std::int64_t max, std::vector<TenantAndId>& old) {
  const Duration retention = batch.queues.settings(place).retention;
#define SEMEL_OLD(of)                                                          \
  "(SELECT e.id, e.closed_at FROM executions e WHERE " SEMEL_CLOSED " AND " of \
  " AND e.tenant = $1 AND e.queue = $2 AND e.closed_at <= $3 ORDER BY e.closed_at LIMIT $4)"
  const Rows rows = batch.connection.run("SELECT o.id FROM (" SEMEL_OLD("NOT e.client_made_id") " UNION ALL " SEMEL_OLD(
                                             "e.client_made_id") ") o ORDER BY o.closed_at LIMIT $4",
                                         place.first, place.second, batch.now - retention, max);
  for (const Row row : rows) old.emplace_back(place.first, domain::ExecutionId{row.uuid(0)});
}

/// Those that were put away to be kept for longer than their queue keeps them now. They go one by one, by the same way
/// as the others.
void find_shortened(Batch& batch, std::int64_t max, std::vector<TenantAndId>& old) {
  const Rows noted = batch.connection.run("SELECT tenant, queue, keep_days FROM closed_queues");
  std::set<TenantAndQueue> queues;
  for (const Row row : noted) queues.emplace(row.text(0), row.text(1));
  batch.queues.preload(queues);
  for (const Row row : noted) {
    const TenantAndQueue queue{row.text(0), row.text(1)};
    const Duration retention = batch.queues.settings(queue).retention;
    if (row.integer(2) <= keep_days_of(retention) || std::ssize(old) >= max) continue;
    const Rows rows = batch.connection.run(
        "SELECT c.id FROM closed c WHERE c.tenant = $1 AND c.queue = $2 AND c.keep_days = $3 AND c.closed_at <= $4"
        " AND NOT is_leaving(c.keep_days, c.closed_day) ORDER BY c.closed_at LIMIT $5",
        queue.first, queue.second, row.integer(2), batch.now - retention, max - std::ssize(old));
    for (const Row each : rows) old.emplace_back(queue.first, domain::ExecutionId{each.uuid(0)});
  }
}

std::int64_t sweep_tombstones(Batch& batch, std::int64_t max) {
  const Rows rows = batch.connection.run(
      "SELECT t.tenant, t.id, t.hash FROM tombstones t WHERE t.expires_at IS NOT NULL AND t.expires_at <= $1"
      " ORDER BY t.expires_at LIMIT $2",
      batch.now, max);
  std::vector<TenantAndId> stale;
  std::vector<TenantAndHash> identities;
  for (const Row row : rows) {
    stale.emplace_back(row.text(0), domain::ExecutionId{row.uuid(1)});
    if (!row.is_null(2)) identities.emplace_back(row.text(0), row.hash(2));
  }
  lock_identities(batch.connection, identities);
  remove_tombstones(batch.connection, stale);
  return std::ssize(stale);
}

}  // namespace

LockedIdentities lock_holders(Batch& batch, std::span<const ExecutionRow> rows) {
  std::vector<TenantAndHash> identities;
  for (const ExecutionRow& row : rows) {
    if (has_identity(row.execution)) identities.push_back(identity_of(row.execution));
  }
  return lock_identities(batch.connection, identities);
}

std::vector<bool> leave_tombstones(Batch& batch, std::span<const domain::Execution* const> gone,
                                   const LockedIdentities& holders) {
  std::vector<bool> left;
  Array tenants(Type::text);
  Array hashes(Type::bytes);
  for (const domain::Execution* each : gone) {
    const auto holder = holders.find(identity_of(*each));
    const bool holds = has_identity(*each) && holder != holders.end() && holder->second.holder == each->spec.id;
    const domain::TombstoneClaims claims{each->spec.client_made_id, holds};
    const bool leaves = domain::tombstone_holds(domain::tombstone_of(*each), claims, batch.now);
    if (leaves) insert_tombstone(batch.connection, *each, holds);
    if (holds && !leaves) {
      tenants.add(each->spec.tenant);
      hashes.add(each->spec.identity.hash);
    }
    left.push_back(leaves);
  }
  if (tenants.size() > 0) {
    batch.connection.run(
        "DELETE FROM identities i USING unnest($1::text[], $2::bytea[]) AS g (tenant, hash)"
        " WHERE i.tenant = g.tenant AND i.hash = g.hash",
        tenants, hashes);
  }
  return left;
}

Outcome apply(Batch& batch, const Remove& command) {
  const TenantAndId id{command.tenant, command.id};
  bring_back(batch, {&id, 1});
  std::optional<Outcome> postponed;
  const std::vector<Departure> removed = remove_closed(batch, {&id, 1}, &postponed);
  if (postponed) return *std::move(postponed);
  if (!removed.empty())
    return Removed{removed[0].left_tombstone ? Removed::Kind::left_tombstone : Removed::Kind::removed};
  const std::optional<ExecutionRow> row = find_execution(batch.connection, command.tenant, command.id);
  if (!row) return Removed{Removed::Kind::not_found};
  const bool is_open = domain::is_open(row->execution.state) || !row->execution.spec.step;  // or something below it
  return Removed{is_open ? Removed::Kind::still_open : Removed::Kind::goes_with_its_run};
}

std::vector<domain::Execution> forget_closed(Batch& batch, std::span<const TenantAndId> ids,
                                             const std::set<TenantAndId>& leave) {
  std::vector<domain::Execution> gone;
  std::vector<TenantAndId> told(ids.begin(), ids.end());
  told.insert(told.end(), leave.begin(), leave.end());
  keep_a_while(batch, told);
  std::map<TenantAndId, ExecutionRow> rows = find_executions(batch.connection, told);
  for (const Departure& each : remove_closed(batch, ids)) {
    const auto whole = rows.find({each.execution.spec.tenant, each.execution.spec.id});
    if (whole != rows.end()) gone.push_back(std::move(whole->second.execution));
  }
  return gone;
}

Outcome apply(Batch& batch, const Sweep& command) {
  std::vector<TenantAndId> old;
  TenantAndQueue place;
  while (std::ssize(old) < command.max && next_closed_queue(batch.connection, place))
    find_old(batch, place, command.max - std::ssize(old), old);
  find_shortened(batch, command.max, old);
  bring_back(batch, old);
  std::int64_t count = std::ssize(old);
  find_old_runs(batch, command.max, old, count);
  Swept swept;
  swept.executions = static_cast<int>(remove_closed(batch, old).size());
  const std::int64_t left = command.max - count;
  swept.tombstones = static_cast<int>(left > 0 ? sweep_tombstones(batch, left) : 0);
  const bool is_some_gone = swept.executions + swept.tombstones > 0;  // what is promised waits for another time
  swept.more = is_some_gone && count + swept.tombstones >= command.max;
  return swept;
}

}  // namespace semel::store::postgres
