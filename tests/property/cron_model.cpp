#include "tests/property/cron_model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>

namespace semel::domain {

using std::chrono::days;
using std::chrono::minutes;

bool CronModel::fits_day(std::chrono::local_days day) const {
  const std::chrono::year_month_day date{day};
  const bool by_day = days.contains(static_cast<int>(static_cast<unsigned>(date.day())));
  const bool by_weekday = weekdays.contains(static_cast<int>(std::chrono::weekday{day}.c_encoding()));
  return months.contains(static_cast<int>(static_cast<unsigned>(date.month()))) &&
         (either_day ? by_day || by_weekday : by_day && by_weekday);
}

bool CronModel::fits(Wall minute) const {
  const std::chrono::local_days day = std::chrono::floor<std::chrono::days>(minute);
  const auto of_day = static_cast<int>(std::chrono::floor<std::chrono::minutes>(minute - day).count());
  return minutes.contains(of_day % 60) && hours.contains(of_day / 60) && fits_day(day);
}

CronModel CronSpeller::any_cron() {
  CronModel cron;
  bool day_restricted = false;
  bool weekday_restricted = false;
  bool ignored = false;
  const std::array<std::string, 5> texts{
      spell_field({0, 59, "", false}, cron.minutes, ignored),
      spell_field({0, 23, "", false}, cron.hours, ignored),
      spell_field({1, 31, "", true}, cron.days, day_restricted),
      spell_field({1, 12, "JANFEBMARAPRMAYJUNJULAUGSEPOCTNOVDEC", false}, cron.months, ignored),
      spell_field({0, 6, "sunmontuewedthufrisat", true}, cron.weekdays, weekday_restricted),
  };
  cron.either_day = day_restricted && weekday_restricted;
  cron.text = fmt::format("{}", fmt::join(texts, coin() ? " " : " \t "));
  return cron;
}

/// Half of the fields are stars, so that many expressions fire often.
std::string CronSpeller::spell_field(const Field& field, std::set<int>& values, bool& restricted) {
  if (coin()) {
    for (int value = field.min; value <= field.max; ++value) values.insert(value);
    return "*";
  }
  restricted = true;
  std::string text = spell_element(field, values);
  while (pick(3) == 0) text += "," + spell_element(field, values);
  return text;
}

std::string CronSpeller::spell_element(const Field& field, std::set<int>& values) {
  const int size = field.max - field.min + 1;
  const int first = field.min + pick(size);
  if (coin()) {
    values.insert(first);
    return spell_value(field, first);
  }
  if (!field.is_day && pick(3) == 0) {
    const int step = 2 + pick(size - 2);
    for (int value = field.min; value <= field.max; value += step) values.insert(value);
    return fmt::format("*/{}", step);
  }
  const bool circle = std::strlen(field.names) > 0;
  const int length = circle ? pick(size) : pick(field.max - first + 1);
  const int step = coin() ? 1 : 1 + pick(size - 1);
  for (int i = 0; i <= length; i += step) values.insert((first - field.min + i) % size + field.min);
  const std::string range =
      spell_value(field, first) + "-" + spell_value(field, (first - field.min + length) % size + field.min);
  return step == 1 ? range : fmt::format("{}/{}", range, step);
}

std::string CronSpeller::spell_value(const Field& field, int value) {
  if (std::strlen(field.names) > 0 && coin()) {
    return std::string(field.names + 3 * (value - field.min), 3);
  }
  return coin() ? fmt::format("{}", value) : fmt::format("{:02}", value);
}

std::vector<Time> firings_by_minutes(const CronModel& cron, const TimeZone& zone, Time from, Time until) {
  constexpr Duration minute = 1min;
  const bool interval = cron.hours.size() == 24;
  const auto shown_at = [&](Time time) { return to_wall(time, zone.period_at(time).offset); };
  std::vector<Time> firings;
  Time time = from - 48h;
  Wall unseen = shown_at(time);  // the first wall-clock minute that no clock has shown so far
  for (; time < until; time += minute) {
    const Wall shown = shown_at(time);
    bool fires = interval && cron.fits(shown);
    for (; !interval && unseen <= shown; unseen += minute) fires = fires || cron.fits(unseen);
    if (fires && time >= from) firings.push_back(time);
  }
  return firings;
}

}  // namespace semel::domain
