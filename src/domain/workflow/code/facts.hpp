#pragma once
#include <cstddef>
#include <cstdint>

#include "domain/workflow/facts.hpp"

namespace semel::domain {

namespace limits {
// Of one generation of a workflow: then it fails, and says so.
inline constexpr std::int64_t history_events_max = 50'000;
inline constexpr std::int64_t history_bytes_max = 50 << 20;

inline constexpr std::size_t activation_commands_max = 10'000;
inline constexpr std::int64_t open_children_max = 10'000;
inline constexpr std::size_t workflow_value_bytes_max = 1 << 20;

// What an activation brings along; the rest of the history is read in pages.
inline constexpr std::size_t activation_events_max = 1'000;
inline constexpr std::size_t activation_event_bytes_max = 1 << 20;
}  // namespace limits

namespace code {

/// All that decisions about a code workflow stand on, beside its history. A generation is what the code sees: all of
/// it, until it continues as new.
struct Facts {
  RunPhase phase = RunPhase::open;
  std::int64_t history_length = 0;  // of all generations
  std::int64_t history_bytes = 0;   // of this one
  std::int64_t first_event = 1;     // of this one: what is replayed begins here
  std::int64_t seen = 0;            // up to here, answered activations have seen the history, or written it
  std::int64_t last_command = 0;    // numbers of commands are never used again
  std::int64_t first_command = 1;   // of this generation
  std::int64_t open_children = 0;   // tasks, promises and workflows of all generations

  bool operator==(const Facts&) const = default;
};

}  // namespace code
}  // namespace semel::domain
