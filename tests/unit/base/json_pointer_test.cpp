#include "base/json/pointer.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/base/canonical_text.hpp"

namespace semel::json {
namespace {

using test::canonical;
using testing::ElementsAre;
using testing::IsEmpty;

Pointer pointer(std::string_view text) { return Pointer::parse(text).value(); }

std::vector<Pointer> pointers(std::initializer_list<std::string_view> texts) {
  std::vector<Pointer> parsed;
  for (const std::string_view text : texts) parsed.push_back(pointer(text));
  return parsed;
}

std::string selected(std::string_view text, std::initializer_list<std::string_view> texts) {
  return select(canonical(text), pointers(texts));
}

/// What remove() leaves, or its refusal in words.
std::string removed(std::string_view text, std::initializer_list<std::string_view> texts) {
  const Result<std::string> result = remove(canonical(text), pointers(texts));
  if (result) return *result;
  EXPECT_EQ(result.error().code, ErrorCode::bad_request);
  return "refused: " + result.error().message;
}

TEST(JsonPointer, FindsTheSamplesOfRfc6901) {
  const std::string document =
      canonical(R"({"foo":["bar","baz"],"":0,"a/b":1,"c%d":2,"e^f":3,"g|h":4,"i\\j":5,"k\"l":6," ":7,"m~n":8})");
  const std::pair<const char*, const char*> samples[] = {{"/foo", R"(["bar","baz"])"},
                                                         {"/foo/0", R"("bar")"},
                                                         {"/", "0"},
                                                         {"/a~1b", "1"},
                                                         {"/c%d", "2"},
                                                         {"/e^f", "3"},
                                                         {"/g|h", "4"},
                                                         {"/i\\j", "5"},
                                                         {"/k\"l", "6"},
                                                         {"/ ", "7"},
                                                         {"/m~0n", "8"}};

  EXPECT_EQ(find(document, pointer("")), document);
  for (const auto& [text, value] : samples) EXPECT_EQ(find(document, pointer(text)), value) << text;
}

TEST(JsonPointer, KeepsItsTextAndItsDecodedTokens) {
  const Pointer parsed = pointer("/a~1b//~01/é");

  EXPECT_EQ(parsed.text(), "/a~1b//~01/é");
  EXPECT_THAT(parsed.tokens(), ElementsAre("a/b", "", "~1", "é"));
  EXPECT_THAT(pointer("").tokens(), IsEmpty());
  EXPECT_THAT(pointer("/").tokens(), ElementsAre(""));
  EXPECT_THAT(pointer("/a/").tokens(), ElementsAre("a", ""));
}

TEST(JsonPointer, RefusesOtherTexts) {
  for (const std::string_view text : {"a", "a/b", "#/a", "$.a", "/~", "/a~2", "/~a/b", "/a~/b", "/\xFF"}) {
    ASSERT_FALSE(Pointer::parse(text)) << text;
    EXPECT_EQ(Pointer::parse(text).error().code, ErrorCode::bad_request);
  }
}

TEST(JsonPointer, EscapesTokensSoThatTheyParseBack) {
  for (const std::string_view token : {"", "a", "a/b", "m~n", "~1", "/~/", "é"}) {
    EXPECT_THAT(pointer("/" + escape_token(token)).tokens(), ElementsAre(token));
  }
  EXPECT_EQ(escape_token("~/"), "~0~1");
}

TEST(JsonPointer, FindsNestedValues) {
  const std::string document = canonical(R"({"a":{"b":[10,{"c":[[],[1,2]]},null]},"z":"end"})");
  EXPECT_EQ(find(document, pointer("/a/b/0")), "10");
  EXPECT_EQ(find(document, pointer("/a/b/1/c/1/1")), "2");
  EXPECT_EQ(find(document, pointer("/a/b/2")), "null");
  EXPECT_EQ(find(document, pointer("/z")), "\"end\"");
}

TEST(JsonPointer, LeadsNowhereWhenThereIsNothing) {
  const std::string document = canonical(R"({"a":[10,11],"e":[],"o":{},"s":"text","n":{"0":1}})");
  for (const std::string_view text :
       {"/b", "/a/2", "/a/-", "/a/00", "/a/01", "/a/1x", "/a/+1", "/a/", "/a/99999999999999999999", "/e/0", "/o/x",
        "/o/", "/s/0", "/a/0/0", "/A", "/n/1"}) {
    EXPECT_EQ(find(document, pointer(text)), std::nullopt) << text;
  }
  EXPECT_EQ(find("1", pointer("/a")), std::nullopt);
  EXPECT_EQ(find(document, pointer("/n/0")), "1");
}

TEST(JsonPointer, FindsKeysThatNeedEscapes) {
  EXPECT_EQ(find(canonical(R"({"a\nb":1,"a\\nb":2})"), pointer("/a\nb")), "1");
  EXPECT_EQ(find(canonical(R"({"a\nb":1,"a\\nb":2})"), pointer("/a\\nb")), "2");
}

TEST(JsonSelect, GivesPointersAsWrittenWithTheirValues) {
  EXPECT_EQ(selected(R"({"user":{"id":7,"name":"x"},"items":[1,2]})", {"/user/id", "/items/1", "/items"}),
            R"({"/items":[1,2],"/items/1":2,"/user/id":7})");
}

TEST(JsonSelect, LeavesOutPointersThatLeadNowhere) {
  EXPECT_EQ(selected(R"({"a":null})", {"/b", "/a", "/a/c"}), R"({"/a":null})");
  EXPECT_EQ(selected("[]", {"/0"}), "{}");
  EXPECT_EQ(selected("[]", {}), "{}");
}

TEST(JsonSelect, IsCanonicalAndHasEachPointerOnce) {
  EXPECT_EQ(selected(R"({"k\"l":1,"b":2})", {"/k\"l", "/b", "/b", ""}), R"({"":{"b":2,"k\"l":1},"/b":2,"/k\"l":1})");
  const std::string text = selected("{\"\uFB33\":1,\"\U0001F600\":2}", {"/\uFB33", "/\U0001F600"});
  EXPECT_EQ(text, canonical(text));
  EXPECT_EQ(text, "{\"/\U0001F600\":2,\"/\uFB33\":1}");
}

