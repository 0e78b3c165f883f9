#pragma once
#include <cstdint>
#include <optional>
#include <string_view>

#include "domain/attempt.hpp"
#include "domain/execution.hpp"

/// The timers of attempts, as history tells them. A task that workers pull has no rows of timers: what its execution
/// and its attempts say is enough to name them, whenever somebody asks (DESIGN §5).
namespace semel::domain {

struct AttemptTimer {
  enum class Type : std::uint8_t {
    retry,      // begins the next attempt
    heartbeat,  // ends the attempt when nothing is heard of it
  };
  enum class State : std::uint8_t { scheduled, fired, cancelled };

  Type type = Type::heartbeat;
  Time fire_at{};
  State state = State::scheduled;

  bool operator==(const AttemptTimer&) const = default;
};
/// "RETRY", "SCHEDULED": as they are exported.
std::string_view name_of(AttemptTimer::Type type);
std::string_view name_of(AttemptTimer::State state);

/// Of every attempt: the end of its lease, as heartbeats have left it.
AttemptTimer heartbeat_timer(const Attempt& attempt);

/// Of an attempt that failed and was, will be or would have been followed by another. `next` is when that one began, if
/// it has. The time of a timer that has fired is not stored: it is what the policy says, and no later than the next
/// attempt, which a worker may have wanted earlier.
std::optional<AttemptTimer> retry_timer(const Execution& execution, const Attempt& attempt, std::optional<Time> next);

}  // namespace semel::domain
