#pragma once
#include <algorithm>
#include <atomic>
#include <cstdint>

#include "ports/clock.hpp"

namespace semel::store::postgres {

/// The database's clock, as far as it is known here: the machine's own, and how far the database was ahead when it was
/// asked last. Never goes backwards, also when another database with another clock takes over. A test's clock stands in
/// for both. Callable from any thread.
class StoreClock {
 public:
  explicit StoreClock(const Clock* test) : test_(test) {}

  const Clock* test() const { return test_; }

  Time now() const {
    const std::int64_t seen = test_ != nullptr ? to_ms(test_->now()) : to_ms(system_.now()) + ahead_ms_;
    return not_before(from_ms(seen));
  }

  /// The time that the database has told just now, or a later one that was seen before.
  Time observe(Time told) {
    if (test_ == nullptr) ahead_ms_ = to_ms(told) - to_ms(system_.now());
    return not_before(told);
  }

  Time not_before(Time time) const {
    const std::int64_t seen = to_ms(time);
    std::int64_t last = last_ms_.load(std::memory_order_relaxed);
    while (seen > last && !last_ms_.compare_exchange_weak(last, seen, std::memory_order_relaxed)) {
    }
    return from_ms(std::max(seen, last));
  }

 private:
  const Clock* const test_;
  const SystemClock system_;
  std::atomic<std::int64_t> ahead_ms_ = 0;
  mutable std::atomic<std::int64_t> last_ms_ = 0;
};

}  // namespace semel::store::postgres
