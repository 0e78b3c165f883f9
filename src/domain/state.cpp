#include "domain/state.hpp"

#include "base/ensure.hpp"

namespace semel::domain {
namespace {

struct Transition {
  State from;
  Event event;
  State to;
};

// The only way out of a closed state is a retry by hand, which claims the identity again first. What was completed
// stays.
constexpr std::array transitions{
    Transition{State::pending, Event::claimed, State::running},
    Transition{State::pending, Event::cancelled, State::cancelled},
    Transition{State::pending, Event::suspended, State::suspended},
    Transition{State::suspended, Event::resumed, State::pending},
    Transition{State::suspended, Event::completed, State::completed},
    Transition{State::suspended, Event::failed, State::failed},
    Transition{State::suspended, Event::cancelled, State::cancelled},
    Transition{State::running, Event::completed, State::completed},
    Transition{State::running, Event::failed, State::failed},
    Transition{State::running, Event::failed_after_cancel, State::cancelled},
    Transition{State::running, Event::lease_ended, State::timed_out},
    Transition{State::running, Event::lease_ended_after_cancel, State::cancelled},
    Transition{State::running, Event::retried, State::pending},
    Transition{State::pending, Event::deadline_passed, State::timed_out},
    Transition{State::suspended, Event::deadline_passed, State::timed_out},
    Transition{State::pending, Event::cancelled_by_force, State::cancelled},
    Transition{State::running, Event::cancelled_by_force, State::cancelled},
    Transition{State::suspended, Event::cancelled_by_force, State::cancelled},
    Transition{State::pending, Event::resolved, State::completed},
    Transition{State::pending, Event::rejected, State::failed},
    Transition{State::suspended, Event::resolved, State::completed},
    Transition{State::suspended, Event::rejected, State::failed},
    Transition{State::failed, Event::reopened, State::pending},
    Transition{State::cancelled, Event::reopened, State::pending},
    Transition{State::timed_out, Event::reopened, State::pending},
};

}  // namespace

std::optional<State> next(State state, Event event) {
  for (const Transition& transition : transitions) {
    if (transition.from == state && transition.event == event) return transition.to;
  }
  return std::nullopt;
}

std::string_view name_of(State state) {
  switch (state) {
    case State::pending: return "pending";
    case State::running: return "running";
    case State::suspended: return "suspended";
    case State::completed: return "completed";
    case State::failed: return "failed";
    case State::cancelled: return "cancelled";
    case State::timed_out: return "timed_out";
  }
  ensure(false);
  return "";
}

std::optional<State> parse_state(std::string_view name) {
  for (const State state : all_states) {
    if (name_of(state) == name) return state;
  }
  return std::nullopt;
}

}  // namespace semel::domain
