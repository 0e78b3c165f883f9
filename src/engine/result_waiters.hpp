#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/timers.hpp"
#include "domain/execution.hpp"

namespace semel::engine {

/// Who waits for an execution to close. A waiter is a callback, not a thread: it runs once, when the execution has
/// closed or the time is over, and then looks at the execution itself. Callable from any thread.
class ResultWaiters {
 public:
  using Token = std::uint64_t;
  /// With the execution as it was, when its queue keeps nothing; else null.
  using Callback = std::function<void(const domain::Execution* gone)>;

  explicit ResultWaiters(Timers& timers) : timers_(timers) {}

  /// Add before looking at the state: then no closing can be missed.
  Token add(const std::string& tenant, domain::ExecutionId id, Duration timeout, Callback callback);
  /// True when the callback has not run and never will.
  bool cancel(Token token);
  void closed(const std::string& tenant, domain::ExecutionId id, const domain::Execution* gone = nullptr);
  /// Whose closing is waited for: at most `max`, from where the last call stopped.
  std::vector<std::pair<std::string, domain::ExecutionId>> awaited(std::size_t max);
  /// Runs all callbacks now: the server stops.
  void release_all();

 private:
  using Key = std::pair<domain::ExecutionId, std::string>;
  struct Waiter {
    Key key;
    Timers::Token timer = 0;
    Callback callback;
  };

  Callback remove(Token token);

  Timers& timers_;
  std::mutex mutex_;  // guards what follows
  std::unordered_map<Token, Waiter> waiters_;
  std::multimap<Key, Token> by_execution_;
  Key last_awaited_{};
  Token last_ = 0;
};

}  // namespace semel::engine
