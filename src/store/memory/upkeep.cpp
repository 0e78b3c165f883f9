#include <algorithm>
#include <iterator>

#include "store/memory/tables.hpp"

/// What happens to executions and identities beside the path of a task: removal, release, counting.
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

/// Where the holder's `released_at` is kept.
std::optional<Time>& released_at(Tables& tables, const TenantAndId& id) {
  if (const auto left = tables.tombstones.find(id); left != tables.tombstones.end()) {
    return left->second.holder.released_at;
  }
  return tables.executions.at(id).execution.released_at;
}

void add(Record& record, const DuplicateTally& tally) {
  record.duplicates += tally.count;
  std::vector<DuplicateHit>& last = record.last_duplicates;
  last.insert(last.end(), tally.last.begin(), tally.last.end());
  if (last.size() <= duplicate_hits_kept) return;
  last.erase(last.begin(), std::prev(last.end(), static_cast<std::ptrdiff_t>(duplicate_hits_kept)));
}

}  // namespace

Record* find_record(Tables& tables, const std::string& tenant, domain::ExecutionId id) {
  const auto found = tables.executions.find({tenant, id});
  return found == tables.executions.end() ? nullptr : &found->second;
}

std::vector<TenantAndId> tasks_of_run(const Tables& tables, const TenantAndId& run) {
  std::vector<TenantAndId> tasks;
  for (const auto& [id, record] : tables.executions) {
    const auto& step = record.execution.spec.step;
    if (step && id.first == run.first && step->run == run.second) tasks.push_back(id);
  }
  return tasks;
}

namespace {

Removed remove_record(Tables& tables, const TenantAndId& id, Time now) {
  const Record& record = tables.executions.at(id);
  for (const domain::Attempt& attempt : record.attempts) tables.attempts.erase({id.first, attempt.id});
  const Removed removed{bury(tables, record.execution, now)};
  tables.executions.erase(id);
  return removed;
}

/// The run's tasks and all else that it had. How many tasks.
std::size_t remove_belongings(Tables& tables, const TenantAndId& id, Time now) {
  const auto run = tables.runs.find(id);
  if (run == tables.runs.end()) return 0;
  const std::vector<TenantAndId> tasks = tasks_of_run(tables, id);
  for (const TenantAndId& task : tasks) remove_record(tables, task, now);
  const Hash32 plan = run->second.plan;
  tables.runs.erase(run);
  const bool is_used = std::any_of(tables.runs.begin(), tables.runs.end(), [&](const auto& each) {
    return each.first.first == id.first && each.second.plan == plan;
  });
  if (!is_used) tables.plans.erase({id.first, plan});
  return tasks.size();
}

/// Tasks of the run that the changes from `first` on closed, for whoever waits for them.
void keep_for_waiters(Tables& tables, const TenantAndId& run, std::size_t first) {
  for (std::size_t i = first; i < tables.changes.size(); ++i) {
    const Change& change = tables.changes[i];
    const Record* record = find_record(tables, change.tenant, change.id);
    if (record == nullptr || !is_closed(change.state)) continue;
    const auto& step = record->execution.spec.step;
    if (step && change.tenant == run.first && step->run == run.second) tables.gone.push_back(record->execution);
  }
}

}  // namespace

Outcome apply(Tables& tables, const Remove& remove, Time now) {
  const Record* record = find_record(tables, remove.tenant, remove.id);
  if (record == nullptr) return Removed{Removed::Kind::not_found};
  if (is_open(record->execution.state)) return Removed{Removed::Kind::still_open};
  if (record->execution.spec.step) return Removed{Removed::Kind::goes_with_its_run};
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
    if (*execution.closed_at + retention_of(settings, execution.spec.kind) <= now) old.push_back(id);
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

Outcome apply(Tables& tables, const Release& release, Time now) {
  const std::optional<Held> held = holder_of_hash(tables, release.tenant, release.hash);
  if (!held) return Released{Released::Kind::not_found, std::nullopt};
  const domain::Holder& holder = held->holder;
  if (holder.released_at) return Released{Released::Kind::released, holder.id};  // the first time stays
  if (is_open(holder.state) && !release.force) return Released{Released::Kind::holder_open, holder.id};
  released_at(tables, {release.tenant, holder.id}) = now;
  note(tables, release.tenant,
       {0, now, release.by, release.force ? "identity.release.force" : "identity.release", to_hex(release.hash)});
  return Released{Released::Kind::released, holder.id};
}

Outcome apply(Tables& tables, const RecordDuplicates& record, Time) {
  for (const DuplicateTally& tally : record.tallies) {
    if (Record* counted = find_record(tables, tally.tenant, tally.id)) add(*counted, tally);
  }
  return DuplicatesRecorded{};
}

}  // namespace semel::store::memory
