#include "domain/schedule/nearest_name.hpp"

#include <gtest/gtest.h>

namespace semel::domain {
namespace {

const std::vector<std::string> zones{"America/New_York", "Asia/Tokyo",    "Australia/West", "EET", "EST",
                                     "Etc/UTC",          "Europe/Berlin", "Europe/Bern",    "UTC"};

TEST(NearestName, IsTheSameInAnotherCase) {
  EXPECT_EQ(nearest_name("EUROPE/BERLIN", zones), "Europe/Berlin");
  EXPECT_EQ(nearest_name("est", zones), "EST");
  EXPECT_EQ(nearest_name("america/new york", zones), "America/New_York");
}

TEST(NearestName, TakesTheFewestChanges) {
  EXPECT_EQ(nearest_name("Europe/Berln", zones), "Europe/Berlin");
  EXPECT_EQ(nearest_name("Europe/Bernn", zones), "Europe/Bern");
  EXPECT_EQ(nearest_name("Asia/Tokio", zones), "Asia/Tokyo");
}

TEST(NearestName, MayBeACityAlone) {
  EXPECT_EQ(nearest_name("berlin", zones), "Europe/Berlin");
  EXPECT_EQ(nearest_name("New York", zones), "America/New_York");
  EXPECT_EQ(nearest_name("Tokio", zones), "Asia/Tokyo");
}

TEST(NearestName, IsNoGuess) {
  EXPECT_EQ(nearest_name("EDT", zones), std::nullopt) << "neither EET nor EST is meant";
  EXPECT_EQ(nearest_name("CEST", zones), std::nullopt) << "nor is Australia/West";
  EXPECT_EQ(nearest_name("Mars/Olympus_Mons", zones), std::nullopt);
  EXPECT_EQ(nearest_name("", zones), std::nullopt);
  EXPECT_EQ(nearest_name("berlin", {}), std::nullopt);
}

}  // namespace
}  // namespace semel::domain
