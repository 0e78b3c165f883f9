#include <gtest/gtest.h>

#include "base/json/canonical.hpp"
#include "base/json/reader.hpp"
#include "base/utf8.hpp"

namespace semel {
namespace {

using namespace std::string_literals;

struct Sample {
  const char* what;
  std::string bytes;
};

const Sample broken[] = {
    {"stray continuation", "\x80"s},
    {"two stray continuations", "\xBF\xBF"s},
    {"overlong of two bytes", "\xC0\xAF"s},
    {"overlong of two bytes, highest", "\xC1\xBF"s},
    {"overlong of three bytes", "\xE0\x80\xAF"s},
    {"overlong of three bytes, highest", "\xE0\x9F\xBF"s},
    {"overlong of four bytes", "\xF0\x80\x80\xAF"s},
    {"overlong of four bytes, highest", "\xF0\x8F\xBF\xBF"s},
    {"overlong null", "\xC0\x80"s},
    {"lowest surrogate", "\xED\xA0\x80"s},
    {"highest surrogate", "\xED\xBF\xBF"s},
    {"pair of surrogates", "\xED\xA0\xBD\xED\xB8\x80"s},
    {"just above U+10FFFF", "\xF4\x90\x80\x80"s},
    {"lead byte F5", "\xF5\x80\x80\x80"s},
    {"five bytes", "\xF8\x88\x80\x80\x80"s},
    {"byte FE", "\xFE"s},
    {"byte FF", "\xFF"s},
    {"two bytes cut short", "\xC3"s},
    {"three bytes cut short", "\xE2\x82"s},
    {"four bytes cut short", "\xF0\x9F\x98"s},
    {"lead byte before a letter",
     "\xC3"
     "a"s},
    {"third byte is a letter",
     "\xE2\x82"
     "a"s},
};

TEST(Utf8, AcceptsTheFirstAndLastCharacterOfEachLength) {
  EXPECT_TRUE(is_utf8(""));
  for (const char* text :
       {"a", "\x7F", "\u0080", "\u07FF", "\u0800", "\uD7FF", "\uE000", "\uFFFF", "\U00010000", "\U0010FFFF"}) {
    EXPECT_TRUE(is_utf8(text)) << text;
    EXPECT_EQ(utf8_length(text), std::string_view(text).size());
    EXPECT_TRUE(is_utf8("long enough before "s + text + " and after")) << text;
  }
  EXPECT_TRUE(is_utf8("\0"s));
}

TEST(Utf8, RefusesEveryKindOfBrokenBytes) {
  for (const Sample& sample : broken) {
    EXPECT_FALSE(is_utf8(sample.bytes)) << sample.what;
    EXPECT_FALSE(is_utf8("long enough before " + sample.bytes + " and after")) << sample.what;
    EXPECT_EQ(utf8_length(sample.bytes), 0u) << sample.what;
  }
  EXPECT_EQ(utf8_length(""), 0u);
}

TEST(JsonUtf8, IsCheckedInStringsKeysAndOutside) {
  for (const Sample& sample : broken) {
    for (const std::string& text :
         {"\"" + sample.bytes + "\"", "[\"in the middle of a text " + sample.bytes + " of some length\"]",
          "{\"" + sample.bytes + "\":1}", "{\"a\":1," + sample.bytes + "\"b\":2}", sample.bytes + "1",
          "1" + sample.bytes, "[1" + sample.bytes + "]"}) {
      EXPECT_FALSE(json::canonicalize(text)) << sample.what;
      EXPECT_FALSE(json::check_grammar(text)) << sample.what;
    }
  }
}

TEST(JsonUtf8, TheMessageSaysAtWhichByte) {
  EXPECT_EQ(json::canonicalize("[\"é\xC0\xAF\"]").error().message, "invalid UTF-8 at byte 4");
  EXPECT_EQ(json::canonicalize("\xFF").error().message, "expected a value at byte 0, found byte 0xff");
}

}  // namespace
}  // namespace semel
