#include "engine/activity.hpp"

#include <gtest/gtest.h>

namespace semel::engine {
namespace {

const Time noon = *parse_rfc3339("2026-01-20T12:00:30Z");

Change change_to(domain::State state, bool is_new = false, std::string tenant = "acme") {
  Change change;
  change.tenant = std::move(tenant);
  change.state = state;
  change.is_new = is_new;
  return change;
}

TEST(Activity, CountsWhatExecutionsCameToByMinutes) {
  Activity activity;
  activity.changed(noon - 1min, {change_to(domain::State::pending, true)});
  activity.changed(noon, {change_to(domain::State::running), change_to(domain::State::pending),
                          change_to(domain::State::completed), change_to(domain::State::failed),
                          change_to(domain::State::timed_out), change_to(domain::State::cancelled)});

  const std::vector<Activity::Point> points = activity.read("acme", noon, 1min, 3);

  ASSERT_EQ(points.size(), 3u);
  EXPECT_EQ(to_rfc3339(points[2].at), "2026-01-20T12:00:00.000Z");
  EXPECT_EQ(points[0].counts, ActivityCounts{});
  EXPECT_EQ(points[1].counts, (ActivityCounts{.created = 1}));
  EXPECT_EQ(points[2].counts,
            (ActivityCounts{.completed = 1, .failed = 1, .timed_out = 1, .cancelled = 1, .retried = 1, .leased = 1}));
}

TEST(Activity, ARunThatWaitsForItsTasksIsNoChange) {
  Activity activity;
  activity.changed(noon, {change_to(domain::State::suspended)});

  EXPECT_EQ(activity.read("acme", noon, 1min, 1)[0].counts, ActivityCounts{});
}

TEST(Activity, IsOfOneTenantOnly) {
  Activity activity;
  activity.changed(noon, {change_to(domain::State::completed), change_to(domain::State::completed, false, "other"),
                          change_to(domain::State::completed)});
  activity.duplicate(noon, "other");

  EXPECT_EQ(activity.read("acme", noon, 1min, 1)[0].counts, (ActivityCounts{.completed = 2}));
  EXPECT_EQ(activity.read("other", noon, 1min, 1)[0].counts, (ActivityCounts{.completed = 1, .duplicates = 1}));
  EXPECT_EQ(activity.read("nobody", noon, 1min, 1)[0].counts, ActivityCounts{});
}

TEST(Activity, GathersMinutesIntoLongerStretches) {
  Activity activity;
  for (int minute = 0; minute < 25; ++minute) activity.duplicate(noon - minute * 1min, "acme");

  const std::vector<Activity::Point> points = activity.read("acme", noon, 10min, 3);

  ASSERT_EQ(points.size(), 3u);
  EXPECT_EQ(to_rfc3339(points[0].at), "2026-01-20T11:40:00.000Z");
  EXPECT_EQ(points[0].counts.duplicates, 10u);
  EXPECT_EQ(points[1].counts.duplicates, 10u);
  EXPECT_EQ(points[2].counts.duplicates, 1u) << "the stretch that has just begun";
}

TEST(Activity, ForgetsWhatIsOlderThanADay) {
  Activity activity;
  activity.duplicate(noon - 24h - 2min, "acme");
  activity.duplicate(noon - 23h, "acme");
  activity.duplicate(noon, "acme");

  std::uint64_t all = 0;
  for (const Activity::Point& point : activity.read("acme", noon, 1min, 2'000)) all += point.counts.duplicates;

  EXPECT_EQ(all, 2u);
}

TEST(Activity, ATimeThatComesLateIsCountedWhereItBelongs) {
  Activity activity;
  activity.duplicate(noon, "acme");
  activity.duplicate(noon - 1min, "acme");

  const std::vector<Activity::Point> points = activity.read("acme", noon, 1min, 2);

  EXPECT_EQ(points[0].counts.duplicates, 1u);
  EXPECT_EQ(points[1].counts.duplicates, 1u);
}

TEST(Activity, TellsHowLongCommitsTookWithinAFifth) {
  Activity activity;
  EXPECT_FALSE(activity.commit_times(noon - 1h));
  activity.committed(noon - 2h, Activity::Seconds(60));
  for (int i = 0; i < 98; ++i) activity.committed(noon, Activity::Seconds(0.002));
  for (int i = 0; i < 2; ++i) activity.committed(noon, Activity::Seconds(0.5));

  const auto times = activity.commit_times(noon - 1h);

  ASSERT_TRUE(times);
  EXPECT_NEAR(times->p50, 2, 0.4);
  EXPECT_NEAR(times->p99, 500, 100);
}

TEST(Activity, TakesAnyTimeThatACommitMayTake) {
  Activity activity;
  activity.committed(noon, Activity::Seconds(0));
  EXPECT_LT(activity.commit_times(noon)->p50, 0.02);

  for (int i = 0; i < 10; ++i) activity.committed(noon, Activity::Seconds(1e9));
  EXPECT_GT(activity.commit_times(noon)->p50, 60'000);
}

}  // namespace
}  // namespace semel::engine
