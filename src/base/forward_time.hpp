#pragma once
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>

#include "base/time.hpp"

namespace semel {

/// Makes a time that never goes backwards of a clock that can be set back. While the clock is behind the newest time
/// that was told, time goes on at half its speed: leases still end and delays still pass, though later than they
/// should, and the clock catches up by itself. Standing still would stop all of them; full speed would keep a
/// mistaken jump forward for good. Callable from any thread.
class ForwardTime {
 public:
  /// What the time is when the clock shows `seen`, and the machine has been `running` for so long.
  Time at(Time seen, Duration running) const {
    const std::int64_t seen_ms = to_ms(seen);
    std::int64_t last = last_ms_.load(std::memory_order_relaxed);
    if (seen_ms < last) return at_half_speed(running);
    while (seen_ms > last && !last_ms_.compare_exchange_weak(last, seen_ms, std::memory_order_relaxed)) {
    }
    return from_ms(std::max(seen_ms, last));
  }

  Time last() const { return from_ms(last_ms_); }
  void not_before(Time time) { raise_to(to_ms(time)); }

 private:
  Time at_half_speed(Duration running) const {
    const std::lock_guard lock(mutex_);
    const std::int64_t last = last_ms_;
    const std::int64_t reached = since_ ? to_ms(from_) + (running - *since_).count() / 2 : 0;
    if (since_ && reached >= last) return from_ms(raise_to(reached));
    from_ = from_ms(last);  // the clock has just been found behind
    since_ = running;
    return from_;
  }

  std::int64_t raise_to(std::int64_t time_ms) const {
    std::int64_t last = last_ms_;
    while (time_ms > last && !last_ms_.compare_exchange_weak(last, time_ms)) {
    }
    return std::max(time_ms, last);
  }

  mutable std::atomic<std::int64_t> last_ms_ = 0;
  mutable std::mutex mutex_;               // guards what is below
  mutable Time from_{};                    // how late it was when the clock was found behind,
  mutable std::optional<Duration> since_;  // and how long the machine had been running
};

}  // namespace semel
