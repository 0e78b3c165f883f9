#pragma once
#include <algorithm>
#include <coroutine>
#include <deque>

namespace semel::detail {

/// The coroutines of one workflow that can go on, in the order in which they became able to. They are resumed from one
/// loop and never jump into each other: g++ makes real tail calls of such jumps only at -O2, so in other builds a long
/// replay would exhaust the stack. One thread at a time.
class Scheduler {
 public:
  void ready(std::coroutine_handle<> coroutine) { ready_.push_back(coroutine); }

  /// Before all others: those may be let go by it.
  void ready_first(std::coroutine_handle<> coroutine) { ready_.push_front(coroutine); }

  /// What is destroyed will not go on.
  void forget(std::coroutine_handle<> coroutine) noexcept { std::erase(ready_, coroutine); }

  /// Nothing is resumed any more.
  void stop() noexcept { stopped_ = true; }

  void run() {
    while (!ready_.empty() && !stopped_) {
      const std::coroutine_handle<> next = ready_.front();
      ready_.pop_front();
      next.resume();
    }
  }

 private:
  std::deque<std::coroutine_handle<>> ready_;
  bool stopped_ = false;
};

/// Is told when a coroutine has come to its end. What it does is put others into the scheduler.
class WhenDone {
 public:
  virtual void is_done() = 0;

 protected:
  ~WhenDone() = default;
};

/// What the coroutines of a workflow know of each other.
struct RoutineState {
  Scheduler* scheduler = nullptr;  // set when it starts
  WhenDone* when_done = nullptr;   // absent for the outermost
  bool has_failed = false;
};

}  // namespace semel::detail
