#pragma once
#include <coroutine>
#include <memory>
#include <span>
#include <string>

#include "semel/detail/closing.hpp"
#include "semel/detail/scheduler.hpp"

namespace semel::sdk {
struct Cell;  // what a workflow waits for: src/sdk/workflow/cell.hpp
}

namespace semel::detail {

using CellPointer = std::shared_ptr<sdk::Cell>;

/// The owner of one thing that a workflow waits for, whatever its type. The workflow's context outlives it.
class PendingBase {
 public:
  explicit PendingBase(CellPointer cell);
  PendingBase(PendingBase&& other) noexcept;
  PendingBase& operator=(PendingBase&& other) noexcept;
  ~PendingBase();

  /// Stops what was begun: a timer, a task, a promise or a child. A task that runs is asked, and ends as it likes.
  void cancel();
  /// The UUID of the task, the promise or the child: what others can use to find it, such as a link in a mail by which
  /// a promise is kept. Timers and signals have none.
  std::string id() const;

  const CellPointer& cell() const { return cell_; }

 protected:
  /// Throws when it was moved away.
  sdk::Cell& live() const;

  CellPointer cell_;
};

/// Waits for one cell, from the frame of a coroutine. What is destroyed does not wait any more.
class CellAwaiter {
 public:
  explicit CellAwaiter(sdk::Cell& cell) : cell_(&cell) {}
  CellAwaiter(const CellAwaiter&) = delete;
  CellAwaiter& operator=(const CellAwaiter&) = delete;
  ~CellAwaiter();

  bool await_ready();
  template <typename Promise>
  void await_suspend(std::coroutine_handle<Promise> coroutine) {
    suspend(coroutine, *coroutine.promise().scheduler);
  }

 protected:
  /// Once.
  Closing take();

 private:
  void suspend(std::coroutine_handle<> coroutine, Scheduler& scheduler);

  sdk::Cell* cell_;
  bool is_waiting_ = false;
};

/// Says in which order things were begun that are arguments of one call: compilers evaluate those in any order, and the
/// numbers of a workflow's commands must not depend on that.
void put_in_order(std::span<const CellPointer> cells);

}  // namespace semel::detail
