#include "domain/schedule/cron.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/domain/schedule_builders.hpp"

namespace semel::domain {
namespace {

using test::cron_of;
using test::fires;
using test::Moments;
using testing::HasSubstr;

std::string cron_refusal(std::string_view text) {
  const Result<Cron> parsed = Cron::parse(text);
  EXPECT_FALSE(parsed.has_value()) << text;
  if (parsed) return "";
  EXPECT_EQ(parsed.error().code, ErrorCode::bad_request);
  return parsed.error().message;
}

TEST(Cron, HasFiveFieldsPartedByBlanks) {
  EXPECT_EQ(cron_of("0 9 * * MON-FRI").sets(), cron_of("  0\t9 *  * 1-5 ").sets());
  EXPECT_EQ(cron_of(" 0 9 * * 1 ").text(), "0 9 * * 1");
}

TEST(Cron, HasShortForms) {
  EXPECT_EQ(cron_of("@yearly").sets(), cron_of("0 0 1 1 *").sets());
  EXPECT_EQ(cron_of("@annually").sets(), cron_of("0 0 1 1 *").sets());
  EXPECT_EQ(cron_of("@monthly").sets(), cron_of("0 0 1 * *").sets());
  EXPECT_EQ(cron_of("@weekly").sets(), cron_of("0 0 * * SUN").sets());
  EXPECT_EQ(cron_of("@daily").sets(), cron_of("0 0 * * *").sets());
  EXPECT_EQ(cron_of("@midnight").sets(), cron_of("0 0 * * *").sets());
  EXPECT_EQ(cron_of(" @Hourly ").sets(), cron_of("0 * * * *").sets());
  EXPECT_EQ(cron_of("@daily").text(), "@daily");
}

TEST(Cron, RefusesOtherShortFormsWithAReason) {
  EXPECT_THAT(cron_refusal("@reboot"), HasSubstr("'@reboot' has no time"));
  EXPECT_THAT(cron_refusal("@every 5m"), HasSubstr("cron '@every 5m' is not known; use @yearly"));
  EXPECT_THAT(cron_refusal("@"), HasSubstr("cron '@' is not known"));
}

TEST(Cron, SaysWhatIsWrongAndWhere) {
  EXPECT_EQ(cron_refusal("0 25 * * *"), "cron '0 25 * * *': hour (field 2, character 3): 25 is above 23");
  EXPECT_EQ(cron_refusal("  0 0 L * * "),
            "cron '0 0 L * *': day of month (field 3, character 5): 'L' (the last) is not supported");
  EXPECT_THAT(cron_refusal("0 0 * * 5#2"), HasSubstr("day of week (field 5, character 10): '#'"));
}

TEST(Cron, CountsItsFields) {
  EXPECT_THAT(cron_refusal(""), HasSubstr("must not be empty"));
  EXPECT_THAT(cron_refusal(" \t "), HasSubstr("must not be empty"));
  EXPECT_THAT(cron_refusal("0 0 * *"), HasSubstr("has 4 of 5 fields"));
  EXPECT_THAT(cron_refusal("0 0 * *"), HasSubstr("'day of week' is missing"));
  EXPECT_THAT(cron_refusal("0 0 0 * * MON"), HasSubstr("has 6 fields, 'MON' at character 11 is one too many"));
  EXPECT_THAT(cron_refusal("0 0 0 * * MON"), HasSubstr("there are no seconds and no year"));
  EXPECT_THAT(cron_refusal("TZ=Europe/Berlin 0 9 * * *"), HasSubstr("give it as the schedule's time zone"));
}

TEST(Cron, RefusesWhatCannotBeQuoted) {
  EXPECT_THAT(cron_refusal("0 9 * * MON\xE2\x80\x93"
                           "FRI"),
              HasSubstr("not plain ASCII at position 12"));
  EXPECT_THAT(cron_refusal("0 9 * * *\n"), HasSubstr("position 10"));
  EXPECT_THAT(cron_refusal(std::string(1'001, '*')), HasSubstr("1001 characters long; at most 1000"));
}

TEST(Cron, RefusesWhatCanNeverFire) {
  for (const char* never : {"0 0 30 2 *", "0 0 31 4,6,9,11 *", "* * 30,31 FEB *"}) {
    EXPECT_THAT(cron_refusal(never), HasSubstr("can never fire")) << never;
  }
  EXPECT_TRUE(Cron::parse("0 0 29 2 *").has_value());
  EXPECT_TRUE(Cron::parse("0 0 31 2,3 *").has_value());
  EXPECT_TRUE(Cron::parse("0 0 30 2 MON").has_value()) << "any Monday in February will do";
}

TEST(Cron, TwoRestrictedDaysMeanEither) {
  // 2026-01-01 is a Thursday.
  EXPECT_EQ(fires("0 0 13 * FRI", "UTC", "2026-01-01T12:00Z", 4),
            (Moments{"2026-01-02T00:00Z", "2026-01-09T00:00Z", "2026-01-13T00:00Z", "2026-01-16T00:00Z"}));
  EXPECT_EQ(fires("0 0 * * FRI", "UTC", "2026-01-01T12:00Z", 2), (Moments{"2026-01-02T00:00Z", "2026-01-09T00:00Z"}));
  EXPECT_EQ(fires("0 0 13 * *", "UTC", "2026-01-01T12:00Z", 2), (Moments{"2026-01-13T00:00Z", "2026-02-13T00:00Z"}));
  EXPECT_EQ(fires("0 0 1-31 * FRI", "UTC", "2026-01-01T12:00Z", 2),
            (Moments{"2026-01-02T00:00Z", "2026-01-03T00:00Z"}));
}

TEST(Cron, ASteppedStarBesideARestrictedDayIsAmbiguous) {
  EXPECT_EQ(
      cron_refusal("0 0 */2 * MON"),
      "cron '0 0 */2 * MON': day of month (field 3, character 5): '*/2' is ambiguous beside a restricted day of week, "
      "as some programs then want both to fit, and some either; write a range, as 1-31/2, for either");
  EXPECT_THAT(cron_refusal("0 0 13 * */2"), HasSubstr("day of week (field 5, character 10): '*/2' is ambiguous"));
  EXPECT_THAT(cron_refusal("0 0 */2 * */2"), HasSubstr("ambiguous"));
  EXPECT_TRUE(Cron::parse("0 0 1-31/2 * MON").has_value());
  EXPECT_TRUE(Cron::parse("0 0 */2 * *").has_value());
  EXPECT_TRUE(Cron::parse("0 0 * * */2").has_value());
}

TEST(Cron, FiresStrictlyAfterTheGivenTime) {
  EXPECT_EQ(fires("*/5 * * * *", "UTC", "2026-01-20T12:00Z", 1), Moments{"2026-01-20T12:05Z"});
  EXPECT_EQ(fires("*/5 * * * *", "UTC", "2026-01-20T11:59:59.999Z", 1), Moments{"2026-01-20T12:00Z"});
  EXPECT_EQ(fires("*/5 * * * *", "UTC", "2026-01-20T12:00:00.001Z", 1), Moments{"2026-01-20T12:05Z"});
}

TEST(Cron, FindsLeapDaysOverTheLongestGap) {
  EXPECT_EQ(fires("0 0 29 2 *", "UTC", "2090-01-01T00:00Z", 3),
            (Moments{"2092-02-29T00:00Z", "2096-02-29T00:00Z", "2104-02-29T00:00Z"}));
  const Cron leap_day = cron_of("0 0 29 2 *");
  EXPECT_EQ(test::text_of(leap_day.last_until(TimeZone::utc(), test::moment("2104-02-28T23:59Z"))),
            "2096-02-29T00:00Z");
}

TEST(Cron, EndsWithTheYearsThatCanBeWritten) {
  const Cron yearly = cron_of("@yearly");
  const TimeZone utc = TimeZone::utc();
  EXPECT_EQ(yearly.next_after(utc, test::moment("9999-01-01T00:00Z")), std::nullopt);
  EXPECT_EQ(yearly.next_after(utc, Time::max()), std::nullopt);
  EXPECT_EQ(test::text_of(yearly.next_after(utc, Time::min())), "1970-01-01T00:00Z");
  EXPECT_EQ(test::text_of(yearly.last_until(utc, Time::max())), "9999-01-01T00:00Z");
  EXPECT_EQ(test::text_of(yearly.last_until(utc, Time{})), "1970-01-01T00:00Z");
  EXPECT_EQ(yearly.last_until(utc, Time{} - 1ms), std::nullopt);
  EXPECT_EQ(yearly.last_until(utc, Time::min()), std::nullopt);
  EXPECT_EQ(cron_of("0 0 29 2 *").last_until(utc, test::moment("1972-02-28T23:59Z")), std::nullopt);
}

}  // namespace
}  // namespace semel::domain
