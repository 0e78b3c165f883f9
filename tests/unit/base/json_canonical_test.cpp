#include "base/json/canonical.hpp"

#include <gtest/gtest.h>

#include "tests/unit/base/canonical_text.hpp"

namespace semel::json {
namespace {

using test::canonical;
using test::refused;
using test::repeat;

TEST(JsonCanonical, FollowsTheSampleOfRfc8785Section322) {
  // The RFC rounds 333333333.33333329 to the double 333333333.3333333; here it keeps its exact value, by
  // design.
  EXPECT_EQ(canonical(R"({
              "numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
              "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/",
              "literals": [null, true, false]
            })"),
            R"({"literals":[null,true,false],"numbers":[333333333.33333329,1e+30,4.5,0.002,1e-27],)"
            R"("string":"€$\u000f\nA'B\"\\\\\"/"})");
}

TEST(JsonCanonical, SortsTheKeysOfRfc8785Section323ByUtf16) {
  EXPECT_EQ(canonical(R"({
              "\u20ac": "Euro Sign",
              "\r": "Carriage Return",
              "\ufb33": "Hebrew Letter Dalet With Dagesh",
              "1": "One",
              "\ud83d\ude00": "Emoji: Grinning Face",
              "\u0080": "Control",
              "\u00f6": "Latin Small Letter O With Diaeresis"
            })"),
            "{\"\\r\":\"Carriage Return\",\"1\":\"One\",\"\u0080\":\"Control\","
            "\"ö\":\"Latin Small Letter O With Diaeresis\",\"€\":\"Euro Sign\",\"😀\":\"Emoji: Grinning Face\","
            "\"\uFB33\":\"Hebrew Letter Dalet With Dagesh\"}");
}

TEST(JsonCanonical, KeepsScalarsAndEmptyContainers) {
  for (const std::string_view text : {"null", "true", "false", "0", "\"\"", "[]", "{}", "[[],{}]", "{\"\":{}}"}) {
    EXPECT_EQ(canonical(text), text);
  }
}

TEST(JsonCanonical, DropsTheFourKindsOfWhiteSpace) {
  EXPECT_EQ(canonical(" \t\r\n{ \t\r\n\"a\" \t\r\n: \t\r\n[ 1 ,\t2\r,\n3 ] , \"b\" : { } , \"c\" : [ ] } \t\r\n"),
            R"({"a":[1,2,3],"b":{},"c":[]})");
}

TEST(JsonCanonical, RefusesOtherWhiteSpace) {
  for (const std::string_view space : {"\f", "\v", "\u00A0", "\uFEFF", "\u2028"}) {
    EXPECT_TRUE(refused(std::string(space) + "1"));
    EXPECT_TRUE(refused("1" + std::string(space)));
    EXPECT_TRUE(refused("[1," + std::string(space) + "2]"));
  }
}

TEST(JsonCanonical, SortsMembersAtEveryDepthAndKeepsTheOrderOfArrays) {
  EXPECT_EQ(canonical(R"({"b":[3,1,2],"a":{"d":1,"c":{"f":[{"z":0,"y":0}],"e":null}}})"),
            R"({"a":{"c":{"e":null,"f":[{"y":0,"z":0}]},"d":1},"b":[3,1,2]})");
}

TEST(JsonCanonical, SortsManyMembers) {
  std::string backwards = "{";
  std::string forwards = "{";
  for (int i = 0; i < 500; ++i) {
    backwards += (i > 0 ? ",\"k" : "\"k") + std::to_string(999 - i) + "\":[{\"b\":1,\"a\":" + std::to_string(i) + "}]";
    forwards +=
        (i > 0 ? ",\"k" : "\"k") + std::to_string(500 + i) + "\":[{\"a\":" + std::to_string(499 - i) + ",\"b\":1}]";
  }

  EXPECT_EQ(canonical(backwards + "}"), forwards + "}");
}

TEST(JsonCanonical, SortsEscapedKeysByWhatTheyMean) {
  EXPECT_EQ(canonical(R"({"\u0062":1,"a":2})"), R"({"a":2,"b":1})");
  EXPECT_EQ(canonical(R"({"]":0,"[":0,"\\":0})"), R"({"[":0,"\\":0,"]":0})");
  EXPECT_EQ(canonical(R"({" ":0,"\n":0})"),
            R"({"\n":0," ":0})");  // escaped, a newline would come after a space
}

TEST(JsonCanonical, SortsAPrefixBeforeTheLongerKey) {
  EXPECT_EQ(canonical(R"({"ab":1,"a":2,"":3})"), R"({"":3,"a":2,"ab":1})");
}

TEST(JsonCanonical, SortsCharactersBeyondTheBasicPlaneBeforeThePrivateUseArea) {
  EXPECT_EQ(canonical("{\"\uE000\":1,\"\uFFFF\":2,\"\U00010000\":3,\"\U0010FFFF\":4,\"\uD7FF\":5}"),
            "{\"\uD7FF\":5,\"\U00010000\":3,\"\U0010FFFF\":4,\"\uE000\":1,\"\uFFFF\":2}");
}

TEST(JsonCanonical, AKeyWithAnEscapedQuoteIsNotTwoKeys) {
  EXPECT_EQ(canonical(R"({"a\":1,\"b":2})"), R"({"a\":1,\"b":2})");
  EXPECT_NE(canonical(R"({"a\":1,\"b":2})"), canonical(R"({"a":1,"b":2})"));
}

TEST(JsonCanonical, KeepsKeysThatBeginWithOn) {
  EXPECT_EQ(canonical(R"({"once":1,"online":2,"on_sale":3,"onclick":4,"__proto__":5,"":6,"$ref":7})"),
            R"({"":6,"$ref":7,"__proto__":5,"on_sale":3,"once":1,"onclick":4,"online":2})");
}

TEST(JsonCanonical, EditsNoText) {
  for (const std::string_view text : {R"("<script>alert(1)</script>")", R"("' OR 1=1 --")", R"("  spaced  ")",
                                      "\"\u007F\u2028\u2029\uFFFD\"", "\"e\u0301\"", "\"\u00E9\""}) {
    EXPECT_EQ(canonical(text), text);
  }
}

TEST(JsonCanonical, EscapesMinimally) {
  EXPECT_EQ(canonical(R"("\u0022\u005C\u002F\/\u0041\u00e9\u20AC\uD83D\uDE00")"), R"("\"\\//Aé€😀")");
  EXPECT_EQ(canonical(R"("\u0008\u0009\u000a\u000c\u000d\b\t\n\f\r")"), R"("\b\t\n\f\r\b\t\n\f\r")");
  EXPECT_EQ(canonical(R"("\u0001\u000B\u001F\u007f")"), "\"\\u0001\\u000b\\u001f\x7F\"");
}

TEST(JsonCanonical, KeepsTheNullCharacter) {
  EXPECT_EQ(canonical(R"({"a\u0000b":"\u0000"})"), R"({"a\u0000b":"\u0000"})");
  EXPECT_NE(canonical(R"("a\u0000b")"), canonical(R"("a")"));
}

TEST(JsonCanonical, RefusesDuplicateKeysAndSaysWhere) {
  EXPECT_EQ(canonical(R"({"a":1,"a":2})"), R"(refused: duplicate key "a" at byte 7)");
  EXPECT_EQ(canonical(R"({"a":1,"b":2,"a":3})"), R"(refused: duplicate key "a" at byte 13)");
  EXPECT_EQ(canonical(R"([{"x":{"k":1,"j":{},"k":1}}])"), R"(refused: duplicate key "k" at byte 20)");
  EXPECT_EQ(canonical(R"({"":1,"":1})"), R"(refused: duplicate key "" at byte 6)");
}

TEST(JsonCanonical, RefusesDuplicateKeysThatAreWrittenDifferently) {
  EXPECT_EQ(canonical(R"({"a":1,"\u0061":2})"), R"(refused: duplicate key "a" at byte 7)");
  EXPECT_EQ(canonical(R"({"\u00e9":1,"z":0,"é":2})"), R"(refused: duplicate key "é" at byte 18)");
  EXPECT_TRUE(refused(R"({"\n":1,"\u000A":2})"));
  EXPECT_TRUE(refused(R"({"/":1,"\/":2})"));
  EXPECT_TRUE(refused(R"({"\ud83d\ude00":1,"😀":2})"));
}

TEST(JsonCanonical, AllowsTheSameKeyInDifferentObjects) {
  EXPECT_EQ(canonical(R"({"a":{"a":{"a":1}},"b":{"a":[{"a":1},{"a":1}]}})"),
            R"({"a":{"a":{"a":1}},"b":{"a":[{"a":1},{"a":1}]}})");
}

TEST(JsonCanonical, CutsLongKeysShortInMessages) {
  const std::string key = repeat("é", 30);

  EXPECT_EQ(canonical("{\"" + key + "\":1,\"" + key + "\":2}"),
            "refused: duplicate key \"" + repeat("é", 20) + "\"… at byte 66");
}

TEST(JsonCanonical, AllowsDepth128AndRefusesDepth129) {
  const auto nested = [](std::string_view open, std::string_view close, int depth) {
    return repeat(open, depth) + repeat(close, depth);
  };
  const auto nested_objects = [](int depth) { return repeat("{\"a\":", depth - 1) + "{}" + repeat("}", depth - 1); };

  EXPECT_EQ(canonical(nested("[", "]", 128)), nested("[", "]", 128));
  EXPECT_EQ(canonical(nested_objects(128)), nested_objects(128));
  EXPECT_FALSE(refused(repeat("[{\"a\":", 64) + "1" + repeat("}]", 64)));

  EXPECT_EQ(canonical(nested("[", "]", 129)), "refused: more than 128 nested arrays and objects at byte 128");
  EXPECT_EQ(canonical(nested_objects(129)), "refused: more than 128 nested arrays and objects at byte 640");
  EXPECT_TRUE(refused(repeat("[{\"a\":", 64) + "[]" + repeat("}]", 64)));
  EXPECT_TRUE(refused(repeat("[{\"a\":", 64) + "{}" + repeat("}]", 64)));
  EXPECT_TRUE(refused(repeat("[", 1'000'000)));
}

TEST(JsonCanonical, CountsDepthNotContainers) { EXPECT_FALSE(refused("[" + repeat("[],{},", 500) + "0]")); }

TEST(JsonCanonical, RefusesLoneSurrogates) {
  EXPECT_EQ(canonical(R"("ab\ud800")"), R"(refused: lone surrogate \ud800 at byte 3)");
  EXPECT_EQ(canonical(R"("\uDC00")"), R"(refused: lone surrogate \uDC00 at byte 1)");
  EXPECT_EQ(canonical(R"({"\ud83d":1})"), R"(refused: lone surrogate \ud83d at byte 2)");
  for (const std::string_view text :
       {R"("\ud800\u0041")", R"("\ud800A")", R"("\ud800\n")", R"("\ud800\ud800")", R"("\ud83d\ud83d\ude00")",
        R"("\ude00\ud83d")", R"("\uDBFF\uE000")", R"("\ud800\\udc00")", R"("\udfff")"}) {
    EXPECT_TRUE(refused(text)) << text;
  }
}

TEST(JsonCanonical, RefusesTrailingData) {
  EXPECT_EQ(canonical("{} {}"), "refused: unexpected data after the value, at byte 3");
  for (const std::string_view text : {"1 2", "1,", "[]]", "nullnull", "\"a\"b", "truefalse"}) {
    EXPECT_TRUE(refused(text)) << text;
  }
  EXPECT_TRUE(refused(std::string_view("1\0", 2)));
}

TEST(JsonCanonical, RefusesEmptyText) {
  EXPECT_EQ(canonical(""), "refused: expected a value at byte 0, but the text ends there");
  EXPECT_EQ(canonical(" \n"), "refused: expected a value at byte 2, but the text ends there");
}

TEST(JsonCanonical, RefusesBadLiterals) {
  for (const std::string_view text : {"tru", "True", "TRUE", "nul", "nulL", "fals", "n", "undefined", "NaN", "Infinity",
                                      "-Infinity", "'a'", "a", "/**/1", "[tru]"}) {
    EXPECT_TRUE(refused(text)) << text;
  }
}

TEST(JsonCanonical, RefusesBrokenStructure) {
  EXPECT_EQ(canonical(R"({"a" 1})"), "refused: expected ':' at byte 5, found '1'");
  EXPECT_EQ(canonical(R"({"a":1 "b":2})"), "refused: expected ',' or '}' at byte 7, found '\"'");
  EXPECT_EQ(canonical(R"({1:2})"), "refused: expected a key at byte 1, found '1'");
  for (const std::string_view text : {"[",    "{",        "]",      "}",         "[1",       "[1,",       "[1,]",
                                      "[,1]", "[1 2]",    "{\"a\"", "{\"a\":",   "{\"a\":1", "{\"a\":1,", "{\"a\":1,}",
                                      "{,}",  "{\"a\":}", "[1}",    "{\"a\":1]", ":",        ",",         "{a:1}"}) {
    EXPECT_TRUE(refused(text)) << text;
  }
}

TEST(JsonCanonical, RefusesBrokenStrings) {
  EXPECT_EQ(canonical("\"abc"), "refused: the text ends inside the string that begins at byte 0");
  EXPECT_EQ(canonical(R"("ab\x41")"), "refused: unknown escape sequence in a string at byte 3");
  EXPECT_EQ(canonical(R"("\u12g4")"), "refused: \\u must be followed by four hexadecimal digits, at byte 1");
  for (const std::string_view text :
       {"\"", "\"\\", "\"\\\"", "\"\\u", "\"\\u12", "\"\\u12\"", R"("\a")", R"("\U0041")", R"("\'")"}) {
    EXPECT_TRUE(refused(text)) << text;
  }
}

TEST(JsonCanonical, RefusesRawControlCharactersInStrings) {
  for (char c = 0; c < 0x20; ++c) {
    EXPECT_TRUE(refused("\"a" + std::string(1, c) + "\"")) << int{c};
    EXPECT_TRUE(refused("{\"" + std::string(1, c) + "\":1}")) << int{c};
    EXPECT_TRUE(refused("\"0123456789abcdef" + std::string(1, c) + "0123456789\"")) << int{c};
  }
  EXPECT_EQ(canonical("\"a\nb\""), "refused: control character 0x0a must be escaped in a string, at byte 2");
}

}  // namespace
}  // namespace semel::json
