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

Outcome apply(Tables& tables, const Remove& remove, Time now) {
  const Record* record = find_record(tables, remove.tenant, remove.id);
  if (record == nullptr) return Removed{Removed::Kind::not_found};
  if (is_open(record->execution.state)) return Removed{Removed::Kind::still_open};
  for (const domain::Attempt& attempt : record->attempts) tables.attempts.erase({remove.tenant, attempt.id});
  const Removed removed{bury(tables, record->execution, now)};
  tables.executions.erase({remove.tenant, remove.id});
  return removed;
}

void forget_closed(Tables& tables, std::size_t first, Time now) {
  for (std::size_t i = first; i < tables.changes.size(); ++i) {
    const Change& change = tables.changes[i];
    if (!is_closed(change.state)) continue;
    if (settings_of(tables, change.tenant, change.queue).retention > Duration{0}) continue;
    const Record* record = find_record(tables, change.tenant, change.id);
    if (record == nullptr || is_open(record->execution.state)) continue;
    tables.gone.push_back(record->execution);
    apply(tables, Remove{change.tenant, change.id}, now);
  }
}

Outcome apply(Tables& tables, const Sweep& sweep, Time now) {
  std::vector<TenantAndId> old;
  for (const auto& [id, record] : tables.executions) {
    const domain::Execution& execution = record.execution;
    if (!execution.closed_at) continue;
    const Duration retention = settings_of(tables, id.first, execution.spec.queue).retention;
    if (*execution.closed_at + retention <= now) old.push_back(id);
  }
  const std::size_t max = static_cast<std::size_t>(sweep.max);
  if (old.size() > max) old.resize(max);
  for (const auto& [tenant, id] : old) apply(tables, Remove{tenant, id}, now);

  std::vector<TenantAndId> stale;
  for (const auto& [id, left] : tables.tombstones) {
    if (left.expires_at && *left.expires_at <= now) stale.push_back(id);
  }
  if (stale.size() > max - old.size()) stale.resize(max - old.size());
  for (const TenantAndId& id : stale) forget_tombstone(tables, id);
  const bool more = old.size() + stale.size() == max;
  return Swept{static_cast<int>(old.size()), static_cast<int>(stale.size()), more};
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
