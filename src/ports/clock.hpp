#pragma once
#include "base/time.hpp"

namespace semel {

/// Tells the time. Callable from any thread.
class Clock {
 public:
  virtual ~Clock() = default;
  virtual Time now() const = 0;
};

/// The machine's clock.
class SystemClock final : public Clock {
 public:
  Time now() const override { return std::chrono::floor<Duration>(std::chrono::system_clock::now()); }
};

}  // namespace semel
