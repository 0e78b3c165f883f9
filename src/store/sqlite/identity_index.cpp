#include "store/sqlite/identity_index.hpp"

#include <algorithm>
#include <mutex>

#include "store/sqlite/facts.hpp"

namespace semel::store::sqlite {
namespace {

using Steady = std::chrono::steady_clock;

constexpr std::size_t rows_between_looks_at_the_clock = 32;

const std::int64_t* find_sorted(const std::vector<std::pair<IdentityKey, std::int64_t>>& entries, const IdentityKey& key) {
  const auto place = std::lower_bound(entries.begin(), entries.end(), key,
                                      [](const auto& entry, const IdentityKey& sought) { return entry.first < sought; });
  return place != entries.end() && place->first == key ? &place->second : nullptr;
}

/// Merging again after a crash is harmless: a newer holder is never overwritten by an older one.
void merge_one(Connection& connection, const IdentityKey& key, std::int64_t seq) {
  if (seq == IdentityIndex::nobody) {
    Scoped remove = connection.use("DELETE FROM identities WHERE tenant_id = ?1 AND hash = ?2");
    remove->bind(1, key.tenant_id).bind(2, key.hash).run();
    return;
  }
  Scoped upsert = connection.use(
      "INSERT INTO identities (tenant_id, hash, seq) VALUES (?1, ?2, ?3)"
      " ON CONFLICT DO UPDATE SET seq = excluded.seq WHERE excluded.seq > seq");
  upsert->bind(1, key.tenant_id).bind(2, key.hash).bind(3, seq).run();
}

}  // namespace

void IdentityIndex::load(Connection& connection) {
  Scoped query = connection.use(
      "SELECT seq, tenant_id, hash FROM executions WHERE seq > ?1 AND hash IS NOT NULL AND superseded = 0 ORDER BY seq");
  query->bind(1, read_fact(connection, fact::identity_watermark));
  const std::unique_lock lock(mutex_);
  active_.reserve(generation_ + 1024);
  while (query->step()) active_.insert_or_assign(IdentityKey{query->integer(1), query->hash(2)}, query->integer(0));
}

std::optional<std::int64_t> IdentityIndex::recent(const IdentityKey& key) const {
  const std::shared_lock lock(mutex_);
  if (const auto found = active_.find(key); found != active_.end()) return found->second;
  if (const std::int64_t* seq = find_sorted(merging_, key)) return *seq;
  return std::nullopt;
}

std::int64_t IdentityIndex::find(Connection& connection, const IdentityKey& key) const {
  if (const auto found = staged_.find(key); found != staged_.end()) return found->second;
  if (const auto found = active_.find(key); found != active_.end()) return found->second;
  if (const std::int64_t* seq = find_sorted(merging_, key)) return *seq;
  return find_merged(connection, key);
}

std::int64_t IdentityIndex::find_merged(Connection& connection, const IdentityKey& key) {
  Scoped query = connection.use("SELECT seq FROM identities WHERE tenant_id = ?1 AND hash = ?2");
  query->bind(1, key.tenant_id).bind(2, key.hash);
  return query->step() ? query->integer(0) : nobody;
}

void IdentityIndex::stage(const IdentityKey& key, std::int64_t seq) { staged_.insert_or_assign(key, seq); }

void IdentityIndex::merge_slice(Connection& connection, std::size_t rows_min) {
  if (merging_.empty()) return;
  const std::size_t wanted = std::max(rows_min, 2 * staged_.size());
  const std::size_t end = std::min(merging_.size(), merged_staged_ + wanted);
  const auto deadline = Steady::now() + slice_time_max;
  while (merged_staged_ < end) {
    const auto& [key, seq] = merging_[merged_staged_];
    merge_one(connection, key, seq);
    ++merged_staged_;
    if (merged_staged_ % rows_between_looks_at_the_clock == 0 && Steady::now() >= deadline) break;
  }
  if (merged_staged_ == merging_.size()) write_fact(connection, fact::identity_watermark, merging_seq_);
}

void IdentityIndex::committed(std::int64_t last_seq) {
  merged_ = merged_staged_;
  {
    const std::unique_lock lock(mutex_);
    for (const auto& [key, seq] : staged_) active_.insert_or_assign(key, seq);
    if (!merging_.empty() && merged_ == merging_.size()) {
      std::vector<Entry>().swap(merging_);
      merged_ = merged_staged_ = 0;
    }
  }
  staged_.clear();
  if (merging_.empty() && active_.size() >= generation_) rotate(last_seq);
}

void IdentityIndex::rolled_back() {
  staged_.clear();
  merged_staged_ = merged_;
}

/// Sorted before the lock is taken, so that nobody who looks something up waits for it.
void IdentityIndex::rotate(std::int64_t last_seq) {
  std::vector<Entry> sorted(active_.begin(), active_.end());
  std::sort(sorted.begin(), sorted.end());
  merging_seq_ = last_seq;
  const std::unique_lock lock(mutex_);
  merging_.swap(sorted);
  active_.clear();
}

}  // namespace semel::store::sqlite
