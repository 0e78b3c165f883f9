#pragma once
#include <atomic>
#include <boost/unordered/unordered_flat_map.hpp>
#include <chrono>
#include <cstdint>
#include <optional>
#include <shared_mutex>
#include <vector>

#include "base/bytes.hpp"
#include "store/sqlite/connection.hpp"

namespace semel::store::sqlite {

struct IdentityKey {
  std::int64_t tenant_id = 0;
  Hash32 hash{};

  auto operator<=>(const IdentityKey&) const = default;
};

struct IdentityKeyHasher {
  using is_avalanching = void;  // a digest needs no further mixing
  std::size_t operator()(const IdentityKey& key) const noexcept {
    return Hash32Hasher{}(key.hash) ^ static_cast<std::size_t>(key.tenant_id);
  }
};

/// Which execution (by seq) holds which identity.
///
/// Inserting a random hash into a B-tree dirties a page of its own each time, and was the dearest part of a submit.
/// So claims go into memory first: `active` takes new ones until it is full, then becomes `merging`, which is brought
/// into the `identities` table in the order of the hashes, a slice at a time, inside commits that happen anyway. What
/// is in memory only is durable all the same: the hash is a column of the execution, and after a restart the executions
/// inserted after the watermark are read again. A look-up asks staged, active, merging, table, in this order: newest
/// first.
///
/// The writer thread calls everything; any thread may call recent().
class IdentityIndex {
 public:
  /// Both generations together stay below 200,000 identities.
  static constexpr std::size_t generation_max = 98'304;
  /// The time that one slice may take inside a commit.
  static constexpr std::chrono::milliseconds slice_time_max{8};
  /// After so many rows it is seen whether that is over.
  static constexpr std::size_t rows_between_looks_at_the_clock = 32;
  /// Stands for "no execution holds it", where one did.
  static constexpr std::int64_t nobody = 0;

  using Steady = std::chrono::steady_clock;
  using Stopwatch = Steady::time_point (*)();

  explicit IdentityIndex(std::size_t generation = generation_max, Stopwatch stopwatch = Steady::now)
      : generation_(generation), stopwatch_(stopwatch) {}

  /// Reads what was claimed after the watermark.
  void load(Connection& connection);

  /// The holder, if the identity was claimed lately; `nobody` if it was given up lately; nothing if the table must be
  /// asked.
  std::optional<std::int64_t> recent(const IdentityKey& key) const;
  /// The holder as the open transaction sees it; `nobody` when there is none.
  std::int64_t find(Connection& connection, const IdentityKey& key) const;
  /// The same by memory alone: nothing when only the table could know.
  std::optional<std::int64_t> find_in_memory(const IdentityKey& key) const;
  /// The holder by the table alone.
  static std::int64_t find_merged(Connection& connection, const IdentityKey& key);

  /// Claims (or, with `nobody`, gives up) an identity in the open transaction.
  void stage(const IdentityKey& key, std::int64_t seq);

  /// Brings a slice of the merging generation into the table, within the open transaction: twice as many rows as were
  /// staged (so that a generation is merged before the next is full), at least `rows_min`, within slice_time_max.
  void merge_slice(Connection& connection, std::size_t rows_min);
  /// Whether a merge is under way or due.
  bool merge_waits() const { return !merging_.empty() || active_.size() >= generation_; }
  /// Whether new claims must wait for the merge.
  bool is_full() const { return !merging_.empty() && active_.size() >= generation_; }

  /// The open transaction has been committed; `last_seq` is the newest execution's.
  void committed(std::int64_t last_seq);
  void rolled_back();

  /// Grows whenever identities leave memory. Who saw an identity free in memory and table after reading this may trust
  /// memory alone as long as it stands: whatever was claimed since is still there. From any thread.
  std::uint64_t epoch() const { return epoch_.load(std::memory_order_acquire); }

  std::size_t recent_count() const { return active_.size() + frozen_.size(); }

 private:
  using Map = boost::unordered_flat_map<IdentityKey, std::int64_t, IdentityKeyHasher>;
  /// An entry of the frozen map in its order. Sorting whole entries would take twice as long.
  struct Handle {
    std::int64_t tenant_id;
    std::uint64_t prefix;
    const Map::value_type* entry;
  };

  void sort_next();
  void rotate(std::int64_t last_seq);

  const std::size_t generation_;
  const Stopwatch stopwatch_;
  Map staged_;                     // of the open transaction
  std::size_t merged_staged_ = 0;  // how far the open transaction has merged
  std::size_t merged_ = 0;         // how far committed transactions have
  std::int64_t merging_seq_ = 0;   // the watermark once `merging` is in the table

  std::vector<Handle> merging_;  // points into frozen_
  std::size_t sorted_ = 0;       // how far it is sorted; the rest is not smaller
  std::atomic<std::uint64_t> epoch_ = 1;

  mutable std::shared_mutex mutex_;  // the writer changes the two below under it
  Map active_;
  Map frozen_;  // the same as merging_, for look-ups
};

}  // namespace semel::store::sqlite
