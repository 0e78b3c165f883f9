#include "api/http/transport/target.hpp"

#include <gtest/gtest.h>

namespace semel::http {
namespace {

using Query = std::vector<std::pair<std::string, std::string>>;

TEST(Target, AColonInThePathIsJustACharacter) {
  const Result<Target> target = parse_target("/v1/tasks:batch");

  ASSERT_TRUE(target);
  EXPECT_EQ(target->path, "/v1/tasks:batch");
  EXPECT_TRUE(target->query.empty());
}

TEST(Target, ThePathIsDecodedAndKeepsItsPlus) { EXPECT_EQ(parse_target("/a%20b%2Fc+d%c3%a9")->path, "/a b/c+d\u00e9"); }

TEST(Target, TheQueryBeginsAtTheFirstQuestionMark) {
  const Result<Target> target = parse_target("/a?b=c?d");

  ASSERT_TRUE(target);
  EXPECT_EQ(target->path, "/a");
  EXPECT_EQ(target->query, (Query{{"b", "c?d"}}));
}

TEST(Target, QueryPairsAreDecodedAndKeepTheirOrder) {
  const Result<Target> target = parse_target("/?b=1+2&a%3D=%26&b=&flag&&x=y=z");

  ASSERT_TRUE(target);
  EXPECT_EQ(target->query, (Query{{"b", "1 2"}, {"a=", "&"}, {"b", ""}, {"flag", ""}, {"x", "y=z"}}));
}

TEST(Target, WhatCannotBeDecodedIsRefusedWithAReason) {
  for (const std::string_view text : {"", "a", "*", "http://evil.example/a", "/%", "/%1", "/%zz", "/%2", "/a%00b",
                                      "/?a=%00", "/?a=%", "/?%g1=a", "/%ff", "/?a=%c3", "/%c0%80"}) {
    const Result<Target> target = parse_target(text);

    ASSERT_FALSE(target) << text;
    EXPECT_EQ(target.error().code, ErrorCode::bad_request);
    EXPECT_FALSE(target.error().message.empty());
  }
}

}  // namespace
}  // namespace semel::http
