#pragma once
#include <algorithm>
#include <atomic>
#include <cstdint>

#include "ports/clock.hpp"

namespace semel::store::sqlite {

/// A clock that never goes backwards, also when the one behind it is set back. Callable from any thread.
class MonotonicClock {
 public:
  explicit MonotonicClock(const Clock& clock) : clock_(clock) {}

  Time now() const {
    const std::int64_t seen = to_ms(clock_.now());
    std::int64_t last = last_ms_.load(std::memory_order_relaxed);
    while (seen > last && !last_ms_.compare_exchange_weak(last, seen, std::memory_order_relaxed)) {
    }
    return from_ms(std::max(seen, last));
  }
  void not_before(Time time) { last_ms_ = std::max(last_ms_.load(), to_ms(time)); }

 private:
  const Clock& clock_;
  mutable std::atomic<std::int64_t> last_ms_ = 0;
};

}  // namespace semel::store::sqlite
