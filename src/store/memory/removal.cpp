#include <algorithm>

#include "store/memory/tables.hpp"

/// How executions leave: by hand, when their retention has passed, or at once where nothing is kept. What belongs to a
/// run or a code workflow goes with its root.
namespace semel::store::memory {
namespace {

/// Leaves a tombstone when the execution still holds its identity or its promised id; else nothing is left.
Removed::Kind bury(Tables& tables, const domain::Execution& execution, Time now) {
  const domain::ExecutionSpec& spec = execution.spec;
  const auto holder = tables.holders.find({spec.tenant, spec.identity.hash});
  const bool carries_identity = spec.identity.mode != domain::Mode::none;
  const bool is_holder = carries_identity && holder != tables.holders.end() && holder->second == spec.id;

  if (!tombstone_holds(tombstone_of(execution), {spec.client_made_id, is_holder}, now)) {
    if (is_holder) tables.holders.erase(holder);
    return Removed::Kind::removed;
  }
  Tombstone left{tombstone_of(execution), spec.client_made_id, std::nullopt};
  left.expires_at = tombstone_end(left.holder, {spec.client_made_id, is_holder});
  if (is_holder) left.hash = spec.identity.hash;
  tables.tombstones.emplace(TenantAndId{spec.tenant, spec.id}, std::move(left));
  return Removed::Kind::left_tombstone;
}

Removed remove_record(Tables& tables, const TenantAndId& id, Time now) {
  const Record& record = tables.executions.at(id);
  for (const domain::Attempt& attempt : record.attempts) tables.attempts.erase({id.first, attempt.id});
  const Removed removed{bury(tables, record.execution, now)};
  tables.executions.erase(id);
  return removed;
}

/// All that a run or a code workflow has begun, and what that has begun.
std::vector<TenantAndId> all_below(const Tables& tables, const TenantAndId& root) {
  std::vector<TenantAndId> below = tasks_of_run(tables, root);
  for (std::size_t i = 0; i < below.size(); ++i) {
    const std::vector<TenantAndId> next = tasks_of_run(tables, below[i]);
    below.insert(below.end(), next.begin(), next.end());
  }
  return below;
}

bool is_open_below(const Tables& tables, const TenantAndId& root) {
  const std::vector<TenantAndId> below = all_below(tables, root);
  return std::any_of(below.begin(), below.end(),
                     [&](const TenantAndId& id) { return is_open(tables.executions.at(id).execution.state); });
}

void remove_run(Tables& tables, const TenantAndId& id) {
  const auto run = tables.runs.find(id);
  if (run == tables.runs.end()) return;
  const Hash32 plan = run->second.plan;
  tables.runs.erase(run);
  const bool is_used = std::any_of(tables.runs.begin(), tables.runs.end(), [&](const auto& each) {
    return each.first.first == id.first && each.second.plan == plan;
  });
  if (!is_used) tables.plans.erase({id.first, plan});
}

/// All below and all else that it had. How many executions.
std::size_t remove_belongings(Tables& tables, const TenantAndId& id, Time now) {
  const std::vector<TenantAndId> below = all_below(tables, id);
  for (const TenantAndId& each : below) {
    remove_record(tables, each, now);
    tables.workflows.erase(each);
  }
  tables.workflows.erase(id);
  remove_run(tables, id);
  return below.size();
}

/// What is below the root and was closed by the changes from `first` on, for whoever waits for it.
void keep_for_waiters(Tables& tables, const TenantAndId& root, std::size_t first) {
  const std::vector<TenantAndId> below = all_below(tables, root);
  for (std::size_t i = first; i < tables.changes.size(); ++i) {
    const Change& change = tables.changes[i];
    const TenantAndId id{change.tenant, change.id};
    if (!is_closed(change.state) || std::find(below.begin(), below.end(), id) == below.end()) continue;
    tables.gone.push_back(tables.executions.at(id).execution);
  }
}

}  // namespace

Outcome apply(Tables& tables, const Remove& remove, Time now) {
  const Record* record = find_record(tables, remove.tenant, remove.id);
  if (record == nullptr) return Removed{Removed::Kind::not_found};
  if (is_open(record->execution.state)) return Removed{Removed::Kind::still_open};
  if (record->execution.spec.step) return Removed{Removed::Kind::goes_with_its_run};
  if (is_open_below(tables, {remove.tenant, remove.id})) return Removed{Removed::Kind::still_open};
  remove_belongings(tables, {remove.tenant, remove.id}, now);
  return remove_record(tables, {remove.tenant, remove.id}, now);
}

void forget_closed(Tables& tables, std::size_t first, Time now) {
  for (std::size_t i = first; i < tables.changes.size(); ++i) {
    const Change& change = tables.changes[i];
    if (!is_closed(change.state)) continue;
    const Record* record = find_record(tables, change.tenant, change.id);
    if (record == nullptr || is_open(record->execution.state) || record->execution.spec.step) continue;
    const domain::QueueSettings settings = settings_of(tables, change.tenant, change.queue);
    if (retention_of(settings, record->execution.spec.kind) > Duration{0}) continue;
    if (is_open_below(tables, {change.tenant, change.id})) continue;  // the sweeper finds it
    tables.gone.push_back(record->execution);
    keep_for_waiters(tables, {change.tenant, change.id}, first);
    apply(tables, Remove{change.tenant, change.id}, now);
  }
}

Outcome apply(Tables& tables, const Sweep& sweep, Time now) {
  std::vector<TenantAndId> old;
  for (const auto& [id, record] : tables.executions) {
    const domain::Execution& execution = record.execution;
    if (!execution.closed_at || execution.spec.step) continue;
    const domain::QueueSettings settings = settings_of(tables, id.first, execution.spec.queue);
    const bool is_old = *execution.closed_at + retention_of(settings, execution.spec.kind) <= now;
    if (is_old && !is_open_below(tables, id)) old.push_back(id);
  }
  const std::size_t max = static_cast<std::size_t>(sweep.max);
  std::size_t removed = 0;
  for (std::size_t i = 0; i < old.size() && removed < max; ++i) {
    removed += 1 + remove_belongings(tables, old[i], now);
    remove_record(tables, old[i], now);
  }
  const std::size_t left = max - std::min(max, removed);

  std::vector<TenantAndId> stale;
  for (const auto& [id, tombstone] : tables.tombstones) {
    if (tombstone.expires_at && *tombstone.expires_at <= now) stale.push_back(id);
  }
  if (stale.size() > left) stale.resize(left);
  for (const TenantAndId& id : stale) forget_tombstone(tables, id);
  const bool more = removed + stale.size() >= max;
  return Swept{static_cast<int>(removed), static_cast<int>(stale.size()), more};
}

}  // namespace semel::store::memory
