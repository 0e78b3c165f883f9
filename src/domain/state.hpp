#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace semel::domain {

/// Numbers are stored: never change them.
enum class State : std::uint8_t {
  pending = 0,
  running = 1,
  suspended = 2,
  completed = 3,
  failed = 4,
  cancelled = 5,
  timed_out = 6,
};

/// What can happen to an execution. "…_after_cancel" = while a cancellation has been asked for.
enum class Event : std::uint8_t {
  claimed,
  completed,
  failed,
  failed_after_cancel,
  lease_ended,
  lease_ended_after_cancel,
  cancelled,
  cancelled_by_force,  // without waiting for the worker
  retried,             // an attempt has ended, and there will be another
  deadline_passed,     // while nobody worked on it
  reopened,            // by hand, after it had closed
  suspended,           // it waits for others: a run for its tasks, a task for whoever holds its key
  resumed,             // and goes on by itself
  resolved,            // a promise was
  rejected,            // too
};

inline constexpr std::array all_states{State::pending, State::running,   State::suspended, State::completed,
                                       State::failed,  State::cancelled, State::timed_out};
inline constexpr std::array all_events{Event::claimed,     Event::completed,
                                       Event::failed,      Event::failed_after_cancel,
                                       Event::lease_ended, Event::lease_ended_after_cancel,
                                       Event::cancelled,   Event::cancelled_by_force,
                                       Event::retried,     Event::deadline_passed,
                                       Event::reopened,    Event::suspended,
                                       Event::resumed,     Event::resolved,
                                       Event::rejected};

/// The state after the event, or nothing where the event cannot happen. The one table of all transitions.
std::optional<State> next(State state, Event event);

constexpr bool is_open(State state) { return state <= State::suspended; }
constexpr bool is_closed(State state) { return !is_open(state); }

std::string_view name_of(State state);
std::optional<State> parse_state(std::string_view name);

}  // namespace semel::domain
