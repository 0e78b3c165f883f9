#include "domain/schedule/time_zone.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "domain/schedule/zone_database.hpp"
#include "tests/unit/domain/schedule_builders.hpp"

namespace semel::domain {
namespace {

using test::moment;
using test::zone_of;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;

std::chrono::seconds offset_at(std::string_view zone, std::string_view time) {
  return zone_of(zone).period_at(moment(time)).offset;
}

std::string zone_refusal(std::string_view name) {
  const Result<TimeZone> zone = TimeZone::find(name);
  EXPECT_FALSE(zone.has_value()) << name;
  if (zone) return "";
  EXPECT_EQ(zone.error().code, ErrorCode::bad_request);
  return zone.error().message;
}

TEST(TimeZone, OfUtcIsOnePeriod) {
  EXPECT_EQ(TimeZone::utc().name(), "UTC");
  EXPECT_EQ(TimeZone::utc().period_at(moment("2026-01-20T12:00Z")), (ZonePeriod{zone_begin, zone_end, 0s, 0s}));
  EXPECT_EQ(zone_of("UTC"), TimeZone::utc());
  EXPECT_EQ(zone_of("Etc/UTC").period_at(Time{}), TimeZone::utc().period_at(Time{}));
}

TEST(TimeZone, FindsThePeriodOfATime) {
  const TimeZone zone("Test/Zone",
                      {{zone_begin, 1h}, {moment("2026-03-29T01:00Z"), 2h}, {moment("2026-10-25T01:00Z"), 1h}});

  const ZonePeriod winter{zone_begin, moment("2026-03-29T01:00Z"), 1h, 1h};
  const ZonePeriod summer{moment("2026-03-29T01:00Z"), moment("2026-10-25T01:00Z"), 2h, 1h};
  const ZonePeriod later{moment("2026-10-25T01:00Z"), zone_end, 1h, 2h};
  EXPECT_EQ(zone.period_at(Time::min()), winter);
  EXPECT_EQ(zone.period_at(summer.begin - 1ms), winter);
  EXPECT_EQ(zone.period_at(summer.begin), summer);
  EXPECT_EQ(zone.period_at(summer.end - 1ms), summer);
  EXPECT_EQ(zone.period_at(summer.end), later);
  EXPECT_EQ(zone.period_at(Time::max()), later);
}

TEST(TimeZone, ReadsTheDatabase) {
  EXPECT_EQ(zone_of("Europe/Berlin").period_at(moment("2026-07-01T00:00Z")),
            (ZonePeriod{moment("2026-03-29T01:00Z"), moment("2026-10-25T01:00Z"), 2h, 1h}));
  EXPECT_EQ(offset_at("America/New_York", "2026-01-01T00:00Z"), -5h);
  EXPECT_EQ(offset_at("Australia/Lord_Howe", "2026-06-01T00:00Z"), 10h + 30min);
  EXPECT_EQ(offset_at("Asia/Kathmandu", "2026-06-01T00:00Z"), 5h + 45min);
  EXPECT_EQ(offset_at("Africa/Casablanca", "2026-03-01T00:00Z"), 0h);
  EXPECT_EQ(offset_at("Africa/Casablanca", "2026-04-01T00:00Z"), 1h);
  EXPECT_EQ(offset_at("Pacific/Apia", "2011-12-30T09:59Z"), -10h);
  EXPECT_EQ(offset_at("Pacific/Apia", "2011-12-30T10:00Z"), 14h);
  EXPECT_EQ(offset_at("Africa/Monrovia", "1971-01-01T00:00Z"), -(44min + 30s));
}

TEST(TimeZone, GoesOnByItsRuleWhereTheTableEnds) {
  EXPECT_EQ(offset_at("Europe/Berlin", "2037-07-01T00:00Z"), 2h);
  EXPECT_EQ(offset_at("Europe/Berlin", "2038-01-01T00:00Z"), 1h);
  EXPECT_EQ(offset_at("Europe/Berlin", "2038-07-01T00:00Z"), 2h);
  EXPECT_EQ(offset_at("Europe/Dublin", "2040-07-01T00:00Z"), 1h);
  EXPECT_EQ(offset_at("Europe/Dublin", "2040-12-01T00:00Z"), 0h);
  EXPECT_EQ(offset_at("America/New_York", "2400-07-01T00:00Z"), -4h);
  EXPECT_EQ(offset_at("Asia/Tokyo", "2400-07-01T00:00Z"), 9h);
}

TEST(TimeZone, EveryOneOfTheDatabaseIsInOrder) {
  const std::vector<std::string> names = time_zone_names().value();
  EXPECT_GT(names.size(), 300u);
  for (const std::string& name : names) {
    const TimeZone zone = zone_of(name);
    EXPECT_EQ(zone.name(), name);
    ZonePeriod period = zone.period_at(Time{});
    while (period.end < moment("2100-01-01T00:00Z")) {
      const ZonePeriod next = zone.period_at(period.end);
      ASSERT_EQ(next.begin, period.end) << name;
      ASSERT_EQ(next.offset_before, period.offset) << name;
      ASSERT_NE(next.offset, period.offset) << name;
      ASSERT_LE(std::chrono::abs(next.offset), 26h) << name;
      period = next;
    }
  }
}

TEST(TimeZone, DoesNotDependOnWhatTheMachineIsSetTo) {
  const std::vector<std::string> names = time_zone_names().value();
  for (const char* name : {"localtime", "posixrules", "Factory"}) {
    EXPECT_THAT(names, Not(Contains(name)));
    EXPECT_THAT(zone_refusal(name), HasSubstr("is not known"));
  }
  EXPECT_THAT(zone_refusal("right/Europe/Berlin"), HasSubstr("is not known"));
}

TEST(TimeZone, ThatIsUnknownIsRefusedWithTheNearest) {
  EXPECT_EQ(zone_refusal("Europe/Berln"), "time zone 'Europe/Berln' is not known; did you mean 'Europe/Berlin'?");
  EXPECT_THAT(zone_refusal("europe/berlin"), HasSubstr("did you mean 'Europe/Berlin'?"));
  EXPECT_THAT(zone_refusal("utc"), HasSubstr("did you mean 'UTC'?"));
  EXPECT_THAT(zone_refusal("Tokyo"), HasSubstr("did you mean 'Asia/Tokyo'?"));
  EXPECT_THAT(zone_refusal("US/New York"), HasSubstr("did you mean 'America/New_York'?"));
  EXPECT_THAT(zone_refusal("nowhere at all"), HasSubstr("use a name of the IANA database, such as 'Europe/Berlin'"));
  EXPECT_THAT(zone_refusal("+02:00"), HasSubstr("use a name of the IANA database"));
}

TEST(TimeZone, ThatIsNoNameIsRefused) {
  EXPECT_THAT(zone_refusal(""), HasSubstr("leave it out for UTC"));
  EXPECT_THAT(zone_refusal("../../etc/passwd"), HasSubstr("is not known"));
  EXPECT_THAT(zone_refusal("Europe/"), HasSubstr("is not known"));
  EXPECT_THAT(zone_refusal("Europe"), HasSubstr("is not known"));
  EXPECT_THAT(zone_refusal("zone1970.tab"), HasSubstr("is not known"));
  EXPECT_THAT(zone_refusal("Europe/Berlin\n"), HasSubstr("must be a name of the IANA database"));
  EXPECT_THAT(zone_refusal(std::string(101, 'x')), HasSubstr("must be a name of the IANA database"));
}

}  // namespace
}  // namespace semel::domain
