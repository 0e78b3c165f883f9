#pragma once
#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/time.hpp"

namespace semel::domain {

/// From `at` on, until the next one, the clocks of a zone are `offset` ahead of UTC.
struct ZoneShift {
  Time at;
  std::chrono::seconds offset{0};

  bool operator==(const ZoneShift&) const = default;
};

/// The rule by which a zone goes on where its table of shifts ends. It is the last line of the zone's file, a POSIX TZ
/// string as RFC 9636 extends it: "CET-1CEST,M3.5.0,M10.5.0/3".
struct ZoneRule {
  /// A moment that comes once a year: a day, and a time on the clock that is about to change.
  struct YearlyTime {
    enum class Kind : std::uint8_t { weekday_of_month, day_without_leap, day_with_leap };

    Kind kind = Kind::weekday_of_month;
    unsigned month = 1;              // 1–12, for weekday_of_month, as the next two
    unsigned week = 1;               // 1–4, or 5 for the last
    unsigned weekday = 0;            // 0 is Sunday
    int day = 0;                     // 1–365 without 29 February, or 0–365 with it
    std::chrono::seconds time = 2h;  // may be negative, or reach into later days

    bool operator==(const YearlyTime&) const = default;
  };
  /// Called daylight saving time also where it is winter time (Europe/Dublin).
  struct Daylight {
    std::chrono::seconds offset{0};
    YearlyTime begin;
    YearlyTime end;

    bool operator==(const Daylight&) const = default;
  };

  std::chrono::seconds standard_offset{0};
  std::optional<Daylight> daylight{};

  bool operator==(const ZoneRule&) const = default;
};

/// Nothing when the text is not such a rule.
std::optional<ZoneRule> parse_zone_rule(std::string_view text);

/// The shifts that begin in a year, earlier first; none without daylight saving time.
std::vector<ZoneShift> shifts_of_year(const ZoneRule& rule, std::chrono::year year);

/// Adds to a table unless it changes nothing.
void append_shift(std::vector<ZoneShift>& table, const ZoneShift& shift);

/// Continues a table after its last entry, up to the end of a year.
void append_by_rule(std::vector<ZoneShift>& table, const ZoneRule& rule, Time last_entry, std::chrono::year last_year);

}  // namespace semel::domain
