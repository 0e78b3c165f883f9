#include "connected/failure.hpp"

#include <gtest/gtest.h>

namespace semel::connected {
namespace {

TEST(FailureParts, AreTheFieldsOfAnError) {
  const FailureParts parts = parts_of(R"({"type":"declined","message":"no \"credit\"","details":{"code":51}})");

  EXPECT_EQ(parts.type, "declined");
  EXPECT_EQ(parts.message, "no \"credit\"");
  EXPECT_EQ(parts.details, R"({"code":51})");
}

TEST(FailureParts, NeedNoDetails) {
  const FailureParts parts = parts_of(R"({"type":"declined","message":""})");

  EXPECT_EQ(parts.type, "declined");
  EXPECT_EQ(parts.details, std::nullopt);
}

TEST(FailureParts, KeepWholeWhatHasOtherMembers) {
  const std::string error = R"({"type":"HISTORY_TOO_LONG","events":50000})";
  const FailureParts parts = parts_of(error);

  EXPECT_EQ(parts.type, "HISTORY_TOO_LONG");
  EXPECT_EQ(parts.details, error);
}

TEST(FailureParts, KeepWholeWhatIsNoObject) {
  for (const std::string error : {"7", "\"no\"", "[1]", "{}", R"({"message":"no type"})", R"({"type":1})"}) {
    const FailureParts parts = parts_of(error);

    EXPECT_EQ(parts.type, "error");
    EXPECT_EQ(parts.details, error);
  }
}

}  // namespace
}  // namespace semel::connected
