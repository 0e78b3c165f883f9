#include "store/sqlite/identity_index.hpp"

#include <algorithm>
#include <mutex>

#include "store/sqlite/facts.hpp"

namespace semel::store::sqlite {
namespace {

constexpr std::size_t rows_sorted_at_once = 4'096;

std::uint64_t prefix_of(const Hash32& hash) {
  std::uint64_t prefix = 0;
  for (std::size_t i = 0; i < 8; ++i) prefix = (prefix << 8) | hash[i];
  return prefix;
}

/// Merging again after a crash is harmless: of the executions with one identity only the holder is not superseded, and
/// only such are read again. A reopened holder may be older than the one that it takes the identity over from.
void merge_one(Connection& connection, const IdentityKey& key, std::int64_t seq) {
  if (seq == IdentityIndex::nobody) {
    Scoped remove = connection.use("DELETE FROM identities WHERE tenant_id = ?1 AND hash = ?2");
    remove->bind(1, key.tenant_id).bind(2, key.hash).run();
    return;
  }
  Scoped upsert = connection.use(
      "INSERT INTO identities (tenant_id, hash, seq) VALUES (?1, ?2, ?3)"
      " ON CONFLICT DO UPDATE SET seq = excluded.seq");
  upsert->bind(1, key.tenant_id).bind(2, key.hash).bind(3, seq).run();
}

}  // namespace

void IdentityIndex::load(Connection& connection) {
  Scoped query = connection.use(
      "SELECT seq, tenant_id, hash FROM executions WHERE seq > ?1 AND hash IS NOT NULL AND superseded = 0 ORDER BY "
      "seq");
  query->bind(1, read_fact(connection, fact::identity_watermark));
  const std::unique_lock lock(mutex_);
  active_.reserve(generation_ + 1024);
  while (query->step()) active_.insert_or_assign(IdentityKey{query->integer(1), query->hash(2)}, query->integer(0));
  Scoped reclaimed = connection.use(
      "SELECT e.seq, e.tenant_id, e.hash FROM reclaimed r JOIN executions e ON e.seq = r.seq WHERE e.superseded = 0");
  while (reclaimed->step()) {
    active_.insert_or_assign(IdentityKey{reclaimed->integer(1), reclaimed->hash(2)}, reclaimed->integer(0));
  }
}

std::optional<std::int64_t> IdentityIndex::recent(const IdentityKey& key) const {
  const std::shared_lock lock(mutex_);
  if (const auto found = active_.find(key); found != active_.end()) return found->second;
  if (const auto found = frozen_.find(key); found != frozen_.end()) return found->second;
  return std::nullopt;
}

std::optional<std::int64_t> IdentityIndex::find_in_memory(const IdentityKey& key) const {
  if (const auto found = staged_.find(key); found != staged_.end()) return found->second;
  if (const auto found = active_.find(key); found != active_.end()) return found->second;
  if (const auto found = frozen_.find(key); found != frozen_.end()) return found->second;
  return std::nullopt;
}

std::int64_t IdentityIndex::find(Connection& connection, const IdentityKey& key) const {
  const std::optional<std::int64_t> known = find_in_memory(key);
  return known ? *known : find_merged(connection, key);
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
  const auto deadline = stopwatch_() + slice_time_max;
  while (merged_staged_ < end) {
    if (merged_staged_ == sorted_) sort_next();
    const auto& [key, seq] = *merging_[merged_staged_].entry;
    merge_one(connection, key, seq);
    ++merged_staged_;
    if (merged_staged_ % rows_between_looks_at_the_clock == 0 && stopwatch_() >= deadline) break;
  }
  if (merged_staged_ == merging_.size()) write_fact(connection, fact::identity_watermark, merging_seq_);
}

void IdentityIndex::committed(std::int64_t last_seq) {
  merged_ = merged_staged_;
  {
    const std::unique_lock lock(mutex_);
    for (const auto& [key, seq] : staged_) active_.insert_or_assign(key, seq);
    if (!merging_.empty() && merged_ == merging_.size()) {
      std::vector<Handle>().swap(merging_);
      merged_ = merged_staged_ = 0;
      // Before they leave: nobody may see them gone under the old epoch.
      epoch_.fetch_add(1, std::memory_order_acq_rel);
      frozen_.clear();
    }
  }
  staged_.clear();
  if (merging_.empty() && active_.size() >= generation_) rotate(last_seq);
}

void IdentityIndex::rolled_back() {
  staged_.clear();
  merged_staged_ = merged_;
}

/// Sorting a large generation at once would hold up a commit for more than ten milliseconds: only what comes next is.
void IdentityIndex::sort_next() {
  const auto precedes = [](const Handle& a, const Handle& b) {
    if (a.tenant_id != b.tenant_id) return a.tenant_id < b.tenant_id;
    if (a.prefix != b.prefix) return a.prefix < b.prefix;
    return a.entry->first < b.entry->first;
  };
  const auto begin = merging_.begin() + static_cast<std::ptrdiff_t>(sorted_);
  sorted_ = std::min(merging_.size(), sorted_ + rows_sorted_at_once);
  const auto end = merging_.begin() + static_cast<std::ptrdiff_t>(sorted_);
  if (end != merging_.end()) std::nth_element(begin, end, merging_.end(), precedes);
  std::sort(begin, end, precedes);
}

void IdentityIndex::rotate(std::int64_t last_seq) {
  merging_seq_ = last_seq;
  sorted_ = 0;
  {
    const std::unique_lock lock(mutex_);
    frozen_.swap(active_);  // empty before, and keeps its room
  }
  merging_.reserve(frozen_.size());
  for (const auto& entry : frozen_) merging_.push_back({entry.first.tenant_id, prefix_of(entry.first.hash), &entry});
}

}  // namespace semel::store::sqlite
