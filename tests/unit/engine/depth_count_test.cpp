#include "engine/depth_count.hpp"

#include <gtest/gtest.h>

#include "tests/support/manual_clock.hpp"

namespace semel::engine {
namespace {

/// A store in which counting takes its time.
class DepthCountTest : public ::testing::Test {
 protected:
  std::uint64_t read() { return count.read()->at(0).ready; }

  semel::test::ManualClock clock;
  Duration takes{0};
  std::uint64_t times = 0;
  DepthCount count{[this] {
                     clock.advance(takes);
                     QueueDepth depth;
                     depth.ready = ++times;
                     return std::vector{depth};
                   },
                   [this] { return clock.now(); }};
};

TEST_F(DepthCountTest, IsANewOneForEverybodyWhereItIsQuick) {
  takes = DepthCount::quick - 1ms;

  EXPECT_EQ(read(), 1u);
  EXPECT_EQ(read(), 2u);
}

TEST_F(DepthCountTest, AnswersForTenTimesAsLongAsItTook) {
  takes = 200ms;

  EXPECT_EQ(read(), 1u);
  clock.advance(2s - 1ms);
  EXPECT_EQ(read(), 1u);
  clock.advance(1ms);
  EXPECT_EQ(read(), 2u);
}

TEST_F(DepthCountTest, IsNeverOlderThanTenSeconds) {
  takes = 1min;

  EXPECT_EQ(read(), 1u);
  clock.advance(10s - 1ms);
  EXPECT_EQ(read(), 1u);
  clock.advance(1ms);
  EXPECT_EQ(read(), 2u);
}

TEST_F(DepthCountTest, IsANewOneAgainWhenItHasBecomeQuick) {
  takes = 200ms;
  read();
  clock.advance(2s);
  takes = 0ms;

  EXPECT_EQ(read(), 2u);
  EXPECT_EQ(read(), 3u);
}

}  // namespace
}  // namespace semel::engine
