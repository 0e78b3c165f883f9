#pragma once
#include <cstdint>
#include <optional>

#include "domain/schedule/time_zone.hpp"

namespace semel::domain {

/// What a cron expression names, as sets: bit n stands for the value n.
struct CronSets {
  std::uint64_t minutes = 0;   // 0–59
  std::uint64_t hours = 0;     // 0–23
  std::uint64_t days = 0;      // 1–31
  std::uint64_t months = 0;    // 1–12
  std::uint64_t weekdays = 0;  // 0–6, 0 is Sunday
  bool either_day = false;     // a day that fits `days` or `weekdays` will do; otherwise it must fit both

  bool operator==(const CronSets&) const = default;
};

/// Whether any day of the calendar fits: not 30 February.
bool ever_matches(const CronSets& sets);

/// The first minute at or after `from` that fits, by its date and time alone. Nothing when `from` is past the year
/// 9999. Both ask for sets that ever match.
///
/// Days are looked for by the month, hours and minutes by their bits: at most 97 months are looked at, since 29
/// February comes after 8 years at the latest (2096, 2104).
std::optional<Wall> next_match(const CronSets& sets, Wall from);

/// The last minute at or before `until` that fits. Nothing when `until` is before 1970.
std::optional<Wall> last_match(const CronSets& sets, Wall until);

}  // namespace semel::domain
