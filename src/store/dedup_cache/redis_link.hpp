#pragma once
#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>

#include "base/log.hpp"
#include "store/dedup_cache/redis.hpp"

namespace semel::store {

/// The connection to Redis and its circuit breaker: after a fault Redis is left alone for a while, longer each time,
/// and nobody waits for it meanwhile. One thread uses it; is_up() may be asked by any.
class RedisLink {
 public:
  using Clock = std::chrono::steady_clock;

  struct Options {
    RedisTarget target;
    RedisPatience patience{};
    Duration pause_min = 250ms;
    Duration pause_max = 5s;
  };
  explicit RedisLink(Options options) : options_(std::move(options)), pause_(options_.pause_min) {}

  /// Whether it is worth asking: true until it has failed, and again when a try has succeeded.
  bool is_up() const { return is_up_; }
  std::uint64_t faults() const { return faults_; }

  /// How long until try_again() is due; nothing while it is up.
  std::optional<Duration> rest() const;
  /// Tries to connect, if it is time, or `now` that somebody needs it.
  void try_again(bool now);

  /// False when Redis did not do it. A connection that it has closed meanwhile is opened again, once.
  template <typename Use>
  bool use(const Use& use) {
    for (int tries = 0;; ++tries) {
      try {
        if (!redis_) redis_.emplace(options_.target, options_.patience);
        use(*redis_);
        succeeded();
        return true;
      } catch (const RedisFault& fault) {
        const bool was_idle = tries == 0 && redis_ && fault.kind() == RedisFault::Kind::broken;
        redis_.reset();
        if (was_idle) continue;
        failed(fault);
        return false;
      }
    }
  }

 private:
  void succeeded();
  void failed(const RedisFault& fault);

  const Options options_;
  std::optional<Redis> redis_;
  Duration pause_;
  Clock::time_point next_try_{};
  std::atomic<bool> is_up_ = true;
  std::atomic<std::uint64_t> faults_ = 0;
};

}  // namespace semel::store
