#include "base/nearest.hpp"

#include <gtest/gtest.h>

#include <array>
#include <string>

namespace semel {
namespace {

constexpr std::array<std::string_view, 6> names{"listen", "listed", "store", "wait_ms", "time_zone", "max"};

TEST(Nearest, TakesTheFewestChanges) {
  EXPECT_EQ(nearest("listn", names), "listen");
  EXPECT_EQ(nearest("lited", names), "listed");
  EXPECT_EQ(nearest("stroe", names), "store") << "two swapped letters are a slip";
}

TEST(Nearest, TakesAWholeWordForTheName) {
  EXPECT_EQ(nearest("wait", names), "wait_ms");
  EXPECT_EQ(nearest("zone", names), "time_zone");
  EXPECT_EQ(nearest("store_seconds", names), "store");
}

TEST(Nearest, IsNoGuess) {
  EXPECT_EQ(nearest("port", names), std::nullopt);
  EXPECT_EQ(nearest("x", names), std::nullopt);
  EXPECT_EQ(nearest("", names), std::nullopt);
  EXPECT_EQ(nearest("c", std::array<std::string_view, 1>{"a"}), std::nullopt) << "nothing of it is left";
  EXPECT_EQ(nearest("listen", {}), std::nullopt);
  EXPECT_EQ(nearest(std::string(100'000, 'l'), names), std::nullopt);
}

}  // namespace
}  // namespace semel
