#include "domain/context_text.hpp"

#include <gtest/gtest.h>

namespace semel::domain {
namespace {

constexpr std::string_view order =
    R"({"id":1017,"to":{"name":"Jos\u00e9 \"Pepe\"","a/b":true},"items":[{"sku":"pen"},["ink",null]],"note":"","total":1.50})";

bool has(std::string_view path, std::string_view text, std::string_view context = order) {
  return has_text(context, {json::Pointer::parse(path).value(), std::string(text)});
}

TEST(ContextText, IsFoundWhereThePathLeads) {
  EXPECT_TRUE(has("/to/name", "Jos"));
  EXPECT_TRUE(has("/id", "101"));
  EXPECT_TRUE(has("/to/a~1b", "true"));
  EXPECT_TRUE(has("/items/0/sku", "pen"));
  EXPECT_TRUE(has("/items/1/1", "null"));
  EXPECT_FALSE(has("/to/name", "1017"));
  EXPECT_FALSE(has("/items/0/sku", "ink"));
}

TEST(ContextText, AStringIsItsCharactersHoweverTheyWereEscaped) {
  EXPECT_TRUE(has("/to/name", "José \"Pepe\""));
  EXPECT_TRUE(has("", "é"));
  EXPECT_FALSE(has("", "u00e9"));
}

TEST(ContextText, ANumberIsAsItWasWritten) {
  EXPECT_TRUE(has("/total", "1.50"));
  EXPECT_FALSE(has("/total", "1.5000"));
}

TEST(ContextText, AnObjectOrAnArrayHasWhatAnyValueInItHas) {
  EXPECT_TRUE(has("", "pen"));
  EXPECT_TRUE(has("/items", "ink"));
  EXPECT_TRUE(has("/to", "true"));
  EXPECT_FALSE(has("/items", "José"));
  EXPECT_FALSE(has("", "sku")) << "names of members are not looked at";
  EXPECT_FALSE(has("", "JOSÉ")) << "case matters";
}

TEST(ContextText, APathThatLeadsNowhereHasNothing) {
  for (const char* path :
       {"/nothing", "/id/0", "/items/2", "/items/00", "/items/-1", "/items/x", "/items/", "/to/name/0"})
    EXPECT_FALSE(has(path, "")) << path;
  EXPECT_FALSE(has("/items/0", "x", "[]"));
  EXPECT_FALSE(has("", "x", "{}"));
  EXPECT_FALSE(has("", "x", R"({"a":)")) << "what cannot be read has nothing";
}

TEST(ContextText, AnyValueThatIsThereHasTheEmptyText) {
  EXPECT_TRUE(has("/note", ""));
  EXPECT_TRUE(has("", "", "7"));
}

}  // namespace
}  // namespace semel::domain
