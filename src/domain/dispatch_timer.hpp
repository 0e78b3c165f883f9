#pragma once
#include <span>
#include <vector>

#include "domain/attempt_timer.hpp"
#include "domain/dispatch.hpp"

namespace semel::domain {

/// Timers of attempts that are pushed, with the names under which they are shown beside their dispatches (ADR 0021).
struct DispatchTimer : AttemptTimer {
  DispatchIds ids{};

  bool operator==(const DispatchTimer&) const = default;
};

/// In the order of the attempts. The dispatches are those of the attempts that were pushed.
std::vector<DispatchTimer> timers_of(const Execution& execution, std::span<const Attempt> attempts,
                                     std::span<const Dispatch> dispatches);

}  // namespace semel::domain
