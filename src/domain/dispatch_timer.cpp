#include "domain/dispatch_timer.hpp"

namespace semel::domain {

std::vector<DispatchTimer> timers_of(const Execution& execution, std::span<const Attempt> attempts,
                                     std::span<const Dispatch> dispatches) {
  PushedAttempts pushed;
  for (const Dispatch& each : dispatches) pushed[each.attempt] = {each.due_at, each.accepted_at.has_value()};
  std::vector<DispatchTimer> timers;
  for (const AttemptTimer& timer : timers_of_attempts(execution, attempts, pushed)) {
    if (pushed.contains(timer.attempt)) timers.push_back({timer, timer_ids_of(execution.spec, timer)});
  }
  return timers;
}

}  // namespace semel::domain
