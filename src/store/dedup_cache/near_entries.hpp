#pragma once
#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <unordered_map>

#include "store/dedup_cache/entry.hpp"

namespace semel::store {

/// Entries in the memory of this server, and which identities are met often enough to be worth one. Bounded: the oldest
/// half is forgotten when there are too many. Callable from any thread.
class NearEntries {
 public:
  using Clock = std::chrono::steady_clock;

  struct Options {
    Duration met_within = 10s;  // twice in this time is often
    std::size_t identities_max = 20'000;
  };
  explicit NearEntries(Options options) : options_(options) {}

  /// Nothing when it is over by either clock.
  std::shared_ptr<const CacheEntry> find(const DedupCache::Identity& identity, Time store_now, Clock::time_point now);
  /// Until the entry ends by the store's clock, and not longer than until then by this machine's.
  void put(std::shared_ptr<const CacheEntry> entry, Clock::time_point until);
  /// The store has answered a duplicate. True when it is time to ask for an entry; then nobody else is told so until
  /// put() or asked_in_vain(), nor soon after the latter.
  bool met(const DedupCache::Identity& identity, Clock::time_point now);
  /// The store does not promise anything of it: it is left alone for as long.
  void asked_in_vain(const DedupCache::Identity& identity, Clock::time_point now);
  void forget(const DedupCache::Identity& identity);

 private:
  struct Record {
    std::shared_ptr<const CacheEntry> entry{};
    Clock::time_point until{};
    std::optional<Clock::time_point> met{};
    bool is_asked_for = false;
    Clock::time_point left_alone_until{};
  };
  using Records = std::unordered_map<Hash32, Record, Hash32Hasher>;

  Record* find_record(const Hash32& hash);
  Record& record_of(const Hash32& hash);

  const Options options_;
  std::mutex mutex_;  // guards what follows
  Records young_;
  Records old_;  // those that have not been written to since the young became too many
};

}  // namespace semel::store
