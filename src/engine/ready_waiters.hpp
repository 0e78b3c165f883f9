#pragma once
#include <atomic>
#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/timers.hpp"

namespace semel::engine {

/// Which workers wait for ready tasks. One ready task wakes one worker that asked for its queue and handler, the one
/// that has waited longest. A callback runs once: with true when a task may be there, with false when the time is over.
/// Callable from any thread.
class ReadyWaiters {
 public:
  using Token = std::uint64_t;
  using Callback = std::function<void(bool maybe_ready)>;
  struct Interest {
    std::string tenant;
    std::vector<std::string> queues;
    std::optional<std::vector<std::string>> handlers;  // absent = any
  };

  explicit ReadyWaiters(Timers& timers) : timers_(timers) {}

  /// Add before claiming: then no task can be missed.
  Token add(Interest interest, Duration timeout, Callback callback);
  /// True when the callback has not run and never will.
  bool cancel(Token token);
  /// A task of that queue and handler has become ready. No handler: wakes all that wait for the queue.
  void ready(const std::string& tenant, const std::string& queue, const std::optional<std::string>& handler);
  /// Runs all callbacks with true: nobody knows what has become ready.
  void wake_all();
  /// Runs all callbacks with false: the server stops.
  void release_all();

 private:
  struct Waiter {
    Interest interest;
    Timers::Token timer = 0;
    Callback callback;
  };

  void end_all(bool maybe_ready);
  Callback remove(Token token);
  Callback take(Token token);  // the lock is held

  Timers& timers_;
  std::atomic<bool> some_wait_ = false;  // mostly false under load: then no lock is taken
  std::mutex mutex_;                     // guards what follows
  std::unordered_map<Token, Waiter> waiters_;
  std::map<std::pair<std::string, std::string>, std::map<Token, const Waiter*>>
      by_queue_;  // tenant and queue; oldest first
  Token last_ = 0;
};

}  // namespace semel::engine
