#pragma once
#include <functional>
#include <mutex>
#include <utility>

#include "ports/clock.hpp"

namespace semel::test {

/// A clock that stands until it is told otherwise, also to go back. Callable from any thread. Its machine runs while
/// time advances, and not when the clock is set.
class ManualClock final : public Clock {
 public:
  /// 2026-01-20T12:00:00Z, on a full hour so that times in failed tests are easy to read.
  static constexpr Time start = Time{Duration{1768910400000}};

  explicit ManualClock(Time time = start) : time_(time) {}

  Time now() const override {
    const std::lock_guard lock(mutex_);
    time_ += each_look_;
    running_ += each_look_;
    return time_;
  }

  Duration running() const override {
    const std::lock_guard lock(mutex_);
    return running_;
  }

  void set(Time time) {
    const std::lock_guard lock(mutex_);
    time_ = time;
    if (on_change_) on_change_(time_);
  }

  void advance(Duration duration) {
    const std::lock_guard lock(mutex_);
    time_ += duration;
    running_ += duration;
    if (on_change_) on_change_(time_);
  }

  /// From now on it is later by this whenever somebody looks: what takes its time takes it.
  void pass_with_each_look(Duration duration) {
    const std::lock_guard lock(mutex_);
    each_look_ = duration;
  }

  /// For stores that have a clock of their own: told every change, by the thread that makes it.
  void on_change(std::function<void(Time)> listener) {
    const std::lock_guard lock(mutex_);
    on_change_ = std::move(listener);
  }

 private:
  mutable std::mutex mutex_;  // guards what follows
  mutable Time time_;
  mutable Duration running_{};
  Duration each_look_{};
  std::function<void(Time)> on_change_;
};

}  // namespace semel::test
