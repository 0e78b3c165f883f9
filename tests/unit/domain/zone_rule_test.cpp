#include "domain/schedule/zone_rule.hpp"

#include <gtest/gtest.h>

#include "tests/unit/domain/schedule_builders.hpp"

namespace semel::domain {
namespace {

using test::moment;
using test::Moments;
using test::text_of;

ZoneRule rule_of(std::string_view text) {
  const std::optional<ZoneRule> rule = parse_zone_rule(text);
  EXPECT_TRUE(rule.has_value()) << text;
  return rule.value_or(ZoneRule{});
}

/// "2026-03-29T01:00Z +7200"
Moments shifts_in(std::string_view rule, int year) {
  Moments texts;
  for (const ZoneShift& shift : shifts_of_year(rule_of(rule), std::chrono::year{year})) {
    texts.push_back(text_of(shift.at) + (shift.offset < 0s ? " " : " +") + std::to_string(shift.offset.count()));
  }
  return texts;
}

TEST(ZoneRule, WithoutDaylightSavingTimeHasNoShifts) {
  EXPECT_EQ(rule_of("UTC0").standard_offset, 0s);
  EXPECT_EQ(rule_of("JST-9").standard_offset, 9h);
  EXPECT_EQ(rule_of("<+0545>-5:45").standard_offset, 5h + 45min);
  EXPECT_EQ(rule_of("<-03>3").standard_offset, -3h);
  EXPECT_EQ(rule_of("AMT-0:19:32").standard_offset, 19min + 32s);
  EXPECT_EQ(shifts_in("JST-9", 2026), Moments{});
}

TEST(ZoneRule, OfWeekdaysInMonths) {
  EXPECT_EQ(shifts_in("CET-1CEST,M3.5.0,M10.5.0/3", 2026),
            (Moments{"2026-03-29T01:00Z +7200", "2026-10-25T01:00Z +3600"}));
  EXPECT_EQ(shifts_in("EST5EDT,M3.2.0,M11.1.0", 2026),
            (Moments{"2026-03-08T07:00Z -14400", "2026-11-01T06:00Z -18000"}));
  EXPECT_EQ(shifts_in("<+1030>-10:30<+11>-11,M10.1.0,M4.1.0", 2026),
            (Moments{"2026-04-04T15:00Z +37800", "2026-10-03T15:30Z +39600"}))
      << "in the south the year begins in summer";
}

TEST(ZoneRule, OfWinterTimeAsTheException) {
  EXPECT_EQ(shifts_in("IST-1GMT0,M10.5.0,M3.5.0/1", 2026),
            (Moments{"2026-03-29T01:00Z +3600", "2026-10-25T01:00Z +0"}));
}

TEST(ZoneRule, OfTimesOnOtherDays) {
  EXPECT_EQ(shifts_in("<-02>2<-01>,M3.5.0/-1,M10.5.0/0", 2026),
            (Moments{"2026-03-29T01:00Z -3600", "2026-10-25T01:00Z -7200"}))
      << "the evening before";
  EXPECT_EQ(shifts_in("EET-2EEST,M3.4.4/50,M10.4.4/50", 2026),
            (Moments{"2026-03-28T00:00Z +10800", "2026-10-23T23:00Z +7200"}))
      << "two days later";
}

TEST(ZoneRule, OfDaysOfTheYear) {
  EXPECT_EQ(shifts_in("AAA0BBB,J60/0,J365/0", 2027), (Moments{"2027-03-01T00:00Z +3600", "2027-12-30T23:00Z +0"}));
  EXPECT_EQ(shifts_in("AAA0BBB,J60/0,J365/0", 2028), (Moments{"2028-03-01T00:00Z +3600", "2028-12-30T23:00Z +0"}))
      << "29 February is not counted";
  EXPECT_EQ(shifts_in("AAA0BBB,59/0,364/0", 2028), (Moments{"2028-02-29T00:00Z +3600", "2028-12-29T23:00Z +0"}))
      << "29 February is counted";
}

TEST(ZoneRule, ContinuesATable) {
  std::vector<ZoneShift> table{{moment("2026-03-29T01:00Z"), 2h}};
  append_by_rule(table, rule_of("CET-1CEST,M3.5.0,M10.5.0/3"), table[0].at, std::chrono::year{2027});

  const std::vector<ZoneShift> expected{{moment("2026-03-29T01:00Z"), 2h},
                                        {moment("2026-10-25T01:00Z"), 1h},
                                        {moment("2027-03-28T01:00Z"), 2h},
                                        {moment("2027-10-31T01:00Z"), 1h}};
  EXPECT_EQ(table, expected);
}

TEST(ZoneRule, ContinuesATableAfterItsLastEntryAlsoWhereThatShiftedNothing) {
  // Grand Turk kept the offset of its summer until 2018, as standard time; then the entry that made it summer time
  // again changed no clock.
  std::vector<ZoneShift> table{{moment("2014-11-02T06:00Z"), -5h}, {moment("2015-03-08T07:00Z"), -4h}};
  append_by_rule(table, rule_of("EST5EDT,M3.2.0,M11.1.0"), moment("2018-03-11T06:00Z"), std::chrono::year{2018});

  ASSERT_EQ(table.size(), 3u);
  EXPECT_EQ(table.back(), (ZoneShift{moment("2018-11-04T06:00Z"), -5h}));
}

TEST(ZoneRule, IsNothingElse) {
  for (const char* text : {"", "CET", "-1", "CE-1", "CET-1CEST", "CET-1CEST,", "CET-1CEST,M3.5.0", "CET-1CEST,M3.5.0,",
                           "CET-1CEST,M13.5.0,M10.5.0", "CET-1CEST,M3.6.0,M10.5.0", "CET-1CEST,M3.5.7,M10.5.0",
                           "CET-1CEST,M3.5,M10.5.0", "CET-1CEST,J0,J365", "CET-1CEST,0,366", "CET-25", "CET-1:60",
                           "<CET-1", "CET-1CEST,M3.5.0/168,M10.5.0", "CET-1CEST,M3.5.0,M10.5.0/3x"}) {
    EXPECT_FALSE(parse_zone_rule(text).has_value()) << text;
  }
}

}  // namespace
}  // namespace semel::domain
