#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "domain/attempt.hpp"
#include "domain/dispatch_id.hpp"
#include "domain/execution.hpp"

/// The timers of attempts, as history tells them. None of them is stored: what an execution, its attempts and its
/// dispatches say is enough to name them, whenever somebody asks (DESIGN §5).
namespace semel::domain {

struct AttemptTimer {
  enum class Type : std::uint8_t {
    retry,      // begins the next attempt
    heartbeat,  // ends the attempt when nothing is heard of it
  };
  enum class State : std::uint8_t { scheduled, fired, cancelled };

  Type type = Type::heartbeat;
  int attempt = 1;
  Time fire_at{};
  State state = State::scheduled;

  bool operator==(const AttemptTimer&) const = default;
};
/// "retry"
std::string_view name_of(AttemptTimer::Type type);
/// "SCHEDULED"
std::string_view name_of(AttemptTimer::State state);

DispatchIds timer_ids_of(const ExecutionSpec& spec, const AttemptTimer& timer);

/// What the outbox knows of an attempt that was pushed.
struct PushedAttempt {
  Time due_at{};
  bool is_accepted = false;
};
using PushedAttempts = std::map<int, PushedAttempt>;  // by the number of the attempt

/// All of them, in the order of the attempts, which are all that the execution has, in their order.
///
/// A heartbeat timer fires at the end of the lease, as heartbeats have left it. Of a pushed attempt it begins to count
/// when the target has accepted the task.
///
/// A retry timer is there for an attempt that failed and was, will be or would have been followed by another. When one
/// that has fired was due is stored of pushed attempts only; else it is what the policy says, and no later than the
/// next attempt, which a worker may have wanted earlier. Of attempts before somebody opened the task again there is
/// none: that person began the next one, and nothing tells any more which ones before followed by themselves.
std::vector<AttemptTimer> timers_of_attempts(const Execution& execution, std::span<const Attempt> attempts,
                                             const PushedAttempts& pushed);

}  // namespace semel::domain
