#include "base/time.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace semel {
namespace {

/// The time in milliseconds, or -1 when it cannot be read.
std::int64_t ms_of(std::string_view text) {
  const std::optional<Time> time = parse_rfc3339(text);
  return time ? to_ms(*time) : -1;
}

TEST(ParseDuration, ReadsEachUnit) {
  EXPECT_EQ(parse_duration("500ms"), 500ms);
  EXPECT_EQ(parse_duration("30s"), 30s);
  EXPECT_EQ(parse_duration("5m"), 5min);
  EXPECT_EQ(parse_duration("2h"), 2h);
  EXPECT_EQ(parse_duration("7d"), 7 * 24h);
  EXPECT_EQ(parse_duration("0"), 0ms);
  EXPECT_EQ(parse_duration("0s"), 0ms);
  EXPECT_EQ(parse_duration("007s"), 7s);
}

TEST(ParseDuration, RefusesEverythingElse) {
  const std::vector<std::string> bad{"",     "5",    "00",  "-1s", "-0s",  "+1s",  "1.5s", "5 s",   " 5s",
                                     "5s ",  "5S",   "5MS", "s",   "ms",   "5sec", "5w",   "1h30m", "5,0s",
                                     "0x5s", "1e3s", "٥s",  "5us", "5s\n", "five", "5mss"};
  for (const std::string& text : bad) EXPECT_EQ(parse_duration(text), std::nullopt) << "'" << text << "'";
}

TEST(ParseDuration, RefusesWhatIsOverAHundredYearsOrOverflows) {
  EXPECT_EQ(parse_duration("36525d"), 36'525 * 24h);
  EXPECT_EQ(parse_duration("36526d"), std::nullopt);
  EXPECT_EQ(parse_duration("3155760000000ms"), 36'525 * 24h);
  EXPECT_EQ(parse_duration("3155760000001ms"), std::nullopt);
  EXPECT_EQ(parse_duration("9223372036854775807d"), std::nullopt);
  EXPECT_EQ(parse_duration("9223372036854775808s"), std::nullopt);
  EXPECT_EQ(parse_duration("99999999999999999999999999s"), std::nullopt);
}

TEST(DurationText, UsesTheLargestExactUnit) {
  EXPECT_EQ(to_text(0ms), "0");
  EXPECT_EQ(to_text(1ms), "1ms");
  EXPECT_EQ(to_text(1500ms), "1500ms");
  EXPECT_EQ(to_text(90s), "90s");
  EXPECT_EQ(to_text(120s), "2m");
  EXPECT_EQ(to_text(90min), "90m");
  EXPECT_EQ(to_text(24h), "1d");
  EXPECT_EQ(to_text(25h), "25h");
}

TEST(DurationText, IsReadBackAsTheSameDuration) {
  for (const Duration duration :
       {0ms, 1ms, 999ms, 1000ms, 59'000ms, 60'000ms, 3'600'001ms, 86'400'000ms, 172'800'000ms, 3'155'760'000'000ms}) {
    EXPECT_EQ(parse_duration(to_text(duration)), duration) << to_text(duration);
  }
}

TEST(ParseRfc3339, ReadsUtcAndOffsets) {
  EXPECT_EQ(ms_of("1970-01-01T00:00:00Z"), 0);
  EXPECT_EQ(ms_of("2026-01-20T12:00:00Z"), 1768910400000);
  EXPECT_EQ(ms_of("2026-01-20T12:00:00+00:00"), 1768910400000);
  EXPECT_EQ(ms_of("2026-01-20T12:00:00-00:00"), 1768910400000);
  EXPECT_EQ(ms_of("2026-01-20T17:30:00+05:30"), 1768910400000);
  EXPECT_EQ(ms_of("2026-01-20T04:00:00-08:00"), 1768910400000);
  EXPECT_EQ(ms_of("2026-01-21T11:59:00+23:59"), 1768910400000);
}

TEST(ParseRfc3339, TakesLowerCaseMarksAndASpace) {
  EXPECT_EQ(ms_of("2026-01-20t12:00:00z"), 1768910400000);
  EXPECT_EQ(ms_of("2026-01-20 12:00:00Z"), 1768910400000);
}

TEST(ParseRfc3339, CutsFractionsToMilliseconds) {
  EXPECT_EQ(ms_of("1970-01-01T00:00:01.5Z"), 1500);
  EXPECT_EQ(ms_of("1970-01-01T00:00:01.05Z"), 1050);
  EXPECT_EQ(ms_of("1970-01-01T00:00:01.123Z"), 1123);
  EXPECT_EQ(ms_of("1970-01-01T00:00:01.123999999Z"), 1123);
  EXPECT_EQ(ms_of("1970-01-01T00:00:01.0000000000000000000009Z"), 1000);
  EXPECT_EQ(ms_of("1970-01-01T00:00:01.Z"), -1);
  EXPECT_EQ(ms_of("1970-01-01T00:00:01,5Z"), -1);
}

TEST(ParseRfc3339, KnowsWhichDaysThereAre) {
  EXPECT_EQ(ms_of("2024-02-29T00:00:00Z"), 1709164800000);
  EXPECT_EQ(ms_of("2000-02-29T00:00:00Z"), 951782400000);
  for (const std::string_view bad :
       {"2023-02-29T00:00:00Z", "2100-02-29T00:00:00Z", "2024-02-30T00:00:00Z", "2024-04-31T00:00:00Z",
        "2024-00-01T00:00:00Z", "2024-13-01T00:00:00Z", "2024-01-00T00:00:00Z", "2024-01-32T00:00:00Z"}) {
    EXPECT_EQ(ms_of(bad), -1) << bad;
  }
}

TEST(ParseRfc3339, KnowsWhichTimesOfDayThereAre) {
  EXPECT_EQ(ms_of("1970-01-01T23:59:59.999Z"), 86'399'999);
  EXPECT_EQ(ms_of("1970-01-01T23:59:60Z"), 86'400'000) << "a leap second counts as the next second";
  for (const std::string_view bad : {"1970-01-01T24:00:00Z", "1970-01-01T00:60:00Z", "1970-01-01T00:00:61Z",
                                     "1970-01-02T00:00:00+24:00", "1970-01-02T00:00:00+00:60"}) {
    EXPECT_EQ(ms_of(bad), -1) << bad;
  }
}

TEST(ParseRfc3339, ReadsTheYears1970To9999) {
  EXPECT_EQ(ms_of("1969-12-31T23:59:59Z"), -1);
  EXPECT_EQ(ms_of("1970-01-01T00:59:59+01:00"), -1);
  EXPECT_EQ(ms_of("1970-01-01T01:00:00+01:00"), 0);
  EXPECT_EQ(ms_of("9999-12-31T23:59:59.999Z"), 253402300799999);
  EXPECT_EQ(ms_of("9999-12-31T23:59:60Z"), -1);
  EXPECT_EQ(ms_of("9999-12-31T23:00:00-01:00"), -1) << "this is the year 10000 in UTC, which could not be written";
  EXPECT_EQ(ms_of("0000-01-01T00:00:00Z"), -1);
}

TEST(ParseRfc3339, RefusesOtherForms) {
  for (const std::string_view bad :
       {"", "2026-01-20", "2026-01-20T12:00:00", "2026-01-20T12:00Z", "2026-1-20T12:00:00Z", "20260120T120000Z",
        "2026-01-20T12:00:00ZZ", "2026-01-20T12:00:00+0100", "2026-01-20T12:00:00+01", "2026-01-20T12:00:00 Z",
        " 2026-01-20T12:00:00Z", "2026-01-20_12:00:00Z", "+2026-01-20T12:00:00Z", "12026-01-20T12:00:00Z", "1768910400",
        "2026-01-20T12:00:00Z\n", "2026-01-20T1a:00:00Z"}) {
    EXPECT_EQ(ms_of(bad), -1) << bad;
  }
}

TEST(Rfc3339Text, HasMillisecondsAndIsReadBack) {
  EXPECT_EQ(to_rfc3339(from_ms(0)), "1970-01-01T00:00:00.000Z");
  EXPECT_EQ(to_rfc3339(from_ms(1768910400007)), "2026-01-20T12:00:00.007Z");
  EXPECT_EQ(to_rfc3339(from_ms(253402300799999)), "9999-12-31T23:59:59.999Z");
  for (const std::int64_t ms : {0LL, 1LL, 951782399999LL, 1768910400007LL, 253402300799999LL}) {
    EXPECT_EQ(ms_of(to_rfc3339(from_ms(ms))), ms);
  }
}

}  // namespace
}  // namespace semel
