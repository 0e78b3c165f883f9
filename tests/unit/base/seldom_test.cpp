#include "base/seldom.hpp"

#include <gtest/gtest.h>

namespace semel {
namespace {

using namespace std::chrono_literals;

TEST(Seldom, LetsOneLineThroughASecondAndCountsTheOthers) {
  const Seldom::Moment start{1h};
  Seldom lines;

  EXPECT_EQ(lines.next(start), 1u);
  EXPECT_EQ(lines.next(start + 1ms), 0u);
  EXPECT_EQ(lines.next(start + 999ms), 0u);
  EXPECT_EQ(lines.next(start + 1s), 3u) << "the two that were held back, and itself";
  EXPECT_EQ(lines.next(start + 1500ms), 0u);
  EXPECT_EQ(lines.next(start + 1min), 2u);
}

}  // namespace
}  // namespace semel
