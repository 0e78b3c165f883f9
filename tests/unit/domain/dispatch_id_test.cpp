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

TEST(DispatchId, NamesTimersAsTheDesignDoes) {
  EXPECT_EQ(retry_timer_ids("run1", "extract", 1, 1705340400).internal, "timer:retry:run1:extract:1:1705340400");
  EXPECT_EQ(retry_timer_ids("run1", "extract", 1, 1705340400).external, "t_hlljqq57362d4n3x2kett7jrqf");
  EXPECT_EQ(heartbeat_timer_ids("run1", "extract", 1705340400).internal, "timer:heartbeat:run1:extract:1705340400");
  EXPECT_EQ(heartbeat_timer_ids("run1", "extract", 1705340400).external, "t_mhcbqnhrzrwdo7tcdftjsrgp2i");
  EXPECT_EQ(retry_timer_ids("a:b", "c%", 2, 7).internal, "timer:retry:a%3Ab:c%25:2:7");
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

TEST(DispatchId, ARepairedDispatchHasASuffix) {
  EXPECT_EQ(dispatch_ids("run1", "extract", 1, 2).internal, "dispatch:run1:extract:1:r2");
  EXPECT_NE(dispatch_ids("run1", "extract", 1, 2).external, dispatch_ids("run1", "extract", 1).external);
}

TEST(DispatchId, IsReadAsItIsWritten) {
  const std::string odd = dispatch_ids("a:b%", "mail[17]:%3A", 12, 3).internal;

  EXPECT_EQ(parse_dispatch_id(odd), (DispatchName{"a:b%", "mail[17]:%3A", 12, 3}));
  EXPECT_EQ(parse_dispatch_id("dispatch:run1:extract:1"), (DispatchName{"run1", "extract", 1, 0}));
  EXPECT_EQ(parse_dispatch_id("timer:retry:run1:extract:2:1705340400"), (DispatchName{"run1", "extract", 2, 0}));
  EXPECT_EQ(parse_dispatch_id("timer:heartbeat:run1:extract:1705340400"),
            (DispatchName{"run1", "extract", std::nullopt, 0}));
}

TEST(DispatchId, NothingElseIsRead) {
  for (const char* text :
       {"", "dispatch", "dispatch:run1:extract", "dispatch:run1:extract:0", "dispatch:run1:extract:01",
        "dispatch:run1:extract:+1", "dispatch:run1:extract:1:2", "dispatch:run1:extract:1:r0",
        "dispatch:run1:extract:1:r", "dispatch:run1:extract:1:r1:x", "dispatch:a%3a:b:1", "dispatch:a%:b:1",
        "timer:other:run1:extract:1:2", "d_cxtoltqhbncw6nevn7hy53kqn6"})
    EXPECT_EQ(parse_dispatch_id(text), std::nullopt) << text;
}

}  // namespace
}  // namespace semel::domain
