#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace semel::domain {

/// What happened in a run. Numbers are stored.
enum class HistoryKind : std::uint8_t {
  run_started = 0,
  task_scheduled = 1,
  task_completed = 2,
  task_failed = 3,
  task_cancelled = 4,
  task_timed_out = 5,
  fan_out_started = 6,
  step_joined = 7,
  step_skipped = 8,
  step_blocked = 9,
  step_dropped = 10,  // an upstream failed, or the run was cancelled
  step_unfit = 11,
  step_resolved = 12,
  step_retried = 13,
  cancel_requested = 14,
  deadline_passed = 15,
  run_completed = 16,
  run_failed = 17,
  run_cancelled = 18,
  run_timed_out = 19,
  task_attached = 20,  // another execution has its key: the task waits for that one's result
  // Of workflows that are written as code. What ends what they began is told as that of tasks.
  timer_started = 21,
  timer_fired = 22,
  timer_cancelled = 23,
  child_started = 24,
  promise_created = 25,
  signal_received = 26,
  marker = 27,  // what the code found out by itself
  task_cancel_requested = 28,
  continued = 29,     // what is replayed begins here
  key_conflict = 30,  // another execution has its key: it was made without
};
std::string_view name_of(HistoryKind kind);

struct HistoryEvent {
  HistoryKind kind = HistoryKind::run_started;
  std::string task_key{};  // of the step or the item; empty = of the run
  std::string detail{};    // JSON object, or empty

  bool operator==(const HistoryEvent&) const = default;
};

}  // namespace semel::domain
