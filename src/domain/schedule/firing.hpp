#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.hpp"
#include "domain/schedule/schedule.hpp"

namespace semel::domain {

/// What a schedule comes to at one moment. Times are nominal: when a firing was meant to be, not when it is.
struct Firings {
  std::vector<Time> due;       // to be fired now, earlier first
  bool dropped = false;        // some before them were missed, and are left out by the policy
  Time handled;                // everything up to here is settled: `last` for the next time
  std::optional<Time> next{};  // when to ask again; nothing when the schedule has ended

  bool operator==(const Firings&) const = default;
};

/// `last` is the `handled` of the last time, or when the schedule was made or changed. It is saved together with
/// what was fired. A clock that went back finds nothing due until it is past `last` again, so it fires nothing twice.
/// The work does not depend on how much was missed.
Firings due(const Schedule& schedule, Time last, Time now);

/// What is done with one firing.
enum class FiringAction : std::uint8_t {
  submit = 0,           // a task is made
  skip = 1,             // only recorded
  cancel_previous = 2,  // the task of the firing before is cancelled, and a task is made
};

FiringAction action_on(Overlap overlap, bool previous_is_open);

struct PlannedFiring {
  Time nominal;
  FiringAction action = FiringAction::submit;

  bool operator==(const PlannedFiring&) const = default;
};

/// The firings that are due together, each with what is done; `previous_is_open` tells of the task that was made last.
/// Several at once overlap by themselves. Then `skip` makes a task of the first only, and `cancel_previous` of the last
/// only, rather than of each, to be cancelled at once by the next.
std::vector<PlannedFiring> plan_firings(const std::vector<Time>& due, Overlap overlap, bool previous_is_open);

/// What became of a firing. Numbers are stored.
enum class FiringOutcome : std::uint8_t {
  submitted = 0,           // there is a task of it
  skipped = 1,             // the task before was open
  cancelled_previous = 2,  // there is a task of it, and the one before was cancelled
  refused = 3,             // no task could be made
};
std::string_view name_of(FiringOutcome outcome);

/// What identifies a firing, whichever server fires it and however often it is tried:
/// "schedule:019bddae-b818-7d82-b7c5-bd42e5db27fc:2026-01-20T12:30:00.000Z".
std::string firing_key(ScheduleId schedule, Time nominal);

}  // namespace semel::domain
