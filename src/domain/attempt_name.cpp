#include "domain/attempt_name.hpp"

#include <algorithm>

#include "domain/attempt_timer.hpp"

namespace semel::domain {
namespace {

constexpr std::int64_t tried_seconds = 86'400;

std::int64_t epoch_of(Time time) { return std::chrono::floor<std::chrono::seconds>(time).time_since_epoch().count(); }

std::optional<int> attempt_dispatched_as(const Execution& execution, std::span<const Dispatch> dispatches,
                                         std::string_view external_id) {
  for (int number = execution.attempt; number >= 1; --number) {
    if (dispatch_ids_of(execution.spec, number).external == external_id) return number;
  }
  for (const Dispatch& each : dispatches) {
    if (each.ids.external == external_id || was_called(each, external_id)) return each.attempt;
  }
  return std::nullopt;
}

/// Compares one name with those that timers of an execution have, or may have had.
class TimerNames {
 public:
  TimerNames(const Execution& execution, std::string_view wanted)
      : execution_(execution), run_(run_of(execution.spec).text()), wanted_(wanted) {}

  bool is(const AttemptTimer& timer) const { return timer_ids_of(execution_.spec, timer).external == wanted_; }

  /// Heartbeats moved it: it stood at any second between the beginning and the end of the lease.
  bool was_heartbeat_of(const Attempt& attempt) const {
    if (!attempt.last_heartbeat_at) return false;
    const std::int64_t heard = epoch_of(*attempt.last_heartbeat_at);
    const std::int64_t last = std::min(epoch_of(attempt.lease_until), heard + tried_seconds);
    for (std::int64_t check = last; check >= first_of(epoch_of(attempt.started_at), last); --check) {
      if (heartbeat_timer_ids(run_, task_key_of(execution_.spec), check).external == wanted_) return true;
    }
    return false;
  }

  /// It stood there from when the target had accepted the task until somebody began.
  bool was_first_of(const Attempt& attempt, const Dispatch& dispatch, std::span<const Duration> leases) const {
    return dispatch.accepted_at && std::ranges::any_of(leases, [&](Duration lease) {
             const Time end = lease_end(execution_, attempt.started_at, *dispatch.accepted_at, lease);
             return is({AttemptTimer::Type::heartbeat, attempt.number, end, AttemptTimer::State::scheduled});
           });
  }

  /// It was due when the next attempt began, at the latest.
  bool was_retry_of(const Attempt& attempt, const Attempt& next) const {
    if (!attempt.ended_at) return false;
    const std::int64_t first = epoch_of(*attempt.ended_at);
    const std::int64_t last = std::min(epoch_of(next.started_at), first + tried_seconds);
    for (std::int64_t due = first; due <= last; ++due) {
      if (retry_timer_ids(run_, task_key_of(execution_.spec), attempt.number, due).external == wanted_) return true;
    }
    return false;
  }

 private:
  static std::int64_t first_of(std::int64_t begin, std::int64_t last) { return std::max(begin, last - tried_seconds); }

  const Execution& execution_;
  const std::string run_;
  const std::string_view wanted_;
};

PushedAttempts pushed_among(std::span<const Dispatch> dispatches) {
  PushedAttempts pushed;
  for (const Dispatch& each : dispatches) pushed[each.attempt] = {each.due_at, each.accepted_at.has_value()};
  return pushed;
}

std::optional<int> attempt_with_timer(const Execution& execution, std::span<const Attempt> attempts,
                                      std::span<const Dispatch> dispatches, const WantedName& wanted) {
  const TimerNames names(execution, wanted.external_id);
  const PushedAttempts pushed = pushed_among(dispatches);
  for (const AttemptTimer& timer : timers_of_attempts(execution, attempts, pushed)) {
    if (names.is(timer)) return timer.attempt;
  }
  for (const Dispatch& each : dispatches) {
    const auto attempt = std::ranges::find(attempts, each.attempt, &Attempt::number);
    if (attempt != attempts.end() && names.was_first_of(*attempt, each, wanted.first_leases)) return each.attempt;
  }
  for (std::size_t i = 0; i < attempts.size(); ++i) {
    if (names.was_heartbeat_of(attempts[i])) return attempts[i].number;
    const bool is_last = i + 1 == attempts.size();
    if (!is_last && names.was_retry_of(attempts[i], attempts[i + 1])) return attempts[i].number;
  }
  return std::nullopt;
}

}  // namespace

bool is_external_id(std::string_view text) {
  constexpr std::size_t prefix = 2, digits = 26;
  if (!text.starts_with("d_") && !text.starts_with("t_")) return false;
  const auto is_digit = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '2' && c <= '7'); };
  return text.size() == prefix + digits && std::ranges::all_of(text.substr(prefix), is_digit);
}

bool is_timer_id(std::string_view external_id) { return external_id.starts_with("t_"); }

std::optional<int> attempt_called(const Execution& execution, std::span<const Attempt> attempts,
                                  std::span<const Dispatch> dispatches, const WantedName& wanted) {
  return is_timer_id(wanted.external_id) ? attempt_with_timer(execution, attempts, dispatches, wanted)
                                         : attempt_dispatched_as(execution, dispatches, wanted.external_id);
}

}  // namespace semel::domain
