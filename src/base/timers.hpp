#pragma once
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <unordered_map>
#include <utility>

#include "base/loop.hpp"

namespace semel {

/// Runs callbacks after a time, all on one thread: for time-outs of waits, so callbacks must be short.
/// Callable from any thread. Callbacks that are still due when it is destroyed never run.
class Timers {
 public:
  using Token = std::uint64_t;

  Timers();

  Token after(Duration delay, std::function<void()> callback);
  /// False when the callback has run, runs now, or was cancelled before.
  bool cancel(Token token);
  /// What the destructor does, earlier: no callback runs any more once it has returned. Not from a callback.
  void stop() { loop_.stop(); }

 private:
  using Steady = std::chrono::steady_clock;

  Duration fire_due();

  std::mutex mutex_;  // guards the three below
  std::map<std::pair<Steady::time_point, Token>, std::function<void()>> queue_;
  std::unordered_map<Token, Steady::time_point> due_;
  Token last_ = 0;
  Loop loop_;  // last: uses all of the above
};

}  // namespace semel
