#include "bench/push_baseline.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

#include "bench/push_target.hpp"

namespace semel::bench {
namespace {

TEST(PushBaseline, CountsWhatTheTargetHasAnswered) {
  PushTarget target;

  const double per_s = bare_push_per_s(target.url(), 4, R"({"n":1})", 20ms);

  EXPECT_GT(per_s, 0);
  EXPECT_GE(target.requests(), 4U);
}

TEST(PushBaseline, IsNoneWithoutATarget) {
  EXPECT_THROW(bare_push_per_s("http://127.0.0.1:1/", 1, "{}", 20ms), std::runtime_error);
}

}  // namespace
}  // namespace semel::bench
