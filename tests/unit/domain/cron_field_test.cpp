#include "domain/schedule/cron_field.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace semel::domain {
namespace {

using testing::HasSubstr;
using Values = std::vector<int>;
using Form = CronValues::Form;

Values values_in(CronField field, std::string_view text) {
  const Result<CronValues> parsed = parse_cron_field(field, text);
  EXPECT_TRUE(parsed.has_value()) << text << ": " << (parsed ? "" : parsed.error().message);
  Values values;
  for (int i = 0; parsed && i < 64; ++i) {
    if (((parsed->bits >> i) & 1) != 0) values.push_back(i);
  }
  return values;
}

Values from_to(int first, int last) {
  Values values;
  for (int i = first; i <= last; ++i) values.push_back(i);
  return values;
}

Form form_of(CronField field, std::string_view text) { return parse_cron_field(field, text).value().form; }

std::string field_refusal(CronField field, std::string_view text) {
  const Result<CronValues> parsed = parse_cron_field(field, text, 10);
  EXPECT_FALSE(parsed.has_value()) << text;
  return parsed ? "" : parsed.error().message;
}

TEST(CronField, AStarNamesEveryValue) {
  EXPECT_EQ(values_in(CronField::minute, "*"), from_to(0, 59));
  EXPECT_EQ(values_in(CronField::hour, "*"), from_to(0, 23));
  EXPECT_EQ(values_in(CronField::day_of_month, "*"), from_to(1, 31));
  EXPECT_EQ(values_in(CronField::month, "*"), from_to(1, 12));
  EXPECT_EQ(values_in(CronField::day_of_week, "*"), from_to(0, 6));
}

TEST(CronField, IsAListOfValuesAndRanges) {
  EXPECT_EQ(values_in(CronField::minute, "7"), (Values{7}));
  EXPECT_EQ(values_in(CronField::minute, "07"), (Values{7}));
  EXPECT_EQ(values_in(CronField::minute, "59,0,30,30"), (Values{0, 30, 59}));
  EXPECT_EQ(values_in(CronField::hour, "9-11,13-13,23"), (Values{9, 10, 11, 13, 23}));
}

TEST(CronField, StepsCountFromTheBeginningOfTheirRange) {
  EXPECT_EQ(values_in(CronField::minute, "*/15"), (Values{0, 15, 30, 45}));
  EXPECT_EQ(values_in(CronField::minute, "*/59"), (Values{0, 59}));
  EXPECT_EQ(values_in(CronField::minute, "10-40/10"), (Values{10, 20, 30, 40}));
  EXPECT_EQ(values_in(CronField::minute, "10-39/10"), (Values{10, 20, 30}));
  EXPECT_EQ(values_in(CronField::day_of_month, "*/10"), (Values{1, 11, 21, 31}));
  EXPECT_EQ(values_in(CronField::minute, "*/20,5"), (Values{0, 5, 20, 40}));
}

TEST(CronField, AStepAfterOneValueGoesToTheEnd) {
  EXPECT_EQ(values_in(CronField::hour, "7/3"), (Values{7, 10, 13, 16, 19, 22}));
  EXPECT_EQ(values_in(CronField::month, "OCT/1"), (Values{10, 11, 12}));
  EXPECT_EQ(values_in(CronField::day_of_week, "5/1"), (Values{5, 6}));
}

TEST(CronField, HasNamesInUpperOrLowerCase) {
  EXPECT_EQ(values_in(CronField::month, "JAN,jun,Dec"), (Values{1, 6, 12}));
  EXPECT_EQ(values_in(CronField::day_of_week, "mon-FRI"), from_to(1, 5));
  EXPECT_EQ(values_in(CronField::day_of_week, "SUN,Wed,sat"), (Values{0, 3, 6}));
}

TEST(CronField, SundayIsZeroAndSeven) {
  for (const char* sunday : {"0", "7", "SUN", "0,7", "7-7"}) {
    EXPECT_EQ(values_in(CronField::day_of_week, sunday), (Values{0})) << sunday;
  }
  EXPECT_EQ(values_in(CronField::day_of_week, "5-7"), (Values{0, 5, 6}));
  EXPECT_EQ(values_in(CronField::day_of_week, "7-2"), (Values{0, 1, 2}));
  EXPECT_EQ(values_in(CronField::day_of_week, "0-7"), from_to(0, 6));
  EXPECT_EQ(values_in(CronField::day_of_week, "7/3"), values_in(CronField::day_of_week, "0/3"));
}

TEST(CronField, RangesOfDaysAndMonthsGoRoundTheEnd) {
  EXPECT_EQ(values_in(CronField::day_of_week, "FRI-MON"), (Values{0, 1, 5, 6}));
  EXPECT_EQ(values_in(CronField::day_of_week, "FRI-SUN"), (Values{0, 5, 6}));
  EXPECT_EQ(values_in(CronField::day_of_week, "MON-SUN"), from_to(0, 6));
  EXPECT_EQ(values_in(CronField::day_of_week, "6-1"), (Values{0, 1, 6}));
  EXPECT_EQ(values_in(CronField::day_of_week, "FRI-MON/2"), (Values{0, 5}));
  EXPECT_EQ(values_in(CronField::month, "NOV-FEB"), (Values{1, 2, 11, 12}));
  EXPECT_EQ(values_in(CronField::month, "12-1"), (Values{1, 12}));
}

TEST(CronField, OtherRangesDoNotAndAreToldHowToBeWritten) {
  EXPECT_THAT(field_refusal(CronField::hour, "22-2"), HasSubstr("write 22-23,0-2"));
  EXPECT_THAT(field_refusal(CronField::minute, "50-10"), HasSubstr("write 50-59,0-10"));
  EXPECT_THAT(field_refusal(CronField::day_of_month, "25-5"), HasSubstr("write 25-31,1-5"));
}

TEST(CronField, TellsHowItWasWritten) {
  EXPECT_EQ(form_of(CronField::day_of_month, "*"), Form::every);
  EXPECT_EQ(form_of(CronField::day_of_month, "*/1"), Form::every);
  EXPECT_EQ(form_of(CronField::day_of_month, "*/2"), Form::stepped);
  EXPECT_EQ(form_of(CronField::day_of_month, "5,*/10"), Form::stepped);
  EXPECT_EQ(form_of(CronField::day_of_month, "*/10,5"), Form::stepped);
  EXPECT_EQ(form_of(CronField::day_of_month, "1-31"), Form::listed);
  EXPECT_EQ(form_of(CronField::day_of_month, "1-31/2"), Form::listed);
}

TEST(CronField, ARefusalNamesTheFieldTheCharacterAndTheReason) {
  struct Case {
    CronField field;
    std::string_view text;
    std::string_view refusal;
  };
  const std::vector<Case> cases{
      {CronField::minute, "60", "minute (field 1, character 10): 60 is above 59"},
      {CronField::minute, "5,99999999999", "minute (field 1, character 12): 99999999999 is above 59"},
      {CronField::hour, "24", "hour (field 2, character 10): 24 is above 23"},
      {CronField::day_of_month, "0", "day of month (field 3, character 10): 0 is below 1"},
      {CronField::day_of_month, "1-32", "day of month (field 3, character 12): 32 is above 31"},
      {CronField::month, "0", "month (field 4, character 10): 0 is below 1"},
      {CronField::day_of_week, "8", "day of week (field 5, character 10): 8 is above 7"},
      {CronField::month, "JUNE", "month (field 4, character 10): 'JUNE' is not one of 1-12 or JAN-DEC"},
      {CronField::minute, "jul", "minute (field 1, character 10): 'JUL' is not one of 0-59"},
      {CronField::minute, "", "minute (field 1, character 10): a value of 0-59 is missing"},
      {CronField::minute, "1,", "minute (field 1, character 12): a value of 0-59 is missing"},
      {CronField::minute, "1-", "minute (field 1, character 12): a value of 0-59 is missing"},
      {CronField::minute, "-5", "minute (field 1, character 10): '-' is not expected here: a field is made of 0-59"},
      {CronField::minute, "1-2-3", "minute (field 1, character 13): '-' is not expected here"},
      {CronField::minute, "**", "minute (field 1, character 11): '*' is not expected here"},
      {CronField::minute, "1.5", "minute (field 1, character 11): '.' is not expected here"},
      {CronField::minute, "*/0", "minute (field 1, character 12): the step must not be 0"},
      {CronField::minute, "*/", "minute (field 1, character 12): a number of 1 to 59 must follow '/'"},
      {CronField::minute, "*/x", "minute (field 1, character 12): a number of 1 to 59 must follow '/'"},
      {CronField::minute, "*/60",
       "minute (field 1, character 12): the step 60 is too long for the 60 values of a minute"},
      {CronField::day_of_week, "*/7", "day of week (field 5, character 12): the step 7 is too long"},
      {CronField::minute, "*,5", "minute (field 1, character 10): '*' already names every minute"},
      {CronField::minute, "5,*", "minute (field 1, character 12): '*' already names every minute"},
  };

  for (const Case& each : cases) {
    EXPECT_THAT(field_refusal(each.field, each.text), HasSubstr(std::string(each.refusal))) << each.text;
  }
}

TEST(CronField, TheDialectsOfOtherProgramsAreRefusedByName) {
  for (const char* last : {"L", "LW", "l", "L-3", "5L"}) {
    EXPECT_THAT(field_refusal(CronField::day_of_month, last), HasSubstr("character 10): 'L' (the last)")) << last;
  }
  EXPECT_THAT(field_refusal(CronField::day_of_week, "FRIL"), HasSubstr("'L' (the last)"));
  EXPECT_THAT(field_refusal(CronField::day_of_month, "15W"), HasSubstr("'W' (the nearest weekday)"));
  EXPECT_THAT(field_refusal(CronField::day_of_week, "5#2"),
              HasSubstr("character 11): '#' (the nth weekday of a month)"));
  EXPECT_THAT(field_refusal(CronField::day_of_month, "?"), HasSubstr("'?' is not supported: write *"));
  EXPECT_THAT(field_refusal(CronField::minute, "H/15"), HasSubstr("'H' (a time chosen by a hash)"));
}

}  // namespace
}  // namespace semel::domain
