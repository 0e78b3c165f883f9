#include "base/forward_time.hpp"

#include <gtest/gtest.h>

namespace semel {
namespace {

constexpr Time noon = Time{Duration{1768910400000}};

TEST(ForwardTime, FollowsTheClock) {
  const ForwardTime time;

  EXPECT_EQ(time.at(noon, 1s), noon);
  EXPECT_EQ(time.at(noon + 1h, 2s), noon + 1h) << "a jump forward too";
}

TEST(ForwardTime, GoesOnAtHalfSpeedWhileTheClockIsBehind) {
  const ForwardTime time;
  time.at(noon, 0s);

  EXPECT_EQ(time.at(noon - 1h, 10s), noon) << "the clock has been set back";
  EXPECT_EQ(time.at(noon - 1h + 2s, 12s), noon + 1s);
  EXPECT_EQ(time.at(noon - 1h + 20s, 30s), noon + 10s);
}

TEST(ForwardTime, FollowsTheClockAgainOnceItHasCaughtUp) {
  const ForwardTime time;
  time.at(noon, 0s);
  time.at(noon - 1min, 10s);

  EXPECT_EQ(time.at(noon - 30s, 40s), noon + 15s);
  EXPECT_EQ(time.at(noon + 14s, 84s), noon + 37s) << "it is behind what was told";
  EXPECT_EQ(time.at(noon + 60s, 130s), noon + 60s);
  EXPECT_EQ(time.at(noon + 10min, 671s), noon + 10min);
}

TEST(ForwardTime, DoesNotCountTheTimeBetweenTwoSettings) {
  const ForwardTime time;
  time.at(noon, 0s);
  time.at(noon - 1s, 1s);
  time.at(noon + 1h, 3602s);

  EXPECT_EQ(time.at(noon, 3603s), noon + 1h);
  EXPECT_EQ(time.at(noon + 2s, 3605s), noon + 1h + 1s);
}

TEST(ForwardTime, IsNeverBeforeWhatWasKept) {
  ForwardTime time;
  time.not_before(noon);
  time.not_before(noon - 1h);

  EXPECT_EQ(time.last(), noon);
  EXPECT_EQ(time.at(noon - 30min, 5s), noon);
  EXPECT_EQ(time.at(noon - 30min + 2s, 7s), noon + 1s);
}

}  // namespace
}  // namespace semel
