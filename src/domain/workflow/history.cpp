#include "domain/workflow/history.hpp"

#include "base/ensure.hpp"

namespace semel::domain {

std::string_view name_of(HistoryKind kind) {
  switch (kind) {
    case HistoryKind::run_started: return "run_started";
    case HistoryKind::task_scheduled: return "task_scheduled";
    case HistoryKind::task_completed: return "task_completed";
    case HistoryKind::task_failed: return "task_failed";
    case HistoryKind::task_cancelled: return "task_cancelled";
    case HistoryKind::task_timed_out: return "task_timed_out";
    case HistoryKind::fan_out_started: return "fan_out_started";
    case HistoryKind::step_joined: return "step_joined";
    case HistoryKind::step_skipped: return "step_skipped";
    case HistoryKind::step_blocked: return "step_blocked";
    case HistoryKind::step_dropped: return "step_dropped";
    case HistoryKind::step_unfit: return "step_unfit";
    case HistoryKind::step_resolved: return "step_resolved";
    case HistoryKind::step_retried: return "step_retried";
    case HistoryKind::cancel_requested: return "cancel_requested";
    case HistoryKind::deadline_passed: return "deadline_passed";
    case HistoryKind::run_completed: return "run_completed";
    case HistoryKind::run_failed: return "run_failed";
    case HistoryKind::run_cancelled: return "run_cancelled";
    case HistoryKind::run_timed_out: return "run_timed_out";
    case HistoryKind::task_attached: return "task_attached";
    case HistoryKind::timer_started: return "timer_started";
    case HistoryKind::timer_fired: return "timer_fired";
    case HistoryKind::timer_cancelled: return "timer_cancelled";
    case HistoryKind::child_started: return "child_started";
    case HistoryKind::promise_created: return "promise_created";
    case HistoryKind::signal_received: return "signal_received";
    case HistoryKind::marker: return "marker";
    case HistoryKind::task_cancel_requested: return "task_cancel_requested";
    case HistoryKind::continued: return "continued";
    case HistoryKind::key_conflict: return "key_conflict";
  }
  ensure(false);
  return "";
}

}  // namespace semel::domain
