#pragma once
#include <algorithm>
#include <atomic>
#include <chrono>

#include "base/time.hpp"

namespace semel::store {

/// How late it is at most by the store's clock: what it told last, and all the time that has passed since it was asked.
/// That is measured by a clock that nobody sets. One thread tells; any may ask.
class StoreTime {
 public:
  using Clock = std::chrono::steady_clock;

  static constexpr Duration known_for = 30s;  // after that, clocks may have drifted apart

  void told(Time time, Clock::time_point asked_at) {
    ahead_ms_ = to_ms(time) - ms_of(asked_at);
    told_ms_ = ms_of(asked_at);
  }
  bool is_known(Clock::time_point now) const { return ms_of(now) - told_ms_ < known_for.count(); }
  /// `estimate` is what else is known, by another way; the later one counts.
  Time at_most(Clock::time_point now, Time estimate) const {
    return std::max(from_ms(ms_of(now) + 1 + ahead_ms_), estimate);
  }

 private:
  static std::int64_t ms_of(Clock::time_point time) {
    return std::chrono::duration_cast<std::chrono::milliseconds>(time.time_since_epoch()).count();
  }

  std::atomic<std::int64_t> ahead_ms_ = 0;
  std::atomic<std::int64_t> told_ms_ = -known_for.count();
};

}  // namespace semel::store
