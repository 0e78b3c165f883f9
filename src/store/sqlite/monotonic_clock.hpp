#pragma once
#include "base/forward_time.hpp"
#include "ports/clock.hpp"

namespace semel::store::sqlite {

/// A clock that never goes backwards, also when the one behind it is set back. Callable from any thread.
class MonotonicClock {
 public:
  explicit MonotonicClock(const Clock& clock) : clock_(clock) {}

  Time now() const { return time_.at(clock_.now(), clock_.running()); }
  void not_before(Time time) { time_.not_before(time); }

 private:
  const Clock& clock_;
  ForwardTime time_;
};

}  // namespace semel::store::sqlite
