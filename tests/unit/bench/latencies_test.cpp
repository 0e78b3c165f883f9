#include "bench/latencies.hpp"

#include <gtest/gtest.h>

namespace semel::bench {
namespace {

using namespace std::chrono_literals;

TEST(Latencies, AreRankedWhateverTheirOrder) {
  Latencies latencies;
  for (const auto taken : {4ms, 1ms, 5ms, 2ms, 3ms}) latencies.add(taken);

  EXPECT_DOUBLE_EQ(latencies.percentile_ms(0), 1);
  EXPECT_DOUBLE_EQ(latencies.percentile_ms(0.5), 3);
  EXPECT_DOUBLE_EQ(latencies.percentile_ms(0.99), 4);
  EXPECT_DOUBLE_EQ(latencies.percentile_ms(1), 5);
}

TEST(Latencies, KeepPartsOfAMicrosecond) {
  Latencies latencies;
  latencies.add(1'500ns);
  latencies.add(500ns);

  EXPECT_DOUBLE_EQ(latencies.percentile_ms(1), 0.0015);
  EXPECT_DOUBLE_EQ(latencies.total_seconds(), 2e-6);
}

TEST(Latencies, AreZeroWhenThereAreNone) {
  Latencies latencies;

  EXPECT_EQ(latencies.count(), 0u);
  EXPECT_DOUBLE_EQ(latencies.percentile_ms(0.5), 0);
  EXPECT_DOUBLE_EQ(latencies.total_seconds(), 0);
}

}  // namespace
}  // namespace semel::bench
