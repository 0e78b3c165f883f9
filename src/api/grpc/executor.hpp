#pragma once
#include <functional>

namespace semel::rpc {

/// Threads that somebody else owns. Callable from any thread.
class Executor {
 public:
  virtual ~Executor() = default;
  /// Runs the work soon, on one of the threads. False: too much waits already, and it never runs.
  virtual bool run(std::function<void()> work) = 0;
};

}  // namespace semel::rpc
