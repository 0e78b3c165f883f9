#include "domain/attempt_timer.hpp"

#include <algorithm>

#include "base/ensure.hpp"

namespace semel::domain {
namespace {

bool has_failed(const Attempt& attempt) {
  return attempt.outcome == AttemptOutcome::failed || attempt.outcome == AttemptOutcome::lease_ended ||
         attempt.outcome == AttemptOutcome::timed_out;
}

/// Attempts before a task was reopened by hand do not count for its pauses; nor can it be known any more how many
/// counted then.
Time due_by_policy(const Execution& execution, const Attempt& attempt) {
  const int counted = attempt.number - execution.uncounted_attempts;
  const int number = counted >= 1 ? counted : attempt.number;
  return *attempt.ended_at + jittered_pause_after(execution.spec.retry, number, attempt.id);
}

}  // namespace

std::string_view name_of(AttemptTimer::Type type) {
  switch (type) {
    case AttemptTimer::Type::retry: return "RETRY";
    case AttemptTimer::Type::heartbeat: return "HEARTBEAT";
  }
  ensure(false);
  return "";
}

std::string_view name_of(AttemptTimer::State state) {
  switch (state) {
    case AttemptTimer::State::scheduled: return "SCHEDULED";
    case AttemptTimer::State::fired: return "FIRED";
    case AttemptTimer::State::cancelled: return "CANCELLED";
  }
  ensure(false);
  return "";
}

AttemptTimer heartbeat_timer(const Attempt& attempt) {
  using State = AttemptTimer::State;
  const bool runs = attempt.outcome == AttemptOutcome::running;
  const bool ran_out = attempt.outcome == AttemptOutcome::lease_ended || attempt.outcome == AttemptOutcome::timed_out;
  return {AttemptTimer::Type::heartbeat, attempt.lease_until,
          runs      ? State::scheduled
          : ran_out ? State::fired
                    : State::cancelled};
}

std::optional<AttemptTimer> retry_timer(const Execution& execution, const Attempt& attempt, std::optional<Time> next) {
  if (!has_failed(attempt) || !attempt.ended_at) return std::nullopt;
  using State = AttemptTimer::State;
  constexpr auto type = AttemptTimer::Type::retry;
  if (next) return AttemptTimer{type, std::min(due_by_policy(execution, attempt), *next), State::fired};
  const bool is_newest = attempt.number == execution.attempt;
  const bool was_reopened = execution.uncounted_attempts >= attempt.number;
  if (!is_newest || was_reopened) return std::nullopt;
  if (execution.state == domain::State::pending) return AttemptTimer{type, execution.run_at, State::scheduled};
  // It closed while it waited: by its last failure it would have closed in the same moment.
  const bool waited = execution.closed_at && *execution.closed_at > *attempt.ended_at;
  if (!waited) return std::nullopt;
  return AttemptTimer{type, execution.run_at, State::cancelled};
}

}  // namespace semel::domain
