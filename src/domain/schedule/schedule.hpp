#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.hpp"
#include "base/time.hpp"
#include "domain/id.hpp"
#include "domain/schedule/cron.hpp"
#include "domain/schedule/time_zone.hpp"

namespace semel::domain {

/// What becomes of firings whose time came while no server could fire them. Numbers are stored.
enum class Missed : std::uint8_t {
  skip = 0,      // nothing: only what is due now fires, up to limits::firing_grace late
  once = 1,      // the latest fires, however late; those before it do not
  catch_up = 2,  // the latest `catch_up_max` fire, in their order
};
std::string_view name_of(Missed missed);
std::optional<Missed> parse_missed(std::string_view name);

/// What becomes of a firing when the task of the one before is still open. Numbers are stored.
enum class Overlap : std::uint8_t {
  skip = 0,             // no task; the firing is recorded as skipped
  allow = 1,            // a task beside the other
  cancel_previous = 2,  // the open one is cancelled, and a task is made
};
std::string_view name_of(Overlap overlap);
std::optional<Overlap> parse_overlap(std::string_view name);

namespace limits {
inline constexpr int catch_up_max = 1'000;

/// Under the policy `skip`, how late a firing may be. A timer is always late by some milliseconds, and a restart or a
/// change of leader takes seconds; a minute is what cron itself resolves, so no one can tell it from being in time.
inline constexpr Duration firing_grace = 60s;
}  // namespace limits

/// Again and again, by the wall clock of a zone.
struct Recurring {
  Cron cron;
  TimeZone zone = TimeZone::utc();

  bool operator==(const Recurring&) const = default;
};

/// Once.
struct OneOff {
  Time at;

  bool operator==(const OneOff&) const = default;
};

/// When tasks are made by themselves. What task, is not its business.
struct Schedule {
  ScheduleId id{};
  std::string name;
  std::variant<Recurring, OneOff> timing;
  Missed missed = Missed::once;
  int catch_up_max = 10;  // for Missed::catch_up
  Overlap overlap = Overlap::skip;
  std::optional<Time> start{};  // nothing fires before it
  std::optional<Time> end{};    // nothing fires at it or after it

  bool operator==(const Schedule&) const = default;
};

/// Refuses a bad name, and settings that contradict each other.
Result<void> check(const Schedule& schedule);

/// The same for a new schedule, or one that is changed: it must still have something to fire after `now`.
Result<void> check_new(const Schedule& schedule, Time now);

/// The nominal time of the first firing after `after`. Nothing when the schedule has ended.
std::optional<Time> next_firing(const Schedule& schedule, Time after);

/// The nominal time of the last firing at or before `until`.
std::optional<Time> last_firing(const Schedule& schedule, Time until);

/// The next firings after a time, at most `count`: what a user is shown.
std::vector<Time> upcoming(const Schedule& schedule, Time after, std::size_t count);

}  // namespace semel::domain
