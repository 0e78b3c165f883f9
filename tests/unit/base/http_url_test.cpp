#include "base/url.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace semel {
namespace {

TEST(HttpUrl, HasHostPortAndTarget) {
  struct Case {
    std::string_view text;
    HttpUrl url;
    std::string_view authority;
  };
  const std::vector<Case> cases{
      {"http://a.example", {"a.example", 80, false, "/"}, "a.example"},
      {"https://a.example", {"a.example", 443, true, "/"}, "a.example"},
      {"https://a.example:80/x", {"a.example", 80, true, "/x"}, "a.example:80"},
      {"http://127.0.0.1:7420/a/b/?c=/d", {"127.0.0.1", 7420, false, "/a/b/?c=/d"}, "127.0.0.1:7420"},
      {"http://[::1]:7420/", {"::1", 7420, false, "/"}, "[::1]:7420"},
      {"https://[2001:db8::1]?x", {"2001:db8::1", 443, true, "/?x"}, "[2001:db8::1]"},
      {"https://a_b.example/%2F", {"a_b.example", 443, true, "/%2F"}, "a_b.example"}};
  for (const Case& each : cases) {
    const Result<HttpUrl> url = parse_http_url(each.text);

    ASSERT_TRUE(url) << each.text << ": " << url.error().message;
    EXPECT_EQ(*url, each.url) << each.text;
    EXPECT_EQ(url->authority(), each.authority) << each.text;
  }
}

TEST(HttpUrl, ThatIsNoneIsRefused) {
  for (const char* text : {"",
                           "a.example",
                           "ftp://a",
                           "HTTP://a",
                           "http://",
                           "http://:80",
                           "http://a:",
                           "http://a:0",
                           "http://a:65536",
                           "http://a:1x",
                           "http://[::1",
                           "http://[::1]x",
                           "http://[]",
                           "http://a b/",
                           "http://a/ b",
                           "http://a/#x",
                           "http://a\\b/",
                           "http://me@a/",
                           "http://me:word@a/",
                           "http://a/\r\nX: y",
                           "http://a%2eb/",
                           "http://\xc3\xa4/"})
    EXPECT_FALSE(parse_http_url(text)) << text;
}

TEST(HttpUrl, IsUnescaped) {
  EXPECT_EQ(percent_decode("https%3A%2F%2Fa%2fb"), "https://a/b");
  EXPECT_EQ(percent_decode(""), "");
  for (const char* text : {"%", "%2", "a%2", "%zz", "%2x"}) EXPECT_FALSE(percent_decode(text)) << text;
}

}  // namespace
}  // namespace semel
