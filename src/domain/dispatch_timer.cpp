#include "domain/dispatch_timer.hpp"

#include <algorithm>

#include "base/ensure.hpp"

namespace semel::domain {
namespace {

using TimerState = DispatchTimer::State;

std::int64_t epoch_seconds(Time time) { return to_ms(time) / 1000; }

const Dispatch* dispatch_of(std::span<const Dispatch> dispatches, int attempt) {
  const auto found =
      std::find_if(dispatches.begin(), dispatches.end(), [&](const Dispatch& each) { return each.attempt == attempt; });
  return found == dispatches.end() ? nullptr : &*found;
}

TimerState state_of_check(const Attempt& attempt) {
  if (attempt.outcome == AttemptOutcome::running) return TimerState::scheduled;
  const bool fired = attempt.outcome == AttemptOutcome::lease_ended || attempt.outcome == AttemptOutcome::timed_out;
  return fired ? TimerState::fired : TimerState::cancelled;
}

/// It began to count when the target had accepted the task.
std::optional<DispatchTimer> heartbeat_timer(const ExecutionSpec& spec, const Attempt& attempt,
                                             const Dispatch& dispatch) {
  if (!dispatch.accepted_at) return std::nullopt;
  const Time check = attempt.lease_until;
  return DispatchTimer{DispatchTimer::Type::heartbeat, attempt.number,
                       heartbeat_timer_ids(run_of(spec).text(), task_key_of(spec), epoch_seconds(check)), check,
                       state_of_check(attempt)};
}

/// After an attempt that failed there is another one, or the execution waits for it, or it was closed while it waited.
std::optional<DispatchTimer> retry_timer(const Execution& execution, const Attempt& attempt, const Dispatch* next) {
  const bool failed = attempt.outcome == AttemptOutcome::failed || attempt.outcome == AttemptOutcome::lease_ended ||
                      attempt.outcome == AttemptOutcome::timed_out;
  const bool by_hand = attempt.number <= execution.uncounted_attempts;  // who opened it again began the next one
  if (!failed || by_hand) return std::nullopt;
  std::optional<Time> due;
  TimerState state = TimerState::fired;
  if (next != nullptr) due = next->due_at;
  else if (attempt.number != execution.attempt) return std::nullopt;
  else if (execution.state == domain::State::pending) due = execution.run_at;
  else if (execution.run_at > *attempt.ended_at && is_closed(execution.state)) due = execution.run_at;
  if (!due) return std::nullopt;
  if (next == nullptr)
    state = execution.state == domain::State::pending ? TimerState::scheduled : TimerState::cancelled;
  const ExecutionSpec& spec = execution.spec;
  return DispatchTimer{DispatchTimer::Type::retry, attempt.number,
                       retry_timer_ids(run_of(spec).text(), task_key_of(spec), attempt.number, epoch_seconds(*due)),
                       *due, state};
}

}  // namespace

std::string_view name_of(DispatchTimer::Type type) {
  return type == DispatchTimer::Type::retry ? "retry" : "heartbeat";
}

std::string_view name_of(DispatchTimer::State state) {
  switch (state) {
    case TimerState::scheduled: return "SCHEDULED";
    case TimerState::fired: return "FIRED";
    case TimerState::cancelled: return "CANCELLED";
  }
  ensure(false);
  return "";
}

std::vector<DispatchTimer> timers_of(const Execution& execution, std::span<const Attempt> attempts,
                                     std::span<const Dispatch> dispatches) {
  std::vector<DispatchTimer> timers;
  for (const Attempt& attempt : attempts) {
    const Dispatch* const dispatch = dispatch_of(dispatches, attempt.number);
    if (dispatch == nullptr) continue;
    if (auto timer = heartbeat_timer(execution.spec, attempt, *dispatch)) timers.push_back(*std::move(timer));
    if (auto timer = retry_timer(execution, attempt, dispatch_of(dispatches, attempt.number + 1)))
      timers.push_back(*std::move(timer));
  }
  return timers;
}

}  // namespace semel::domain
