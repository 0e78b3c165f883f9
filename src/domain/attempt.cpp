#include "domain/attempt.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/ensure.hpp"
#include "base/json/text.hpp"

namespace semel::domain {
namespace {

std::optional<Event> closing_event(const Execution& execution, AttemptOutcome outcome) {
  const bool cancel = execution.cancel_requested;
  switch (outcome) {
    case AttemptOutcome::completed: return Event::completed;
    case AttemptOutcome::failed: return cancel ? Event::failed_after_cancel : Event::failed;
    case AttemptOutcome::lease_ended:
    case AttemptOutcome::timed_out: return cancel ? Event::lease_ended_after_cancel : Event::lease_ended;
    case AttemptOutcome::cancelled: return Event::cancelled_by_force;
    case AttemptOutcome::undelivered:
    case AttemptOutcome::running: break;
  }
  return std::nullopt;
}

bool may_be_retried(const Execution& execution, const Ending& ending) {
  const bool failed = ending.outcome == AttemptOutcome::failed || ending.outcome == AttemptOutcome::lease_ended ||
                      ending.outcome == AttemptOutcome::timed_out;
  const bool attempts_left = execution.attempt - execution.uncounted_attempts < execution.spec.retry.max_attempts;
  return failed && ending.retryable && attempts_left && !execution.cancel_requested;
}

}  // namespace

std::string_view name_of(Kind kind) {
  switch (kind) {
    case Kind::task: return "task";
    case Kind::workflow: return "workflow";
    case Kind::promise: return "promise";
  }
  ensure(false);
  return "";
}

std::optional<Kind> parse_kind(std::string_view name) {
  for (const Kind kind : {Kind::task, Kind::workflow, Kind::promise}) {
    if (name == name_of(kind)) return kind;
  }
  return std::nullopt;
}

std::string_view name_of(AttemptOutcome outcome) {
  switch (outcome) {
    case AttemptOutcome::running: return "running";
    case AttemptOutcome::completed: return "completed";
    case AttemptOutcome::failed: return "failed";
    case AttemptOutcome::lease_ended: return "lease_ended";
    case AttemptOutcome::timed_out: return "timed_out";
    case AttemptOutcome::cancelled: return "cancelled";
    case AttemptOutcome::undelivered: return "undelivered";
  }
  ensure(false);
  return "";
}

Time lease_end(const Execution& execution, Time started_at, Time now, Duration lease) {
  Time end = now + lease;
  if (execution.spec.timeout) end = std::min(end, started_at + *execution.spec.timeout);
  if (execution.deadline) end = std::min(end, *execution.deadline);
  return end;
}

AttemptOutcome outcome_of_lease_end(const Execution& execution, const Attempt& attempt) {
  const bool too_slow = execution.spec.timeout && attempt.lease_until >= attempt.started_at + *execution.spec.timeout;
  const bool too_late = execution.deadline && attempt.lease_until >= *execution.deadline;
  return too_slow || too_late ? AttemptOutcome::timed_out : AttemptOutcome::lease_ended;
}

std::string lease_end_error(const Attempt& attempt, AttemptOutcome outcome) {
  const bool timed_out = outcome == AttemptOutcome::timed_out;
  const std::string message =
      fmt::format("attempt {} by worker '{}' {}", attempt.number, attempt.worker,
                  timed_out ? "took longer than it may" : "ended without an answer: its lease ran out");
  return fmt::format(R"({{"type":"{}","message":{}}})", timed_out ? "TIMED_OUT" : "LEASE_ENDED", json::quote(message));
}

std::string deadline_error(Kind kind) {
  if (kind == Kind::promise)
    return R"({"type":"TIMED_OUT","message":"the promise was neither resolved nor rejected in time"})";
  return R"({"type":"TIMED_OUT","message":"the deadline passed before an attempt could begin"})";
}

void reopen_execution(Execution& execution, Time now) {
  const std::optional<State> state = next(execution.state, Event::reopened);
  ensure(state.has_value());
  execution.state = *state;
  execution.run_at = now;
  execution.closed_at.reset();
  execution.result.reset();
  execution.error.reset();
  execution.released_at.reset();
  execution.progress.reset();
  execution.cancel_requested = false;
  execution.uncounted_attempts = execution.attempt;
  if (execution.deadline && *execution.deadline <= now) execution.deadline.reset();
}

Aftermath aftermath(const Execution& execution, const Attempt& attempt, const Ending& ending, Time now) {
  if (may_be_retried(execution, ending)) {
    const int number = attempt.number - execution.uncounted_attempts;
    const Duration pause =
        ending.retry_after ? *ending.retry_after : jittered_pause_after(execution.spec.retry, number, attempt.id);
    const Time run_at = now + pause;
    if (!execution.deadline || run_at < *execution.deadline) {
      const std::optional<State> state = next(execution.state, Event::retried);
      ensure(state.has_value());
      return {*state, run_at};
    }
  }
  const std::optional<Event> event = closing_event(execution, ending.outcome);
  ensure(event.has_value());
  const std::optional<State> state = next(execution.state, *event);
  ensure(state.has_value());  // an attempt that runs belongs to an execution that runs
  return {*state, std::nullopt};
}

}  // namespace semel::domain
