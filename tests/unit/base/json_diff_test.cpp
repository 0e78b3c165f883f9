#include "base/json/diff.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/json/canonical.hpp"

namespace semel::json {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string> differences(std::string_view left, std::string_view right, std::size_t max = 100) {
  return diff(canonicalize(left).value(), canonicalize(right).value(), max);
}

TEST(JsonDiff, FindsNothingBetweenEqualValues) {
  EXPECT_THAT(differences(R"({"a":1.0,"b":[true]})", R"({"b":[true],"a":1})"), IsEmpty());
  EXPECT_THAT(differences("1", "1e0"), IsEmpty());
}

TEST(JsonDiff, NamesTheDeepestPlacesInDocumentOrder) {
  EXPECT_THAT(differences(R"({"amount":5,"user":{"id":1,"tags":["a","b"]},"z":0})",
                          R"({"amount":6,"user":{"id":1,"tags":["a","c"]},"z":0})"),
              ElementsAre("/amount", "/user/tags/1"));
}

TEST(JsonDiff, NamesMembersThatOnlyOneSideHas) {
  EXPECT_THAT(differences(R"({"a":1,"c":3})", R"({"b":2,"c":3,"d":{"e":1}})"), ElementsAre("/a", "/b", "/d"));
  EXPECT_THAT(differences("{}", R"({"a":null})"), ElementsAre("/a"));
  EXPECT_THAT(differences(R"({"a":""})", "{}"), ElementsAre("/a"));
}

TEST(JsonDiff, NamesElementsBeyondTheOthersEnd) {
  EXPECT_THAT(differences("[1,2]", "[1,2,3,4]"), ElementsAre("/2", "/3"));
  EXPECT_THAT(differences("[[],1]", "[]"), ElementsAre("/0", "/1"));
}

TEST(JsonDiff, NamesThePlaceWhereTypesDiffer) {
  EXPECT_THAT(differences(R"({"a":[1]})", R"({"a":{"0":1}})"), ElementsAre("/a"));
  EXPECT_THAT(differences(R"({"a":"1"})", R"({"a":1})"), ElementsAre("/a"));
  EXPECT_THAT(differences("1", "2"), ElementsAre(""));
}

TEST(JsonDiff, EscapesTokensAndPutsThePrefixBefore) {
  EXPECT_THAT(diff(R"({"a/b":{"m~n":1},"é\n":1})", R"({"a/b":{"m~n":2},"é\n":2})", 9, "/context"),
              ElementsAre("/context/a~1b/m~0n", "/context/é\n"));
  EXPECT_THAT(diff("1", "2", 9, "/context"), ElementsAre("/context"));
}

TEST(JsonDiff, StopsAtTheMost) {
  EXPECT_THAT(differences("[1,2,3,[4,5]]", "[9,9,9,[9,9]]", 2), ElementsAre("/0", "/1"));
  EXPECT_THAT(differences("[[1,2],3]", "[[9,9],9]", 1), ElementsAre("/0/0"));
  EXPECT_THAT(differences("1", "2", 0), IsEmpty());
}

TEST(JsonDiff, MergesKeysInUtf16Order) {
  EXPECT_THAT(differences("{\"\U0001F600\":1,\"\uFB33\":1}", "{\"\uFB33\":1}"), ElementsAre("/\U0001F600"));
  EXPECT_THAT(differences("{\"\U0001F600\":1,\"\uFB33\":1}", "{\"\U0001F600\":1}"), ElementsAre("/\uFB33"));
}

}  // namespace
}  // namespace semel::json
