#include "domain/schedule/schedule.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/domain/schedule_builders.hpp"

namespace semel::domain {
namespace {

using test::moment;
using test::Moments;
using test::one_off_at;
using test::schedule_of;
using test::text_of;
using test::texts_of;
using testing::HasSubstr;

const Time mid_january = moment("2026-01-20T12:00Z");

std::string schedule_refusal(const Result<void>& checked) {
  EXPECT_FALSE(checked.has_value());
  if (checked) return "";
  EXPECT_EQ(checked.error().code, ErrorCode::bad_request);
  return checked.error().message;
}

TEST(Schedule, PoliciesAreReadAsTheyAreWritten) {
  for (const Missed missed : {Missed::skip, Missed::once, Missed::catch_up}) {
    EXPECT_EQ(parse_missed(name_of(missed)), missed);
  }
  for (const Overlap overlap : {Overlap::skip, Overlap::allow, Overlap::cancel_previous}) {
    EXPECT_EQ(parse_overlap(name_of(overlap)), overlap);
  }
  EXPECT_EQ(parse_missed("Skip"), std::nullopt);
  EXPECT_EQ(parse_overlap("catch_up"), std::nullopt);
  EXPECT_EQ(static_cast<int>(Missed::catch_up), 2);  // stored
  EXPECT_EQ(static_cast<int>(Overlap::cancel_previous), 2);
}

TEST(Schedule, OneOffFiresOnce) {
  const Schedule launch = one_off_at("2026-01-20T12:00:00.250Z");

  EXPECT_EQ(texts_of(upcoming(launch, mid_january, 5)), Moments{"2026-01-20T12:00:00.250Z"});
  EXPECT_EQ(next_firing(launch, mid_january + 250ms), std::nullopt);
  EXPECT_EQ(last_firing(launch, mid_january + 249ms), std::nullopt);
  EXPECT_EQ(text_of(last_firing(launch, mid_january + 250ms)), "2026-01-20T12:00:00.250Z");
}

TEST(Schedule, FiresFromItsStartUntilBeforeItsEnd) {
  Schedule daily = schedule_of("0 12 * * *");
  daily.start = moment("2026-01-22T12:00Z");
  daily.end = moment("2026-01-25T12:00Z");

  EXPECT_EQ(texts_of(upcoming(daily, moment("2020-01-01T00:00Z"), 10)),
            (Moments{"2026-01-22T12:00Z", "2026-01-23T12:00Z", "2026-01-24T12:00Z"}));
  EXPECT_EQ(last_firing(daily, moment("2026-01-22T11:59Z")), std::nullopt);
  EXPECT_EQ(text_of(last_firing(daily, moment("2026-01-22T12:00Z"))), "2026-01-22T12:00Z");
  EXPECT_EQ(text_of(last_firing(daily, moment("2030-01-01T00:00Z"))), "2026-01-24T12:00Z");
}

TEST(Schedule, AOneOffOutsideItsBoundsNeverFires) {
  Schedule launch = one_off_at("2026-01-20T12:00Z");
  launch.end = moment("2026-01-20T12:00Z");
  EXPECT_EQ(next_firing(launch, moment("2026-01-01T00:00Z")), std::nullopt);

  launch.end.reset();
  launch.start = moment("2026-01-20T12:00:00.001Z");
  EXPECT_EQ(last_firing(launch, moment("2027-01-01T00:00Z")), std::nullopt);
}

TEST(Schedule, UpcomingIsAsManyAsAskedFor) {
  EXPECT_EQ(upcoming(schedule_of("* * * * *"), mid_january, 0).size(), 0u);
  EXPECT_EQ(upcoming(schedule_of("* * * * *"), mid_january, 100).size(), 100u);
}

TEST(Schedule, IsRefusedWhenItsSettingsAreWrong) {
  EXPECT_TRUE(check(schedule_of("@daily")).has_value());

  Schedule unnamed = schedule_of("@daily");
  unnamed.name = "every night";
  EXPECT_THAT(schedule_refusal(check(unnamed)), HasSubstr("the name of a schedule must be 1 to 100 characters"));

  Schedule reversed = schedule_of("@daily");
  reversed.start = reversed.end = mid_january;
  EXPECT_EQ(schedule_refusal(check(reversed)),
            "end is 2026-01-20T12:00:00.000Z, not after start, which is 2026-01-20T12:00:00.000Z");

  for (const int max : {0, -1, limits::catch_up_max + 1}) {
    Schedule greedy = schedule_of("@daily");
    greedy.catch_up_max = max;
    EXPECT_THAT(schedule_refusal(check(greedy)), HasSubstr("catch_up must be 1 to 1000 firings")) << max;
  }
}

TEST(Schedule, IsRefusedWhenNewAndNothingIsLeftToFire) {
  EXPECT_TRUE(check_new(schedule_of("@daily"), mid_january).has_value());
  EXPECT_TRUE(check_new(one_off_at("2026-01-20T12:00:00.001Z"), mid_january).has_value());
  EXPECT_EQ(
      schedule_refusal(check_new(one_off_at("2026-01-20T12:00Z"), mid_january)),
      "at is 2026-01-20T12:00:00.000Z, and it is 2026-01-20T12:00:00.000Z already: the schedule would never fire");

  Schedule ended = schedule_of("@daily");
  ended.end = moment("2026-01-20T23:59Z");
  EXPECT_EQ(schedule_refusal(check_new(ended, mid_january)),
            "nothing is left to fire between 2026-01-20T12:00:00.000Z and 2026-01-20T23:59:00.000Z: the schedule would "
            "never fire");
}

TEST(Schedule, IsAValue) {
  EXPECT_EQ(schedule_of("@daily", "Europe/Berlin"), schedule_of("@daily", "Europe/Berlin"));
  EXPECT_NE(schedule_of("@daily", "Europe/Berlin"), schedule_of("@daily", "Europe/Paris"));
  EXPECT_NE(schedule_of("@daily"), schedule_of("@hourly"));
}

}  // namespace
}  // namespace semel::domain
