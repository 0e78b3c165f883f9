#include "domain/dispatch_id.hpp"

#include <gtest/gtest.h>

namespace semel::domain {
namespace {

TEST(DispatchId, GivesTheVectorOfTheDesign) {
  const DispatchIds ids = dispatch_ids("run1", "extract", 1);

  EXPECT_EQ(ids.internal, "dispatch:run1:extract:1");
  EXPECT_EQ(ids.external, "d_cxtoltqhbncw6nevn7hy53kqn6");
}

TEST(DispatchId, HashesTheTimersOfTheDesignToTheirExternalIds) {
  EXPECT_EQ(external_id("t_", "timer:retry:run1:extract:1:1705340400"), "t_hlljqq57362d4n3x2kett7jrqf");
  EXPECT_EQ(external_id("t_", "timer:heartbeat:run1:extract:1705340400"), "t_mhcbqnhrzrwdo7tcdftjsrgp2i");
}

TEST(DispatchId, EscapesColonsAndPercentSigns) {
  EXPECT_EQ(dispatch_ids("a:b", "c", 1).internal, "dispatch:a%3Ab:c:1");
  EXPECT_EQ(dispatch_ids("a", "50%:x%3A", 12).internal, "dispatch:a:50%25%3Ax%253A:12");
}

TEST(DispatchId, NeverGivesTwoDispatchesOneName) {
  EXPECT_NE(dispatch_ids("a:b", "c", 1).internal, dispatch_ids("a", "b:c", 1).internal);
  EXPECT_NE(dispatch_ids("a", "b:1", 2).internal, dispatch_ids("a", "b", 12).internal);
  EXPECT_NE(dispatch_ids("a:b", "c", 1).internal, dispatch_ids("a%3Ab", "c", 1).internal);
  EXPECT_NE(dispatch_ids("a", "b", 1).external, dispatch_ids("a", "b", 2).external);
}

// base64.b32encode(hashlib.sha256(internal).digest()) in lower case, its first 26 characters.
TEST(DispatchId, HashesTheEscapedName) {
  EXPECT_EQ(dispatch_ids("a:b", "c", 1).external, "d_nvncaspfvuj3qclmirw4hrlcdz");
}

TEST(DispatchId, UsesOnlyCharactersThatTargetsTake) {
  for (int attempt = 1; attempt < 200; ++attempt) {
    const std::string external = dispatch_ids("019bddae-b818-7d82-b7c5-bd42e5db27fc", "charge", attempt).external;

    EXPECT_EQ(external.size(), 28u);
    EXPECT_EQ(external.find_first_not_of("abcdefghijklmnopqrstuvwxyz234567_"), std::string::npos) << external;
  }
}

}  // namespace
}  // namespace semel::domain
