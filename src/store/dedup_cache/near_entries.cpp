#include "store/dedup_cache/near_entries.hpp"

#include <utility>

namespace semel::store {

NearEntries::Record* NearEntries::find_record(const Hash32& hash) {
  if (const auto found = young_.find(hash); found != young_.end()) return &found->second;
  const auto found = old_.find(hash);
  return found == old_.end() ? nullptr : &found->second;
}

NearEntries::Record& NearEntries::record_of(const Hash32& hash) {
  if (const auto found = young_.find(hash); found != young_.end()) return found->second;
  Record record;
  if (auto found = old_.extract(hash)) record = std::move(found.mapped());
  if (young_.size() >= options_.identities_max / 2) old_ = std::exchange(young_, {});
  return young_.emplace(hash, std::move(record)).first->second;
}

std::shared_ptr<const CacheEntry> NearEntries::find(const DedupCache::Identity& identity, Time store_now,
                                                    Clock::time_point now) {
  const std::lock_guard lock(mutex_);
  Record* record = find_record(identity.hash);
  if (record == nullptr || !record->entry || record->entry->identity.tenant != identity.tenant) return nullptr;
  if (now >= record->until || store_now >= record->entry->until) {
    record->entry.reset();
    return nullptr;
  }
  record->met = now;
  return record->entry;
}

void NearEntries::put(std::shared_ptr<const CacheEntry> entry, Clock::time_point until) {
  const std::lock_guard lock(mutex_);
  Record& record = record_of(entry->identity.hash);
  record.entry = std::move(entry);
  record.until = until;
  record.is_asked_for = false;
}

bool NearEntries::met(const DedupCache::Identity& identity, Clock::time_point now) {
  const std::lock_guard lock(mutex_);
  Record& record = record_of(identity.hash);
  const bool is_often = record.met && now - *record.met < options_.met_within;
  record.met = now;
  if (!is_often || record.is_asked_for || now < record.left_alone_until) return false;
  record.is_asked_for = true;
  return true;
}

void NearEntries::asked_in_vain(const DedupCache::Identity& identity, Clock::time_point now) {
  const std::lock_guard lock(mutex_);
  Record& record = record_of(identity.hash);
  record = {};
  record.left_alone_until = now + options_.met_within;
}

void NearEntries::forget(const DedupCache::Identity& identity) {
  const std::lock_guard lock(mutex_);
  if (Record* record = find_record(identity.hash)) record->entry.reset();
}

}  // namespace semel::store
