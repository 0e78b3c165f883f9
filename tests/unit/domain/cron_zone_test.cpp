// When the clocks change: the rule at the head of cron.hpp, on changes that have happened or are law.
#include <gtest/gtest.h>

#include "domain/schedule/cron.hpp"
#include "tests/unit/domain/schedule_builders.hpp"

namespace semel::domain {
namespace {

using test::fires;
using test::Moments;

/// Firings that are the same length of elapsed time apart.
void expect_even_steps(std::string_view cron, std::string_view zone, std::string_view after, Duration step) {
  const std::vector<Time> times = upcoming(test::schedule_of(cron, zone), test::moment(after), 200);
  ASSERT_EQ(times.size(), 200u);
  for (std::size_t i = 1; i < times.size(); ++i) {
    ASSERT_EQ(times[i] - times[i - 1], step) << cron << " in " << zone << " at " << test::text_of(times[i]);
  }
}

/// Going back from the end finds the same firings as going forward.
void expect_same_backwards(std::string_view cron, std::string_view zone, std::string_view after, std::size_t count) {
  const Schedule schedule = test::schedule_of(cron, zone);
  const std::vector<Time> times = upcoming(schedule, test::moment(after), count);
  ASSERT_EQ(times.size(), count);
  for (std::size_t i = count; i-- > 1;) {
    EXPECT_EQ(test::text_of(last_firing(schedule, times[i] - 1ms)), test::text_of(times[i - 1])) << cron << zone;
    EXPECT_EQ(test::text_of(last_firing(schedule, times[i])), test::text_of(times[i])) << cron << zone;
  }
}

TEST(CronInAZone, FollowsTheWallClockOverTheYear) {
  EXPECT_EQ(fires("0 9 1 1,7 *", "Europe/Berlin", "2026-01-01T00:00Z", 2),
            (Moments{"2026-01-01T08:00Z", "2026-07-01T07:00Z"}));
  EXPECT_EQ(fires("0 9 1 1,7 *", "Asia/Kolkata", "2026-01-01T00:00Z", 2),
            (Moments{"2026-01-01T03:30Z", "2026-07-01T03:30Z"}));
}

// Berlin: on 29 March 2026 at 01:00Z the clocks go from 2 to 3, on 25 October at 01:00Z from 3 to 2.

TEST(CronInAZone, ATimeThatIsLeftOutFiresOnceAfterTheGap) {
  EXPECT_EQ(fires("30 2 * * *", "Europe/Berlin", "2026-03-27T12:00Z", 3),
            (Moments{"2026-03-28T01:30Z", "2026-03-29T01:00Z", "2026-03-30T00:30Z"}));
  EXPECT_EQ(fires("30 2 29 3 *", "Europe/Berlin", "2026-03-29T00:55Z", 1), (Moments{"2026-03-29T01:00Z"}))
      << "also when asked within an hour of it";
  EXPECT_EQ(fires("30 2 29 3 *", "Europe/Berlin", "2026-03-29T01:00Z", 1), (Moments{"2027-03-29T00:30Z"}))
      << "and not again";
}

TEST(CronInAZone, ManyTimesThatAreLeftOutFireOnceTogether) {
  EXPECT_EQ(fires("*/10 2 * * *", "Europe/Berlin", "2026-03-28T02:00Z", 2),
            (Moments{"2026-03-29T01:00Z", "2026-03-30T00:00Z"}));
  EXPECT_EQ(fires("0,30 1-3 * * *", "Europe/Berlin", "2026-03-28T22:00Z", 5),
            (Moments{"2026-03-29T00:00Z", "2026-03-29T00:30Z", "2026-03-29T01:00Z", "2026-03-29T01:30Z",
                     "2026-03-29T23:00Z"}))
      << "with what is due at the end of the gap anyhow";
}

TEST(CronInAZone, ATimeThatComesTwiceFiresTheFirstTime) {
  EXPECT_EQ(fires("30 2 * * *", "Europe/Berlin", "2026-10-23T12:00Z", 3),
            (Moments{"2026-10-24T00:30Z", "2026-10-25T00:30Z", "2026-10-26T01:30Z"}));
  EXPECT_EQ(fires("*/20 2 * * *", "Europe/Berlin", "2026-10-24T12:00Z", 4),
            (Moments{"2026-10-25T00:00Z", "2026-10-25T00:20Z", "2026-10-25T00:40Z", "2026-10-26T01:00Z"}));
  EXPECT_EQ(fires("0 3 * * *", "Europe/Berlin", "2026-10-24T12:00Z", 1), (Moments{"2026-10-25T02:00Z"}))
      << "three o'clock comes once: the clocks never show it the first time";
  EXPECT_EQ(fires("30 2 * * *", "Europe/Berlin", "2026-10-25T01:10Z", 1), (Moments{"2026-10-26T01:30Z"}))
      << "asked in the repeated hour";
}

TEST(CronInAZone, AnIntervalGoesOnInElapsedTime) {
  for (const char* after : {"2026-03-27T12:00Z", "2026-10-23T12:00Z"}) {
    expect_even_steps("*/15 * * * *", "Europe/Berlin", after, 15min);
    expect_even_steps("@hourly", "Europe/Berlin", after, 1h);
    expect_even_steps("30 0-23 * * *", "Europe/Berlin", after, 1h);
  }
  for (const char* after : {"2026-03-06T12:00Z", "2026-10-30T12:00Z"}) {
    expect_even_steps("*/15 * * * *", "America/New_York", after, 15min);
  }
  expect_even_steps("7 * * * *", "Pacific/Apia", "2011-12-27T00:00Z", 1h);
}

TEST(CronInAZone, AnIntervalFiresAgainOnADayThatComesBackAfterItsEnd) {
  // Cairo: on Thursday, 29 October 2026, at midnight (21:00Z) the clocks go back to 23, and it is Thursday again.
  EXPECT_EQ(fires("54 * * OCT THU", "Africa/Cairo", "2026-10-29T19:00Z", 3),
            (Moments{"2026-10-29T19:54Z", "2026-10-29T20:54Z", "2026-10-29T21:54Z"}));
  const Schedule schedule = test::schedule_of("54 22-23 * OCT THU", "Africa/Cairo");
  EXPECT_EQ(test::text_of(next_firing(schedule, test::moment("2026-10-29T20:54Z"))), "2027-10-07T19:54Z")
      << "not for named hours";
  expect_same_backwards("54 * * OCT THU", "Africa/Cairo", "2026-10-28T00:00Z", 60);
}

TEST(CronInAZone, ADailyJobRunsOnceADayWhereverTheClocksChange) {
  // New York: 8 March 2026 from 2 to 3 at 07:00Z, 1 November from 2 to 1 at 06:00Z.
  EXPECT_EQ(fires("30 2 * * *", "America/New_York", "2026-03-07T12:00Z", 2),
            (Moments{"2026-03-08T07:00Z", "2026-03-09T06:30Z"}));
  EXPECT_EQ(fires("30 1 * * *", "America/New_York", "2026-10-31T12:00Z", 2),
            (Moments{"2026-11-01T05:30Z", "2026-11-02T06:30Z"}));
  // Cairo's clocks go from midnight to 1 on 24 April 2026: the day begins at 1.
  EXPECT_EQ(fires("@daily", "Africa/Cairo", "2026-04-22T22:30Z", 2),
            (Moments{"2026-04-23T22:00Z", "2026-04-24T21:00Z"}));
  // Casablanca: in Ramadan the clocks are an hour back, 15 February to 22 March 2026.
  EXPECT_EQ(fires("30 2 * * *", "Africa/Casablanca", "2026-02-14T00:00Z", 3),
            (Moments{"2026-02-14T01:30Z", "2026-02-15T01:30Z", "2026-02-16T02:30Z"}));
  EXPECT_EQ(fires("30 2 * * *", "Africa/Casablanca", "2026-03-21T00:00Z", 3),
            (Moments{"2026-03-21T02:30Z", "2026-03-22T02:00Z", "2026-03-23T01:30Z"}));
}

TEST(CronInAZone, HalfAnHourIsAGapToo) {
  // Lord Howe Island: 4 October 2026 from 2:00 to 2:30 at 15:30Z the day before, 5 April from 2:00 to 1:30 at 15:00Z.
  EXPECT_EQ(fires("15 2 * * *", "Australia/Lord_Howe", "2026-10-03T00:00Z", 2),
            (Moments{"2026-10-03T15:30Z", "2026-10-04T15:15Z"}));
  EXPECT_EQ(fires("45 2 * * *", "Australia/Lord_Howe", "2026-10-03T00:00Z", 1), (Moments{"2026-10-03T15:45Z"}));
  EXPECT_EQ(fires("45 1 * * *", "Australia/Lord_Howe", "2026-04-04T00:00Z", 2),
            (Moments{"2026-04-04T14:45Z", "2026-04-05T15:15Z"}));
  EXPECT_EQ(fires("45 * * * *", "Australia/Lord_Howe", "2026-04-04T14:00Z", 3),
            (Moments{"2026-04-04T14:45Z", "2026-04-04T15:15Z", "2026-04-04T16:15Z"}))
      << "an interval fires whenever the clock shows it";
}

TEST(CronInAZone, ADayThatIsLeftOutIsMadeUpFor) {
  // Samoa had no 30 December 2011: it went from -10 to +14 at 10:00Z.
  EXPECT_EQ(fires("0 9 * * *", "Pacific/Apia", "2011-12-29T00:00Z", 3),
            (Moments{"2011-12-29T19:00Z", "2011-12-30T10:00Z", "2011-12-30T19:00Z"}));
  EXPECT_EQ(fires("0 9 30 12 *", "Pacific/Apia", "2011-12-01T00:00Z", 2),
            (Moments{"2011-12-30T10:00Z", "2012-12-29T19:00Z"}));
  EXPECT_EQ(fires("@daily", "Pacific/Apia", "2011-12-29T00:00Z", 3),
            (Moments{"2011-12-29T10:00Z", "2011-12-30T10:00Z", "2011-12-31T10:00Z"}))
      << "the 30th and the 31st begin together";
}

TEST(CronInAZone, GoesOnByTheRuleAfterTheTableEnds) {
  EXPECT_EQ(fires("0 9 1 1,7 *", "America/New_York", "2045-01-01T00:00Z", 2),
            (Moments{"2045-01-01T14:00Z", "2045-07-01T13:00Z"}));
  EXPECT_EQ(fires("30 2 * * *", "Europe/Berlin", "2045-03-25T12:00Z", 2),
            (Moments{"2045-03-26T01:00Z", "2045-03-27T00:30Z"}));
}

TEST(CronInAZone, IsTheSameBackwards) {
  for (const char* cron : {"30 2 * * *", "*/10 1-3 * * *", "*/30 * * * *", "15,45 * * * *", "@daily"}) {
    expect_same_backwards(cron, "Europe/Berlin", "2026-03-27T12:00Z", 50);
    expect_same_backwards(cron, "Europe/Berlin", "2026-10-23T12:00Z", 50);
    expect_same_backwards(cron, "Australia/Lord_Howe", "2026-10-02T12:00Z", 50);
    expect_same_backwards(cron, "Australia/Lord_Howe", "2026-04-03T12:00Z", 50);
    expect_same_backwards(cron, "Pacific/Apia", "2011-12-28T00:00Z", 50);
    expect_same_backwards(cron, "Africa/Casablanca", "2026-02-13T00:00Z", 50);
  }
}

}  // namespace
}  // namespace semel::domain
