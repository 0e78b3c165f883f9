#include "domain/schedule/firing.hpp"

#include <gtest/gtest.h>

#include "tests/unit/domain/schedule_builders.hpp"

namespace semel::domain {
namespace {

using test::moment;
using test::Moments;
using test::schedule_of;
using test::text_of;
using test::texts_of;

Schedule hourly(Missed missed, int catch_up_max = 10) {
  Schedule schedule = schedule_of("0 * * * *");
  schedule.missed = missed;
  schedule.catch_up_max = catch_up_max;
  return schedule;
}

Firings due_of(const Schedule& schedule, std::string_view last, std::string_view now) {
  return due(schedule, moment(last), moment(now));
}

constexpr std::array every_missed{Missed::skip, Missed::once, Missed::catch_up};

TEST(Due, OneFiringInTimeIsFiredUnderEveryPolicy) {
  for (const Missed missed : every_missed) {
    const Firings now = due_of(hourly(missed), "2026-01-20T11:00Z", "2026-01-20T12:00:00.005Z");

    EXPECT_EQ(texts_of(now.due), Moments{"2026-01-20T12:00Z"});
    EXPECT_FALSE(now.dropped);
    EXPECT_EQ(text_of(now.handled), "2026-01-20T12:00Z");
    EXPECT_EQ(text_of(now.next), "2026-01-20T13:00Z");
  }
}

TEST(Due, NothingIsFiredBeforeItsTime) {
  for (const Missed missed : every_missed) {
    const Firings now = due_of(hourly(missed), "2026-01-20T11:00Z", "2026-01-20T11:59:59.999Z");

    EXPECT_EQ(now, (Firings{{}, false, moment("2026-01-20T11:00Z"), moment("2026-01-20T12:00Z")}));
  }
}

TEST(Due, NothingIsFiredTwice) {
  for (const Missed missed : every_missed) {
    const Firings first = due_of(hourly(missed), "2026-01-20T09:30Z", "2026-01-20T12:00Z");
    const Firings again = due(hourly(missed), first.handled, moment("2026-01-20T12:00:00.001Z"));

    EXPECT_FALSE(first.due.empty());
    EXPECT_EQ(again, (Firings{{}, false, moment("2026-01-20T12:00Z"), moment("2026-01-20T13:00Z")}));
  }
}

TEST(Due, AClockThatGoesBackFiresNothingAgain) {
  for (const Missed missed : every_missed) {
    for (const char* now : {"2026-01-20T11:59:59.999Z", "2026-01-20T10:00Z", "2020-01-01T00:00Z"}) {
      EXPECT_EQ(due_of(hourly(missed), "2026-01-20T12:00Z", now),
                (Firings{{}, false, moment("2026-01-20T12:00Z"), moment("2026-01-20T13:00Z")}))
          << now;
    }
  }
}

TEST(Due, WhatWasBeforeTheScheduleWasMadeIsNotMissed) {
  for (const Missed missed : every_missed) {
    const Firings now = due_of(hourly(missed), "2026-01-20T12:00:00.001Z", "2026-01-20T12:00:01Z");

    EXPECT_EQ(now, (Firings{{}, false, moment("2026-01-20T12:00:00.001Z"), moment("2026-01-20T13:00Z")}));
  }
}

TEST(Missed, SkipFiresWhatIsAtMostAMinuteLate) {
  const Firings in_grace = due_of(hourly(Missed::skip), "2026-01-20T09:30Z", "2026-01-20T12:01Z");
  EXPECT_EQ(texts_of(in_grace.due), Moments{"2026-01-20T12:00Z"});
  EXPECT_TRUE(in_grace.dropped) << "10:00 and 11:00";

  const Firings too_late = due_of(hourly(Missed::skip), "2026-01-20T11:30Z", "2026-01-20T12:01:00.001Z");
  EXPECT_EQ(too_late, (Firings{{}, true, moment("2026-01-20T12:00Z"), moment("2026-01-20T13:00Z")}));
}

TEST(Missed, OnceFiresTheLatestHoweverLate) {
  const Firings now = due_of(hourly(Missed::once), "2026-01-20T08:30Z", "2026-01-20T12:59Z");
  EXPECT_EQ(now,
            (Firings{{moment("2026-01-20T12:00Z")}, true, moment("2026-01-20T12:00Z"), moment("2026-01-20T13:00Z")}));

  const Firings only_one = due_of(hourly(Missed::once), "2026-01-20T11:30Z", "2026-01-20T12:59Z");
  EXPECT_FALSE(only_one.dropped);
}

TEST(Missed, CatchUpFiresTheLatestInTheirOrder) {
  const Firings some = due_of(hourly(Missed::catch_up, 3), "2026-01-20T07:30Z", "2026-01-20T12:30Z");
  EXPECT_EQ(texts_of(some.due), (Moments{"2026-01-20T10:00Z", "2026-01-20T11:00Z", "2026-01-20T12:00Z"}));
  EXPECT_TRUE(some.dropped);

  const Firings all = due_of(hourly(Missed::catch_up, 3), "2026-01-20T09:30Z", "2026-01-20T12:30Z");
  EXPECT_EQ(texts_of(all.due), texts_of(some.due));
  EXPECT_FALSE(all.dropped);
}

TEST(Missed, TenYearsOfMinutesAreNoWork) {
  Schedule every_minute = schedule_of("* * * * *", "Europe/Berlin");
  every_minute.missed = Missed::catch_up;
  every_minute.catch_up_max = limits::catch_up_max;
  const Time now = moment("2026-01-20T12:00:30Z");

  const Firings caught_up = due(every_minute, now - 3'652 * 24h, now);

  ASSERT_EQ(caught_up.due.size(), 1'000u);
  EXPECT_EQ(text_of(caught_up.due.front()), "2026-01-19T19:21Z");
  EXPECT_EQ(text_of(caught_up.due.back()), "2026-01-20T12:00Z");
  EXPECT_TRUE(caught_up.dropped);
}

TEST(Missed, AppliesToOneOffs) {
  Schedule launch = test::one_off_at("2026-01-20T12:00Z");
  const Firings late = due_of(launch, "2026-01-19T00:00Z", "2026-02-01T00:00Z");
  EXPECT_EQ(late, (Firings{{moment("2026-01-20T12:00Z")}, false, moment("2026-01-20T12:00Z"), std::nullopt}));
  EXPECT_EQ(due(launch, late.handled, moment("2026-02-01T00:00Z")).due.size(), 0u);

  launch.missed = Missed::skip;
  const Firings skipped = due_of(launch, "2026-01-19T00:00Z", "2026-02-01T00:00Z");
  EXPECT_EQ(skipped, (Firings{{}, true, moment("2026-01-20T12:00Z"), std::nullopt}));
}

TEST(Due, StaysWithinTheBoundsAlsoWhenLate) {
  Schedule bounded = hourly(Missed::catch_up);
  bounded.start = moment("2026-01-20T10:00Z");
  bounded.end = moment("2026-01-20T12:00Z");

  const Firings late = due_of(bounded, "2026-01-01T00:00Z", "2026-01-21T00:00Z");

  EXPECT_EQ(texts_of(late.due), (Moments{"2026-01-20T10:00Z", "2026-01-20T11:00Z"}));
  EXPECT_FALSE(late.dropped);
  EXPECT_EQ(late.next, std::nullopt);
  EXPECT_EQ(text_of(due_of(bounded, "2026-01-01T00:00Z", "2026-01-02T00:00Z").next), "2026-01-20T10:00Z");
}

TEST(Overlap, MattersOnlyWhileTheLastTaskIsOpen) {
  for (const Overlap overlap : {Overlap::skip, Overlap::allow, Overlap::cancel_previous}) {
    EXPECT_EQ(action_on(overlap, false), FiringAction::submit) << name_of(overlap);
  }
  EXPECT_EQ(action_on(Overlap::skip, true), FiringAction::skip);
  EXPECT_EQ(action_on(Overlap::allow, true), FiringAction::submit);
  EXPECT_EQ(action_on(Overlap::cancel_previous, true), FiringAction::cancel_previous);
}

/// "submit skip skip"
std::string planned_actions(Overlap overlap, bool previous_is_open, int count = 3) {
  std::vector<Time> firings;
  for (int i = 0; i < count; ++i) firings.push_back(moment("2026-01-20T12:00Z") + i * 1h);
  std::string text;
  for (const PlannedFiring& planned : plan_firings(firings, overlap, previous_is_open)) {
    static constexpr std::array<std::string_view, 3> words{"submit ", "skip ", "cancel_previous "};
    text += words[static_cast<std::size_t>(planned.action)];
  }
  return text;
}

TEST(Overlap, OfFiringsThatAreDueTogether) {
  EXPECT_EQ(planned_actions(Overlap::allow, false), "submit submit submit ");
  EXPECT_EQ(planned_actions(Overlap::allow, true), "submit submit submit ");
  EXPECT_EQ(planned_actions(Overlap::skip, false), "submit skip skip ");
  EXPECT_EQ(planned_actions(Overlap::skip, true), "skip skip skip ");
  EXPECT_EQ(planned_actions(Overlap::cancel_previous, false), "skip skip submit ");
  EXPECT_EQ(planned_actions(Overlap::cancel_previous, true), "skip skip cancel_previous ");
  EXPECT_EQ(planned_actions(Overlap::cancel_previous, true, 1), "cancel_previous ");
  EXPECT_EQ(planned_actions(Overlap::skip, true, 0), "");
}

TEST(Overlap, PlansKeepTheNominalTimes) {
  const std::vector<Time> firings{moment("2026-01-20T12:00Z"), moment("2026-01-20T13:00Z")};
  const std::vector<PlannedFiring> expected{{firings[0], FiringAction::submit}, {firings[1], FiringAction::skip}};
  EXPECT_EQ(plan_firings(firings, Overlap::skip, false), expected);
}

TEST(FiringKey, IsTheScheduleAndTheNominalTime) {
  const Time nominal = moment("2026-01-20T12:30Z");
  EXPECT_EQ(firing_key(test::nightly_id, nominal),
            "schedule:019bddae-b818-7d82-b7c5-bd42e5db27fc:2026-01-20T12:30:00.000Z");
  EXPECT_NE(firing_key(test::nightly_id, nominal), firing_key(test::nightly_id, nominal + 1ms));
  EXPECT_NE(firing_key(test::nightly_id, nominal), firing_key(ScheduleId{}, nominal));
}

TEST(FiringKey, TellsTheTwoFiringsOfARepeatedHourApart) {
  const std::vector<Time> times = upcoming(schedule_of("30 * * * *", "Europe/Berlin"), moment("2026-10-25T00:00Z"), 2);
  EXPECT_EQ(times[1] - times[0], 1h);  // 2:30 and 2:30
  EXPECT_NE(firing_key(test::nightly_id, times[0]), firing_key(test::nightly_id, times[1]));
}

}  // namespace
}  // namespace semel::domain
