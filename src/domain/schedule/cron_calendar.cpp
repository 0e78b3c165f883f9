#include "domain/schedule/cron_calendar.hpp"

#include <algorithm>
#include <bit>

#include "base/ensure.hpp"

namespace semel::domain {
namespace {

using std::chrono::days;
using std::chrono::hours;
using std::chrono::local_days;
using std::chrono::minutes;
using std::chrono::months;
using std::chrono::year_month;
using std::chrono::year_month_day;

constexpr std::uint64_t all_bits = ~std::uint64_t{0};
constexpr int months_tried_max = 8 * 12 + 1;

/// Wider than all times that can be written by a day, which is more than any zone is away from UTC.
constexpr Wall calendar_begin = local_days{std::chrono::year{1969} / 12 / 31};
constexpr Wall calendar_end = local_days{std::chrono::year{10'000} / 1 / 2};

std::uint64_t bits_from(std::uint64_t bits, int first) { return first < 64 ? bits & (all_bits << first) : 0; }
std::uint64_t bits_until(std::uint64_t bits, int last) { return last < 0 ? 0 : bits & (all_bits >> (63 - last)); }
bool has_bit(std::uint64_t bits, unsigned bit) { return ((bits >> bit) & 1) != 0; }
int lowest(std::uint64_t bits) { return std::countr_zero(bits); }
int highest(std::uint64_t bits) { return 63 - std::countl_zero(bits); }

/// The days of a month that fall on the weekdays, when its first day is the weekday `first`.
std::uint64_t days_on(std::uint64_t weekdays, unsigned first) {
  constexpr std::uint64_t week = 0x7F;
  constexpr std::uint64_t each_week = 0b10000001000000100000010000001;  // bits 0, 7, 14, 21, 28
  const std::uint64_t from_first = ((weekdays >> first) | (weekdays << (7 - first))) & week;
  return (from_first * each_week) << 1;
}

/// The days of a month that fit: bit 1 stands for the first.
std::uint64_t days_in(const CronSets& sets, year_month month) {
  if (!has_bit(sets.months, static_cast<unsigned>(month.month()))) return 0;
  const std::chrono::weekday first{local_days{month / 1}};
  const std::uint64_t by_weekday = days_on(sets.weekdays, first.c_encoding());
  const std::uint64_t fitting = sets.either_day ? sets.days | by_weekday : sets.days & by_weekday;
  const auto length = static_cast<int>(static_cast<unsigned>((month / std::chrono::last).day()));
  return bits_until(bits_from(fitting, 1), length);
}

local_days day_of(year_month month, int day) { return local_days{month / day}; }

/// The first fitting day at or after `from`. There is one: ever_matches().
local_days next_fitting_day(const CronSets& sets, local_days from) {
  const year_month_day date{from};
  year_month month = date.year() / date.month();
  int first = static_cast<int>(static_cast<unsigned>(date.day()));
  for (int tried = 0; tried < months_tried_max; ++tried) {
    const std::uint64_t fitting = bits_from(days_in(sets, month), first);
    if (fitting != 0) return day_of(month, lowest(fitting));
    month += months{1};
    first = 1;
  }
  ensure(false);
  return from;
}

local_days last_fitting_day(const CronSets& sets, local_days until) {
  const year_month_day date{until};
  year_month month = date.year() / date.month();
  int last = static_cast<int>(static_cast<unsigned>(date.day()));
  for (int tried = 0; tried < months_tried_max; ++tried) {
    const std::uint64_t fitting = bits_until(days_in(sets, month), last);
    if (fitting != 0) return day_of(month, highest(fitting));
    month -= months{1};
    last = 31;
  }
  ensure(false);
  return until;
}

/// The first fitting time of day at or after hour:minute; nothing when only the next day has one.
std::optional<minutes> next_time(const CronSets& sets, int hour, int minute) {
  const bool hour_fits = has_bit(sets.hours, static_cast<unsigned>(hour));
  const std::uint64_t later_minutes = hour_fits ? bits_from(sets.minutes, minute) : 0;
  if (later_minutes != 0) return hours{hour} + minutes{lowest(later_minutes)};
  const std::uint64_t later_hours = bits_from(sets.hours, hour + 1);
  if (later_hours == 0) return std::nullopt;
  return hours{lowest(later_hours)} + minutes{lowest(sets.minutes)};
}

std::optional<minutes> last_time(const CronSets& sets, int hour, int minute) {
  const bool hour_fits = has_bit(sets.hours, static_cast<unsigned>(hour));
  const std::uint64_t earlier_minutes = hour_fits ? bits_until(sets.minutes, minute) : 0;
  if (earlier_minutes != 0) return hours{hour} + minutes{highest(earlier_minutes)};
  const std::uint64_t earlier_hours = bits_until(sets.hours, hour - 1);
  if (earlier_hours == 0) return std::nullopt;
  return hours{highest(earlier_hours)} + minutes{highest(sets.minutes)};
}

struct DayAndTime {
  local_days day;
  int hour;
  int minute;
};

DayAndTime split(std::chrono::local_time<minutes> wall) {
  const local_days day = std::chrono::floor<days>(wall);
  const auto minute_of_day = static_cast<int>((wall - day).count());
  return {day, minute_of_day / 60, minute_of_day % 60};
}

}  // namespace

bool ever_matches(const CronSets& sets) {
  constexpr std::chrono::year leap_year{2000};
  for (unsigned month = 1; month <= 12; ++month) {
    // A set of weekdays finds one in any month, so a single year of them tells.
    if (days_in(sets, leap_year / std::chrono::month{month}) != 0) return true;
  }
  return false;
}

std::optional<Wall> next_match(const CronSets& sets, Wall from) {
  if (from >= calendar_end) return std::nullopt;
  const auto [day, hour, minute] = split(std::chrono::ceil<minutes>(std::max(from, calendar_begin)));
  local_days fitting = next_fitting_day(sets, day);
  std::optional<minutes> time = fitting == day ? next_time(sets, hour, minute) : next_time(sets, 0, 0);
  if (!time) {
    fitting = next_fitting_day(sets, day + days{1});
    time = next_time(sets, 0, 0);
  }
  return fitting + *time;
}

std::optional<Wall> last_match(const CronSets& sets, Wall until) {
  if (until < calendar_begin) return std::nullopt;
  const auto [day, hour, minute] = split(std::chrono::floor<minutes>(std::min(until, calendar_end)));
  local_days fitting = last_fitting_day(sets, day);
  std::optional<minutes> time = fitting == day ? last_time(sets, hour, minute) : last_time(sets, 23, 59);
  if (!time) {
    fitting = last_fitting_day(sets, day - days{1});
    time = last_time(sets, 23, 59);
  }
  return fitting + *time;
}

}  // namespace semel::domain
