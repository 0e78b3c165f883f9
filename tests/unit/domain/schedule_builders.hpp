#pragma once
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "domain/schedule/cron.hpp"
#include "domain/schedule/schedule.hpp"
#include "domain/schedule/time_zone.hpp"

/// What the tests of schedules are about, in words that read well.
namespace semel::domain::test {

using Moments = std::vector<std::string>;

/// "2026-03-29T01:00Z", to the minute, the second or the millisecond.
inline Time moment(std::string_view text) {
  std::string whole(text);
  if (whole.size() == std::string_view("2026-03-29T01:00Z").size()) whole.insert(whole.size() - 1, ":00");
  const std::optional<Time> time = parse_rfc3339(whole);
  EXPECT_TRUE(time.has_value()) << text;
  return time.value_or(Time{});
}

/// The same, without seconds where there are none.
inline std::string text_of(Time time) {
  std::string text = to_rfc3339(time);
  for (const std::string_view zeros : {".000Z", ":00Z"}) {
    if (!text.ends_with(zeros)) break;
    text.replace(text.size() - zeros.size(), zeros.size(), "Z");
  }
  return text;
}

inline std::string text_of(const std::optional<Time>& time) { return time ? text_of(*time) : "never"; }

inline Moments texts_of(const std::vector<Time>& times) {
  Moments texts;
  for (const Time time : times) texts.push_back(text_of(time));
  return texts;
}

inline Cron cron_of(std::string_view text) {
  Result<Cron> cron = Cron::parse(text);
  if (!cron) throw std::invalid_argument(cron.error().message);
  return *cron;
}

inline TimeZone zone_of(std::string_view name) {
  Result<TimeZone> zone = TimeZone::find(name);
  if (!zone) throw std::invalid_argument(zone.error().message);
  return *zone;
}

inline const ScheduleId nightly_id = *ScheduleId::parse("019bddae-b818-7d82-b7c5-bd42e5db27fc");

inline Schedule schedule_of(std::string_view cron, std::string_view zone = "UTC") {
  return {.id = nightly_id, .name = "nightly", .timing = Recurring{cron_of(cron), zone_of(zone)}};
}

inline Schedule one_off_at(std::string_view at) {
  return {.id = nightly_id, .name = "launch", .timing = OneOff{moment(at)}};
}

/// The next firings of an expression in a zone.
inline Moments fires(std::string_view cron, std::string_view zone, std::string_view after, std::size_t count) {
  return texts_of(upcoming(schedule_of(cron, zone), moment(after), count));
}

}  // namespace semel::domain::test
