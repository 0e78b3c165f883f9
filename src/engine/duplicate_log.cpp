#include "engine/duplicate_log.hpp"

#include <iterator>

namespace semel::engine {

DuplicateTally join(DuplicateTally older, const DuplicateTally& newer) {
  older.count += newer.count;
  older.last.insert(older.last.end(), newer.last.begin(), newer.last.end());
  if (older.last.size() > duplicate_hits_kept) {
    older.last.erase(older.last.begin(), std::prev(older.last.end(), static_cast<std::ptrdiff_t>(duplicate_hits_kept)));
  }
  return older;
}

void DuplicateLog::add(const std::string& tenant, domain::ExecutionId id, DuplicateHit hit) {
  const std::lock_guard lock(mutex_);
  const auto found = tallies_.find({id, tenant});
  if (found == tallies_.end() && tallies_.size() >= holders_max) return;
  DuplicateTally& tally = found != tallies_.end() ? found->second : tallies_[{id, tenant}];
  tally.tenant = tenant;
  tally.id = id;
  ++tally.count;
  if (tally.last.size() == duplicate_hits_kept) tally.last.erase(tally.last.begin());
  tally.last.push_back(std::move(hit));
}

std::vector<DuplicateTally> DuplicateLog::take(std::size_t max) {
  std::vector<DuplicateTally> taken;
  const std::lock_guard lock(mutex_);
  while (!tallies_.empty() && taken.size() < max) {
    auto first = tallies_.extract(tallies_.begin());
    taken.push_back(std::move(first.mapped()));
  }
  return taken;
}

void DuplicateLog::put_back(std::vector<DuplicateTally> tallies) {
  const std::lock_guard lock(mutex_);
  for (DuplicateTally& tally : tallies) {
    const Key key{tally.id, tally.tenant};
    const auto newer = tallies_.find(key);
    if (newer != tallies_.end()) newer->second = join(std::move(tally), newer->second);
    else if (tallies_.size() < holders_max) tallies_.emplace(key, std::move(tally));
  }
}

DuplicateTally DuplicateLog::read(const std::string& tenant, domain::ExecutionId id) const {
  const std::lock_guard lock(mutex_);
  const auto found = tallies_.find({id, tenant});
  return found != tallies_.end() ? found->second : DuplicateTally{tenant, id, 0, {}};
}

bool DuplicateLog::empty() const {
  const std::lock_guard lock(mutex_);
  return tallies_.empty();
}

}  // namespace semel::engine
