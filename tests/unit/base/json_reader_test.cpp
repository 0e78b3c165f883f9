#include "base/json/reader.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "tests/unit/base/canonical_text.hpp"

namespace semel::json {
namespace {

using test::repeat;
using testing::ElementsAre;

template <typename T>
std::string refusal(const Result<T>& result) {
  if (result) return "accepted";
  EXPECT_EQ(result.error().code, ErrorCode::bad_request);
  return result.error().message;
}

TEST(JsonReader, ReadsAnObjectMemberByMember) {
  Reader reader(R"( { "name" : "order\u002d7" , "count" : 3 , "paid" : true , "note" : null } )");
  ASSERT_TRUE(reader.begin_object());
  EXPECT_EQ(reader.next_member().value(), "name");
  EXPECT_EQ(reader.read_string().value(), "order-7");
  EXPECT_EQ(reader.next_member().value(), "count");
  EXPECT_EQ(reader.read_integer().value(), 3);
  EXPECT_EQ(reader.next_member().value(), "paid");
  EXPECT_TRUE(reader.read_boolean().value());
  EXPECT_EQ(reader.next_member().value(), "note");
  EXPECT_TRUE(reader.read_null());
  EXPECT_EQ(reader.next_member().value(), std::nullopt);
  EXPECT_TRUE(reader.expect_end());
}

TEST(JsonReader, ReadsAnArrayElementByElement) {
  Reader reader("[1, 2 ,3]");
  std::vector<std::int64_t> elements;
  ASSERT_TRUE(reader.begin_array());
  while (reader.next_element().value()) elements.push_back(reader.read_integer().value());

  EXPECT_THAT(elements, ElementsAre(1, 2, 3));
  EXPECT_TRUE(reader.expect_end());
}

TEST(JsonReader, ReadsNestedContainers) {
  Reader reader(R"({"a":[{"b":1},{}],"c":[],"d":2})");
  ASSERT_TRUE(reader.begin_object());
  EXPECT_EQ(reader.next_member().value(), "a");
  ASSERT_TRUE(reader.begin_array());
  EXPECT_TRUE(reader.next_element().value());
  ASSERT_TRUE(reader.begin_object());
  EXPECT_EQ(reader.next_member().value(), "b");
  EXPECT_EQ(reader.read_integer().value(), 1);
  EXPECT_EQ(reader.next_member().value(), std::nullopt);
  EXPECT_TRUE(reader.next_element().value());
  ASSERT_TRUE(reader.begin_object());
  EXPECT_EQ(reader.next_member().value(), std::nullopt);
  EXPECT_FALSE(reader.next_element().value());
  EXPECT_EQ(reader.next_member().value(), "c");
  ASSERT_TRUE(reader.begin_array());
  EXPECT_FALSE(reader.next_element().value());
  EXPECT_EQ(reader.next_member().value(), "d");
  EXPECT_EQ(reader.read_integer().value(), 2);
  EXPECT_EQ(reader.next_member().value(), std::nullopt);
  EXPECT_TRUE(reader.expect_end());
}

TEST(JsonReader, RefusesMissingAndTrailingCommas) {
  Reader missing(R"({"a":1 "b":2})");
  ASSERT_TRUE(missing.begin_object());
  ASSERT_TRUE(missing.next_member());
  ASSERT_TRUE(missing.read_integer());
  EXPECT_EQ(refusal(missing.next_member()), "expected ',' or '}' at byte 7, found '\"'");

  Reader trailing(R"({"a":1,})");
  ASSERT_TRUE(trailing.begin_object());
  ASSERT_TRUE(trailing.next_member());
  ASSERT_TRUE(trailing.read_integer());
  EXPECT_EQ(refusal(trailing.next_member()), "expected a key at byte 7, found '}'");

  Reader array("[1,]");
  ASSERT_TRUE(array.begin_array());
  ASSERT_TRUE(array.next_element());
  ASSERT_TRUE(array.read_integer());
  ASSERT_TRUE(array.next_element());
  EXPECT_EQ(refusal(array.read_integer()), "expected a number at byte 3, found ']'");

  Reader leading("{,}");
  ASSERT_TRUE(leading.begin_object());
  EXPECT_EQ(refusal(leading.next_member()), "expected a key at byte 1, found ','");

  Reader spaced("[1 2]");
  ASSERT_TRUE(spaced.begin_array());
  ASSERT_TRUE(spaced.next_element());
  ASSERT_TRUE(spaced.read_integer());
  EXPECT_EQ(refusal(spaced.next_element()), "expected ',' or ']' at byte 3, found '2'");
}

TEST(JsonReader, RefusesTextThatEndsTooEarly) {
  Reader object("{\"a\":1");
  ASSERT_TRUE(object.begin_object());
  ASSERT_TRUE(object.next_member());
  ASSERT_TRUE(object.read_integer());
  EXPECT_EQ(refusal(object.next_member()), "expected ',' or '}' at byte 6, but the text ends there");
  EXPECT_EQ(refusal(Reader("").begin_object()), "expected an object at byte 0, but the text ends there");
  EXPECT_FALSE(Reader("\"abc").read_string());
}

TEST(JsonReader, DecodesKeysAndLeavesDuplicatesToTheCaller) {
  Reader reader(R"({"\u0061":1,"a":2})");
  ASSERT_TRUE(reader.begin_object());
  EXPECT_EQ(reader.next_member().value(), "a");
  ASSERT_TRUE(reader.read_raw());
  EXPECT_EQ(reader.next_member().value(), "a");
}

TEST(JsonReader, PeeksAtTheTypeByTheFirstCharacter) {
  const std::pair<const char*, Type> samples[] = {
      {" null", Type::null}, {"true", Type::boolean}, {"false", Type::boolean}, {"-1", Type::number},
      {"0", Type::number},   {"\"\"", Type::string},  {" \n[]", Type::array},   {"{}", Type::object}};
  for (const auto& [text, type] : samples) EXPECT_EQ(Reader(text).peek().value(), type) << text;
  EXPECT_EQ(refusal(Reader("]").peek()), "expected a value at byte 0, found ']'");
  EXPECT_EQ(refusal(Reader(" ").peek()), "expected a value at byte 1, but the text ends there");
}

TEST(JsonReader, NamesWhatItExpectedAndWhatItFound) {
  EXPECT_EQ(refusal(Reader(" 7").read_string()), "expected a string at byte 1, found a number");
  EXPECT_EQ(refusal(Reader("\"7\"").read_integer()), "expected a number at byte 0, found a string");
  EXPECT_EQ(refusal(Reader("null").read_boolean()), "expected a boolean at byte 0, found null");
  EXPECT_EQ(refusal(Reader("true").read_null()), "expected null at byte 0, found a boolean");
  EXPECT_EQ(refusal(Reader("[]").begin_object()), "expected an object at byte 0, found an array");
  EXPECT_EQ(refusal(Reader("{}").begin_array()), "expected an array at byte 0, found an object");
}

TEST(JsonReader, ReadsIntegersByValue) {
  for (const char* three : {"3", "3.0", "3e0", "30e-1", "0.03e2", "3.000"}) {
    EXPECT_EQ(Reader(three).read_integer().value(), 3) << three;
  }
  EXPECT_EQ(Reader("-0").read_integer().value(), 0);
  EXPECT_EQ(Reader("0e999").read_integer().value(), 0);
  EXPECT_EQ(Reader("-12e2").read_integer().value(), -1200);
  EXPECT_EQ(Reader("9223372036854775807").read_integer().value(), std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(Reader("-9223372036854775808").read_integer().value(), std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(Reader("1e18").read_integer().value(), 1'000'000'000'000'000'000);
}

TEST(JsonReader, RefusesNumbersThatAreNoIntegersOrDoNotFit) {
  for (const char* text : {"3.5", "1e-1", "9223372036854775808", "-9223372036854775809", "9999999999999999999", "1e19",
                           "18446744073709551619", "1e999999999", "99999999999999999999999", "0.000001"}) {
    EXPECT_EQ(refusal(Reader(text).read_integer()), "expected an integer of at most 64 bits at byte 0") << text;
  }
  EXPECT_FALSE(Reader("1e1000000000").read_integer());
  EXPECT_FALSE(Reader("1.").read_integer());
  EXPECT_FALSE(Reader("01").read_integer());
  EXPECT_FALSE(Reader("1." + std::string(1000, '0')).read_integer());
}

TEST(JsonReader, RefusesStringsThatCannotBeUtf8) {
  EXPECT_EQ(refusal(Reader(R"("\ud800")").read_string()), "lone surrogate \\ud800 at byte 1");
  EXPECT_EQ(refusal(Reader("\"\xC0\xAF\"").read_string()), "invalid UTF-8 at byte 1");
  EXPECT_EQ(Reader(R"("\ud83d\ude00\u0000")").read_string().value(), std::string("😀\0", 5));
  Reader key(R"({"\udc00":1})");
  ASSERT_TRUE(key.begin_object());
  EXPECT_EQ(refusal(key.next_member()), "lone surrogate \\udc00 at byte 2");
}

TEST(JsonReader, RefusesWordsThatOnlyBeginLikeLiterals) {
  EXPECT_FALSE(Reader("tru").read_boolean());
  EXPECT_FALSE(Reader("fulse").read_boolean());
  EXPECT_FALSE(Reader("nil").read_null());
  EXPECT_FALSE(Reader("nil").read_raw());
}

TEST(JsonReader, ReadsAnyValueAsWritten) {
  Reader reader(R"({"a": {"z":1, "a" : [ ] } , "b":1})");
  ASSERT_TRUE(reader.begin_object());
  ASSERT_TRUE(reader.next_member());
  EXPECT_EQ(reader.read_raw().value(), R"({"z":1, "a" : [ ] })");
  EXPECT_EQ(reader.next_member().value(), "b");
}

TEST(JsonReader, ReadsAnyValueAsWrittenAndCanonical) {
  Reader reader(R"({"a": {"z":1.0, "a" : [ ] } , "b":1})");
  std::string canonical = "before:";
  ASSERT_TRUE(reader.begin_object());
  ASSERT_TRUE(reader.next_member());
  EXPECT_EQ(reader.read_canonical(canonical).value(), R"({"z":1.0, "a" : [ ] })");
  EXPECT_EQ(canonical, R"(before:{"a":[],"z":1})");
  EXPECT_EQ(reader.next_member().value(), "b");
}

TEST(JsonReader, CountsOffsetsFromTheBeginningOfTheText) {
  Reader reader(R"({"context": {"k":1,"k":2}})");
  std::string canonical;
  ASSERT_TRUE(reader.begin_object());
  ASSERT_TRUE(reader.next_member());
  EXPECT_EQ(refusal(reader.read_canonical(canonical)), "duplicate key \"k\" at byte 19");
}

TEST(JsonReader, CountsTheDepthOfACanonicalValueFromItself) {
  const std::string deep = repeat("[", 128) + repeat("]", 128);
  const std::string body = "{\"context\":" + deep + "}";
  std::string canonical;
  Reader reader(body);
  ASSERT_TRUE(reader.begin_object());
  ASSERT_TRUE(reader.next_member());
  EXPECT_EQ(reader.read_canonical(canonical).value(), deep);
  EXPECT_EQ(canonical, deep);
}

TEST(JsonReader, RefusesDataAfterTheEnd) {
  Reader reader("1 \n 2");
  ASSERT_TRUE(reader.read_integer());
  EXPECT_EQ(refusal(reader.expect_end()), "unexpected data after the value, at byte 4");
}

TEST(JsonGrammar, AcceptsOneValueWhateverItsDepthAndNumbers) {
  for (const std::string_view text : {"1", " {} ", "[ ]", R"({"a":[1,{"b":null},"x",[[]],{}],"c":-1.5e+7})",
                                      R"({"a":1,"a":2})", "1e99999999999", R"("\ud800")", R"([ true , false ])"}) {
    EXPECT_TRUE(check_grammar(text)) << text;
  }
  EXPECT_TRUE(check_grammar(std::string(2000, '7')));
}

TEST(JsonGrammar, WalksAMillionBracketsWithoutTheStack) {
  constexpr int depth = 1'000'000;
  EXPECT_TRUE(check_grammar(repeat("[", depth) + repeat("]", depth)));
  EXPECT_TRUE(check_grammar(repeat("{\"a\":", depth) + "1" + repeat("}", depth)));
  EXPECT_FALSE(check_grammar(repeat("[", depth)));
  EXPECT_FALSE(check_grammar(repeat("{\"a\":[", depth)));
  EXPECT_FALSE(check_grammar(repeat("[", depth) + repeat("]", depth - 1) + "}"));
}

TEST(JsonGrammar, RefusesWhatIsNotOneJsonValue) {
  for (const std::string_view text :
       {"",           " ",           "[",        "]",         "{",      "}",         "[1",          "[1,",
        "[1,]",       "[,1]",        "[1 2]",    "[1}",       "{\"a\"", "{\"a\":",   "{\"a\":1",    "{\"a\":1,",
        "{\"a\":1,}", "{,}",         "{\"a\":}", "{\"a\" 1}", "{1:2}",  "{\"a\":1]", "1 2",         "[]]",
        "{}{}",       "tru",         "01",       "1.",        "\"a",    "\"\\x\"",   "\"\\u12g4\"", "\"\n\"",
        "[[],]",      "{\"a\":{},}", "[[]",      "{\"a\":[}"}) {
    EXPECT_FALSE(check_grammar(text)) << text;
  }
  EXPECT_EQ(refusal(check_grammar("[1 2]")), "expected ',' or ']' at byte 3, found '2'");
}

}  // namespace
}  // namespace semel::json
