#pragma once
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "domain/dispatch.hpp"

namespace semel::domain {

/// Timers of attempts that are pushed. They are rows as dispatches are, but nothing of them is stored twice: when they
/// fire, and whether they have, is what the execution, its attempts and its dispatches say (ADR 0021).
struct DispatchTimer {
  enum class Type : std::uint8_t {
    retry,      // begins the next attempt
    heartbeat,  // ends the attempt when nothing is heard of it
  };
  enum class State : std::uint8_t { scheduled, fired, cancelled };

  Type type = Type::heartbeat;
  int attempt = 1;
  DispatchIds ids{};
  Time fire_at{};
  State state = State::scheduled;

  bool operator==(const DispatchTimer&) const = default;
};
/// "retry"
std::string_view name_of(DispatchTimer::Type type);
/// "SCHEDULED"
std::string_view name_of(DispatchTimer::State state);

/// In the order of the attempts. The dispatches are those of the attempts that were pushed.
std::vector<DispatchTimer> timers_of(const Execution& execution, std::span<const Attempt> attempts,
                                     std::span<const Dispatch> dispatches);

}  // namespace semel::domain
