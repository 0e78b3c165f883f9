#pragma once
#include "base/time.hpp"

namespace semel {

/// Tells the time. Callable from any thread.
class Clock {
 public:
  virtual ~Clock() = default;
  virtual Time now() const = 0;
  /// How long this machine has been running: goes on when the time is set, in either direction.
  virtual Duration running() const = 0;
};

/// The machine's clock.
class SystemClock final : public Clock {
 public:
  Time now() const override { return std::chrono::floor<Duration>(std::chrono::system_clock::now()); }
  Duration running() const override {
    return std::chrono::floor<Duration>(std::chrono::steady_clock::now().time_since_epoch());
  }
};

}  // namespace semel
