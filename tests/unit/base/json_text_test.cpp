#include "base/json/text.hpp"

#include <gtest/gtest.h>

namespace semel::json {
namespace {

TEST(JsonText, EscapesOnlyWhatMustBeEscaped) {
  EXPECT_EQ(quote("plain / é 😀 \x7F"), "\"plain / é 😀 \x7F\"");
  EXPECT_EQ(quote("\"\\\b\f\n\r\t"), R"("\"\\\b\f\n\r\t")");
  EXPECT_EQ(quote(std::string_view("\0\x01\x0B\x1F", 4)), R"("\u0000\u0001\u000b\u001f")");
  EXPECT_EQ(quote(""), "\"\"");
}

TEST(JsonText, AppendsToWhatIsThere) {
  std::string out = "[";

  append_string("a\nb", out);

  EXPECT_EQ(out, R"(["a\nb")");
}

TEST(JsonText, ComparesByUtf16CodeUnits) {
  const std::string_view ascending[] = {"",           std::string_view("\0", 1),
                                        "a",          "aa",
                                        "b",          "é",
                                        "\uD7FF",     "\U00010000",
                                        "\U00010001", "\U0010FFFF",
                                        "\uE000",     "\uFFFD",
                                        "\uFFFF"};
  const std::size_t count = std::size(ascending);
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t j = 0; j < count; ++j) {
      const int order = compare_utf16(ascending[i], ascending[j]);
      EXPECT_EQ(order < 0, i < j) << i << ' ' << j;
      EXPECT_EQ(order > 0, i > j) << i << ' ' << j;
    }
  }
}

TEST(JsonText, ComparesAfterACommonPrefix) {
  EXPECT_LT(compare_utf16("x\U0001F600", "x\uFB33"), 0);
  EXPECT_GT(compare_utf16("x\uFB33", "x\U0001F600y"), 0);
  EXPECT_LT(compare_utf16("\uFB33", "\uFB34"), 0);  // they differ in a later byte only
}

}  // namespace
}  // namespace semel::json
