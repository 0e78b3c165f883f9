#pragma once
#include <coroutine>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "semel/detail/closing.hpp"
#include "semel/detail/scheduler.hpp"

namespace semel::sdk {

class Replay;

/// One thing that a workflow waits for, or may. It belongs to the Pending that stands for it, and to the Replay until
/// it has ended.
struct Cell {
  explicit Cell(Replay& owner) : replay(&owner) {}

  Replay* replay;
  std::uint64_t number = 0;  // of its command; 0 = not numbered yet, or none
  std::string name{};        // of a signal
  bool is_signal = false;
  bool is_timer = false;
  std::optional<detail::Closing> closing{};
  std::uint64_t arrived = 0;  // the event of a signal
  bool is_taken = false;

  // Who waits for it.
  std::coroutine_handle<> waiter{};
  detail::Scheduler* scheduler = nullptr;

  void settle(detail::Closing how) {
    closing = std::move(how);
    if (waiter) scheduler->ready(std::exchange(waiter, {}));
  }
};

}  // namespace semel::sdk
