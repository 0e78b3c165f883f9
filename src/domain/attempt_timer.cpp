#include "domain/attempt_timer.hpp"

#include <algorithm>

#include "base/ensure.hpp"
#include "domain/dispatch.hpp"

namespace semel::domain {
namespace {

using TimerState = AttemptTimer::State;

bool has_failed(const Attempt& attempt) {
  return attempt.outcome == AttemptOutcome::failed || attempt.outcome == AttemptOutcome::lease_ended ||
         attempt.outcome == AttemptOutcome::timed_out;
}

AttemptTimer heartbeat_timer(const Attempt& attempt) {
  const bool runs = attempt.outcome == AttemptOutcome::running;
  const bool ran_out = attempt.outcome == AttemptOutcome::lease_ended || attempt.outcome == AttemptOutcome::timed_out;
  return {AttemptTimer::Type::heartbeat, attempt.number, attempt.lease_until,
          runs      ? TimerState::scheduled
          : ran_out ? TimerState::fired
                    : TimerState::cancelled};
}

/// The number of the last attempt before the task was opened again by hand, or 0. What the execution keeps is how many
/// attempts do not count: those, and the ones after them that were given back.
int reopened_after(const Execution& execution, std::span<const Attempt> attempts) {
  if (execution.spec.kind == Kind::workflow) return 0;  // is never opened again: its activations were answered
  int number = execution.uncounted_attempts;
  for (auto attempt = attempts.rbegin(); attempt != attempts.rend() && attempt->number > number; ++attempt) {
    if (attempt->outcome == AttemptOutcome::undelivered) number -= 1;
  }
  return number;
}

/// Tells of one execution, attempt by attempt.
class Telling {
 public:
  Telling(const Execution& execution, std::span<const Attempt> attempts, const PushedAttempts& pushed)
      : execution_(execution),
        attempts_(attempts),
        pushed_(pushed),
        reopened_after_(reopened_after(execution, attempts)),
        uncounted_(reopened_after_) {}

  std::vector<AttemptTimer> tell() {
    for (std::size_t i = 0; i < attempts_.size(); ++i) {
      const Attempt& attempt = attempts_[i];
      count_until(attempt, i == 0 ? 0 : attempts_[i - 1].number);
      const PushedAttempt* const push = push_of(attempt);
      if (push == nullptr || push->is_accepted) timers_.push_back(heartbeat_timer(attempt));
      const bool may_be_retried = has_failed(attempt) && attempt.ended_at && attempt.number > reopened_after_;
      if (may_be_retried) add_retry(attempt, i + 1 < attempts_.size() ? &attempts_[i + 1] : nullptr);
      const bool was_given_back = attempt.outcome == AttemptOutcome::undelivered && attempt.number > reopened_after_;
      if (was_given_back) uncounted_ += 1;
    }
    return std::move(timers_);
  }

 private:
  /// Activations that were answered are forgotten, and the pauses begin again after them.
  void count_until(const Attempt& attempt, int previous) {
    if (attempt.number > previous + 1) uncounted_ = attempt.number - 1;
  }

  const PushedAttempt* push_of(const Attempt& attempt) const {
    const auto found = pushed_.find(attempt.number);
    return found == pushed_.end() ? nullptr : &found->second;
  }

  void add_retry(const Attempt& attempt, const Attempt* next) {
    if (next != nullptr) return add_retry(attempt, due_of(attempt, *next), TimerState::fired);
    if (attempt.number != execution_.attempt) return;
    if (execution_.state == domain::State::pending) return add_retry(attempt, execution_.run_at, TimerState::scheduled);
    // It closed while it waited: by its last failure it would have closed in the same moment, due long before.
    const bool waited =
        execution_.closed_at && (*execution_.closed_at > *attempt.ended_at || execution_.run_at > *attempt.ended_at);
    if (waited) add_retry(attempt, execution_.run_at, TimerState::cancelled);
  }

  void add_retry(const Attempt& attempt, Time due, TimerState state) {
    timers_.push_back({AttemptTimer::Type::retry, attempt.number, due, state});
  }

  Time due_of(const Attempt& attempt, const Attempt& next) const {
    if (const PushedAttempt* const push = push_of(next)) return push->due_at;
    const int counted = std::max(attempt.number - uncounted_, 1);
    const Time by_policy = *attempt.ended_at + jittered_pause_after(execution_.spec.retry, counted, attempt.id);
    return std::min(by_policy, next.started_at);
  }

  const Execution& execution_;
  const std::span<const Attempt> attempts_;
  const PushedAttempts& pushed_;
  const int reopened_after_;
  int uncounted_;  // of the attempts before this one
  std::vector<AttemptTimer> timers_{};
};

}  // namespace

std::string_view name_of(AttemptTimer::Type type) { return type == AttemptTimer::Type::retry ? "retry" : "heartbeat"; }

std::string_view name_of(AttemptTimer::State state) {
  switch (state) {
    case TimerState::scheduled: return "SCHEDULED";
    case TimerState::fired: return "FIRED";
    case TimerState::cancelled: return "CANCELLED";
  }
  ensure(false);
  return "";
}

DispatchIds timer_ids_of(const ExecutionSpec& spec, const AttemptTimer& timer) {
  const std::int64_t epoch = std::chrono::floor<std::chrono::seconds>(timer.fire_at).time_since_epoch().count();
  const std::string run = run_of(spec).text();
  if (timer.type == AttemptTimer::Type::heartbeat) return heartbeat_timer_ids(run, task_key_of(spec), epoch);
  return retry_timer_ids(run, task_key_of(spec), timer.attempt, epoch);
}

std::vector<AttemptTimer> timers_of_attempts(const Execution& execution, std::span<const Attempt> attempts,
                                             const PushedAttempts& pushed) {
  return Telling(execution, attempts, pushed).tell();
}

}  // namespace semel::domain
