#pragma once
#include <atomic>
#include <cstdint>

#include "base/forward_time.hpp"
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
    return time_.at(from_ms(seen), running());
  }

  /// The time that the database has told just now, or a later one that was seen before.
  Time observe(Time told) {
    if (test_ == nullptr) ahead_ms_ = to_ms(told) - to_ms(system_.now());
    return time_.at(told, running());
  }

  Time last() const { return time_.last(); }
  void not_before(Time time) { time_.not_before(time); }

 private:
  Duration running() const { return test_ != nullptr ? test_->running() : system_.running(); }

  const Clock* const test_;
  const SystemClock system_;
  std::atomic<std::int64_t> ahead_ms_ = 0;
  ForwardTime time_;
};

}  // namespace semel::store::postgres
