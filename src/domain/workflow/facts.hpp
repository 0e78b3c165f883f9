#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "domain/state.hpp"

namespace semel::domain {

/// What is known of a step. That a dependency is satisfied is read off its upstream's state, never counted, so that
/// whatever is told twice or in another order comes to the same. Letters are stored (facts_text.cpp).
enum class StepState : std::uint8_t {
  waiting,          // for its upstreams
  scheduled,        // there is a task of it that is open, or several
  blocked,          // an upstream did not succeed, and somebody has to say what to do
  completed,        //
  resolved,         // somebody gave it its result
  failed,           //
  timed_out,        //
  cancelled,        // its task was
  skipped,          // by `when`, or because all its upstreams were
  upstream_failed,  // it never ran because an upstream did not succeed
  dropped,          // it never ran because its run was cancelled
  unfit,            // no task could be made of it
};
inline constexpr std::array all_step_states{StepState::waiting,         StepState::scheduled, StepState::blocked,
                                            StepState::completed,       StepState::resolved,  StepState::failed,
                                            StepState::timed_out,       StepState::cancelled, StepState::skipped,
                                            StepState::upstream_failed, StepState::dropped,   StepState::unfit};

constexpr bool is_closed(StepState state) { return state > StepState::blocked; }
constexpr bool has_succeeded(StepState state) { return state == StepState::completed || state == StepState::resolved; }
constexpr bool has_not_succeeded(StepState state) {
  return is_closed(state) && !has_succeeded(state) && state != StepState::skipped;
}
/// The state that is shown: "waiting", "blocked" and "skipped" are of records, the others are those of executions.
std::string_view shown_state(StepState state);
/// Why a step is as it is shown, where that is not told by the state: "upstream_failed", "run_cancelled", …
std::string_view reason_of(StepState state);

/// What is known of one item of a fan-out.
enum class ItemState : std::uint8_t {
  held,        // its task is made, but not given out yet: others go first
  scheduled,   //
  completed,   //
  failed,      //
  timed_out,   //
  cancelled,   //
  held_again,  // it will be tried again when others have ended
};
constexpr bool is_open(ItemState state) {
  return state == ItemState::held || state == ItemState::scheduled || state == ItemState::held_again;
}

struct StepFacts {
  StepState state = StepState::waiting;
  bool made = false;               // there is a task of it, or several: whoever starts it again reopens them
  std::vector<ItemState> items{};  // of a fan-out, once it is expanded

  bool operator==(const StepFacts&) const = default;
};

enum class RunPhase : std::uint8_t {  // numbers are stored
  open,
  cancelling,   // nothing new is started; what runs may end
  out_of_time,  // too, because the deadline has passed
  closed,
};

/// All that the decisions about a run stand on.
struct RunFacts {
  RunPhase phase = RunPhase::open;
  std::vector<StepFacts> steps{};

  bool operator==(const RunFacts&) const = default;
};

/// A short text for one column: a letter for the phase, one for each step, and the items of fan-outs as runs of equal
/// letters: "oCSw;1:500c3s497h".
std::string encode_facts(const RunFacts& facts);
/// Nothing for a text that encode_facts() does not make.
std::optional<RunFacts> decode_facts(std::string_view text);

}  // namespace semel::domain
