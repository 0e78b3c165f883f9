#include <algorithm>
#include <iterator>

#include "store/memory/tables.hpp"

/// What happens to executions and identities beside the path of a task: release, counting.
namespace semel::store::memory {
namespace {

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
