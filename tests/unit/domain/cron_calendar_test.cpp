#include "domain/schedule/cron_calendar.hpp"

#include <gtest/gtest.h>

#include "tests/unit/domain/schedule_builders.hpp"

namespace semel::domain {
namespace {

using test::cron_of;

/// A wall clock that shows what a clock of UTC shows then.
Wall wall_of(std::string_view text) { return to_wall(test::moment(text), 0s); }

std::string wall_text(const std::optional<Wall>& wall) { return wall ? test::text_of(to_time(*wall, 0s)) : "never"; }

std::string next_wall(std::string_view cron, std::string_view from) {
  return wall_text(next_match(cron_of(cron).sets(), wall_of(from)));
}

std::string last_wall(std::string_view cron, std::string_view until) {
  return wall_text(last_match(cron_of(cron).sets(), wall_of(until)));
}

TEST(CronCalendar, FindsTheMinuteItStandsOn) {
  EXPECT_EQ(next_wall("30 12 20 1 *", "2026-01-20T12:30Z"), "2026-01-20T12:30Z");
  EXPECT_EQ(last_wall("30 12 20 1 *", "2026-01-20T12:30Z"), "2026-01-20T12:30Z");
  EXPECT_EQ(last_wall("30 12 20 1 *", "2026-01-20T12:30:59.999Z"), "2026-01-20T12:30Z");
  EXPECT_EQ(next_wall("30 12 20 1 *", "2026-01-20T12:30:00.001Z"), "2027-01-20T12:30Z");
  EXPECT_EQ(last_wall("30 12 20 1 *", "2026-01-20T12:29:59.999Z"), "2025-01-20T12:30Z");
}

TEST(CronCalendar, CarriesFromEachFieldToTheNext) {
  EXPECT_EQ(next_wall("10,50 * * * *", "2026-01-20T12:11Z"), "2026-01-20T12:50Z");
  EXPECT_EQ(next_wall("10,50 * * * *", "2026-01-20T12:51Z"), "2026-01-20T13:10Z");
  EXPECT_EQ(next_wall("10,50 8,12 * * *", "2026-01-20T12:51Z"), "2026-01-21T08:10Z");
  EXPECT_EQ(next_wall("10,50 8,12 20 * *", "2026-01-20T12:51Z"), "2026-02-20T08:10Z");
  EXPECT_EQ(next_wall("10,50 8,12 31 1,3 *", "2026-01-31T12:51Z"), "2026-03-31T08:10Z");
  EXPECT_EQ(next_wall("59 23 31 12 *", "2026-12-31T23:59:30Z"), "2027-12-31T23:59Z");
}

TEST(CronCalendar, CarriesBackwardsToo) {
  EXPECT_EQ(last_wall("10,50 * * * *", "2026-01-20T12:49Z"), "2026-01-20T12:10Z");
  EXPECT_EQ(last_wall("10,50 * * * *", "2026-01-20T12:09Z"), "2026-01-20T11:50Z");
  EXPECT_EQ(last_wall("10,50 8,12 * * *", "2026-01-20T08:09Z"), "2026-01-19T12:50Z");
  EXPECT_EQ(last_wall("10,50 8,12 20 * *", "2026-01-20T08:09Z"), "2025-12-20T12:50Z");
  EXPECT_EQ(last_wall("10,50 8,12 31 1,3 *", "2026-01-31T08:09Z"), "2025-03-31T12:50Z");
  EXPECT_EQ(last_wall("0 0 1 1 *", "2025-12-31T23:59Z"), "2025-01-01T00:00Z");
}

TEST(CronCalendar, ShortMonthsAreLeftOut) {
  EXPECT_EQ(next_wall("0 0 31 * *", "2026-01-31T00:01Z"), "2026-03-31T00:00Z");
  EXPECT_EQ(next_wall("0 0 30 * *", "2026-01-30T00:01Z"), "2026-03-30T00:00Z");
  EXPECT_EQ(next_wall("0 0 29 * *", "2026-01-29T00:01Z"), "2026-03-29T00:00Z");
  EXPECT_EQ(next_wall("0 0 29 * *", "2028-01-29T00:01Z"), "2028-02-29T00:00Z");
  EXPECT_EQ(last_wall("0 0 31 * *", "2026-03-30T00:00Z"), "2026-01-31T00:00Z");
}

TEST(CronCalendar, KnowsTheWeekdays) {
  for (const char* weekday : {"SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"}) {
    // 2026-02-01 is a Sunday, and February has four weeks.
    const std::string cron = std::string("0 0 * * ") + weekday;
    const std::vector<Time> times = upcoming(test::schedule_of(cron), test::moment("2026-01-31T23:59Z"), 5);
    ASSERT_EQ(times.size(), 5u);
    for (std::size_t i = 1; i < times.size(); ++i) EXPECT_EQ(times[i] - times[i - 1], 7 * 24h) << weekday;
    const std::chrono::weekday expected{std::chrono::floor<std::chrono::days>(times[0])};
    EXPECT_EQ(cron_of(cron).sets().weekdays, std::uint64_t{1} << expected.c_encoding());
  }
  EXPECT_EQ(next_wall("0 0 * * SUN", "2026-01-31T00:00Z"), "2026-02-01T00:00Z");
  EXPECT_EQ(last_wall("0 0 * * SAT", "2026-02-06T00:00Z"), "2026-01-31T00:00Z");
}

}  // namespace
}  // namespace semel::domain
