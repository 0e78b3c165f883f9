#pragma once
#include <atomic>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "engine/ready_waiters.hpp"
#include "ports/command.hpp"

namespace semel::engine {

/// Wakes a worker for a task that the limits of its queue held back, when it may be had. Callable from any thread.
class Turns {
 public:
  explicit Turns(ReadyWaiters& waiters) : waiters_(waiters) {}

  void hold(const HeldBack& task, Time now);
  /// An attempt in the queue has ended.
  void ended(const std::string& tenant, const std::string& queue);
  /// Wakes those whose time has come.
  void wake(Time now);
  /// When to call wake() next.
  std::optional<Time> next() const;

 private:
  using Queue = std::pair<std::string, std::string>;  // tenant and name
  using Task = std::pair<Queue, std::string>;         // and handler

  ReadyWaiters& waiters_;
  std::atomic<bool> some_wait_for_an_end_ = false;    // mostly false: then no lock is taken
  mutable std::mutex mutex_;                          // guards what follows
  std::map<Queue, std::set<std::string>> until_end_;  // handlers
  std::set<std::pair<Time, Task>> until_time_;
};

}  // namespace semel::engine
