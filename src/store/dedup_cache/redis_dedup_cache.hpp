#pragma once
#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "base/loop.hpp"
#include "ports/promises.hpp"
#include "store/dedup_cache/near_entries.hpp"
#include "store/dedup_cache/redis_link.hpp"
#include "store/dedup_cache/store_time.hpp"

namespace semel::store {

struct DedupCacheOptions {
  RedisTarget target{};
  Duration life = 5s;   // of an entry
  Duration grace = 2s;  // by which clocks may differ: the store keeps its promise so much longer
  std::size_t entry_bytes_max = 16 << 10;
  RedisPatience patience{};
  NearEntries::Options near{};
};

/// The dedup cache (docs/adr/0014): entries in this server's memory, and in a Redis that all servers share. An entry is
/// only ever made of what the store has promised to stay as it is, and is used only while that promise runs. So neither
/// of the two places has to be told of any change, and it does no harm what Redis does with the bytes.
///
/// Two threads: one talks to Redis, for all that wait together; the other to the store. The promises must outlive it.
class RedisDedupCache final : public DedupCache {
 public:
  /// Throws StoreFault. Redis need not answer yet.
  RedisDedupCache(Promises& promises, DedupCacheOptions options);
  ~RedisDedupCache() override;

  void look_up(std::vector<Identity> identities, std::function<void(Found)> found) override;
  void met(const Identity& identity, const Held& held) override;
  void forget(Identity identity, std::function<void(bool)> done) override;
  void close() override;
  Counts counts() const override;

 private:
  using Clock = std::chrono::steady_clock;
  using SharedEntry = std::shared_ptr<const CacheEntry>;

  /// Somebody who waits for Redis.
  struct LookUp {
    std::vector<Identity> identities;
    std::vector<std::size_t> missing;  // places that were not found near
    Found found;
    std::function<void(Found)> done;
  };
  struct Forgetting {
    std::string key;
    std::function<void(bool)> done;
  };
  struct Wanted {
    CacheEntry entry;
    std::string queue;
  };
  struct FarWork {
    std::vector<LookUp> look_ups;
    std::vector<Forgetting> forgettings;
    std::vector<SharedEntry> entries;  // to be added
    bool is_closed = false;
  };

  Time store_now() const { return time_.at_most(Clock::now(), promises_.promises_now()); }
  bool wait_for_far(LookUp& look_up);
  void finish(LookUp& look_up);

  Duration work_far();
  void forget_far(std::vector<Forgetting>& forgettings);
  void look_far(std::span<LookUp> look_ups);
  void take(LookUp& look_up, std::size_t place, const std::string& bytes);
  void add_far(const std::vector<SharedEntry>& entries);

  Duration make_promises();
  void promised(std::vector<Wanted> wanted, const Promised& answer, Clock::time_point asked_at);

  Promises& promises_;
  const DedupCacheOptions options_;
  const EntryCodec codec_;
  NearEntries near_;
  StoreTime time_;
  RedisLink link_;  // of the far thread
  std::atomic<std::uint64_t> hits_near_ = 0, hits_far_ = 0, misses_ = 0, bad_entries_ = 0;
  std::mutex mutex_;  // guards the three below
  FarWork far_work_;
  std::size_t keys_waiting_ = 0;
  std::vector<Wanted> wanted_;
  Loop far_;       // last: they use all of the above
  Loop promiser_;  // wakes the other one
};

}  // namespace semel::store
