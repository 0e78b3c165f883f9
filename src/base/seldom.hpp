#pragma once
#include <chrono>
#include <cstddef>
#include <mutex>
#include <utility>

namespace semel {

/// Keeps a log from being filled by one trouble that comes again and again, such as a full disk under load: lets one
/// line through a second. Callable from any thread.
class Seldom {
 public:
  using Moment = std::chrono::steady_clock::time_point;
  static constexpr std::chrono::seconds pause{1};

  /// How many a line stands for, this one included, or 0 when it is too soon for another.
  std::size_t next(Moment now) {
    const std::lock_guard lock(mutex_);
    waiting_ += 1;
    if (now < not_before_) return 0;
    not_before_ = now + pause;
    return std::exchange(waiting_, 0);
  }

 private:
  std::mutex mutex_;  // guards what is below
  Moment not_before_{};
  std::size_t waiting_ = 0;
};

}  // namespace semel