TEST(JsonRemove, TakesMembersOutWhereverTheyStand) {
  const std::string_view text = R"({"a":1,"b":2,"c":3})";
  EXPECT_EQ(removed(text, {"/a"}), R"({"b":2,"c":3})");
  EXPECT_EQ(removed(text, {"/b"}), R"({"a":1,"c":3})");
  EXPECT_EQ(removed(text, {"/c"}), R"({"a":1,"b":2})");
  EXPECT_EQ(removed(text, {"/c", "/b"}), R"({"a":1})");
  EXPECT_EQ(removed(text, {"/a", "/b"}), R"({"c":3})");
  EXPECT_EQ(removed(text, {"/a", "/c"}), R"({"b":2})");
  EXPECT_EQ(removed(text, {"/c", "/a", "/b", "/a"}), "{}");
  EXPECT_EQ(removed(text, {}), text);
}

TEST(JsonRemove, TakesNestedMembersOut) {
  EXPECT_EQ(removed(R"({"a":{"t":1,"x":{"t":2}},"b":[1],"t":3})", {"/a/t", "/t"}), R"({"a":{"x":{"t":2}},"b":[1]})");
  EXPECT_EQ(removed(R"({"a":{"t":1},"b":2})", {"/a/t"}), R"({"a":{},"b":2})");
  EXPECT_EQ(removed(R"({"a":{"t":1},"b":2})", {"/a/t", "/a"}), R"({"b":2})");
  EXPECT_EQ(removed(R"({"a":{"b":{"c":1,"d":2}}})", {"/a/b/d", "/a/b"}), R"({"a":{}})");
}

TEST(JsonRemove, ChangesNothingWhereThePointerLeadsNowhere) {
  const std::string_view text = R"({"a":{"b":1},"l":[1],"s":"x"})";
  EXPECT_EQ(removed(text, {"/x", "/a/x", "/a/b/c", "/s/0", "/l/1", "/l/-", "/l/x"}), text);
  EXPECT_EQ(removed("7", {"/a"}), "7");
}

TEST(JsonRemove, RefusesElementsOfArraysAndPathsThroughThem) {
  EXPECT_EQ(removed(R"({"l":[1,2]})", {"/l/0"}),
            R"(refused: the pointer "/l/0" leads into an array; only members of objects can be removed)");
  EXPECT_TRUE(removed(R"({"l":[{"a":1}]})", {"/l/0/a"}).starts_with("refused: "));
  EXPECT_TRUE(removed(R"([{"a":1}])", {"/0/a"}).starts_with("refused: "));
}

TEST(JsonRemove, TheOrderOfPointersDoesNotMatter) {
  EXPECT_EQ(removed(R"({"l":[1]})", {"/l", "/l/0"}), removed(R"({"l":[1]})", {"/l/0", "/l"}));
  EXPECT_EQ(removed(R"({"a":{"b":1},"c":2})", {"/a", "/a/b"}), removed(R"({"a":{"b":1},"c":2})", {"/a/b", "/a"}));
}

TEST(JsonRemove, RefusesTheWholeValue) { EXPECT_TRUE(removed("{}", {""}).starts_with("refused: ")); }

TEST(JsonRemove, IsNotConfusedByBracketsAndCommasInStrings) {
  EXPECT_EQ(removed(R"({"a":"},{\"b\":","b":1,"c":"]},"})", {"/b"}), R"({"a":"},{\"b\":","c":"]},"})");
}

}  // namespace
}  // namespace semel::json
