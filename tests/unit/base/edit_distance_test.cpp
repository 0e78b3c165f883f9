#include "base/edit_distance.hpp"

#include <gtest/gtest.h>

namespace semel {
namespace {

TEST(EditDistance, CountsLettersThatAreAddedDroppedAndChanged) {
  EXPECT_EQ(edit_distance("", ""), 0u);
  EXPECT_EQ(edit_distance("", "abc"), 3u);
  EXPECT_EQ(edit_distance("abc", ""), 3u);
  EXPECT_EQ(edit_distance("queue", "queue"), 0u);
  EXPECT_EQ(edit_distance("handlr", "handler"), 1u);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3u);
  EXPECT_EQ(edit_distance("ab", "ba"), 2u);
}

}  // namespace
}  // namespace semel
