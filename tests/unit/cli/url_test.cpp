#include "cli/client/url.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace semel::cli {
namespace {

using testing::HasSubstr;

std::string refusal_of(std::string_view text) {
  const Result<Url> url = parse_url(text);
  return url ? "" : url.error().message;
}

TEST(Url, HasHostPortAndPrefix) {
  struct Case {
    std::string_view text;
    std::string host;
    int port;
    std::string prefix;
    std::string authority;
  };
  const std::vector<Case> cases{{"http://127.0.0.1:7420", "127.0.0.1", 7420, "", "127.0.0.1:7420"},
                                {"http://127.0.0.1:7420/", "127.0.0.1", 7420, "", "127.0.0.1:7420"},
                                {"http://[::1]:7420", "::1", 7420, "", "[::1]:7420"},
                                {"http://[::1]/a", "::1", 80, "/a", "[::1]:80"},
                                {"http://gateway/semel/", "gateway", 80, "/semel", "gateway:80"}};
  for (const Case& each : cases) {
    const Result<Url> url = parse_url(each.text);

    ASSERT_TRUE(url) << each.text << ": " << url.error().message;
    EXPECT_EQ(url->host, each.host) << each.text;
    EXPECT_EQ(url->port, each.port) << each.text;
    EXPECT_EQ(url->prefix, each.prefix) << each.text;
    EXPECT_EQ(url->authority(), each.authority) << each.text;
  }
}

TEST(Url, ThatIsNoneIsRefusedWithAnExample) {
  for (const char* text : {"", "127.0.0.1:7420", "localhost", "ftp://a", "http://", "http://:80",
                           "http://a:", "http://a:0", "http://a:70000", "http://a:8x", "http://[::1",
                           "http://[::1]x:80", "http://a b", "http://a/?x=1", "http://a\r\nX: y"}) {
    EXPECT_THAT(refusal_of(text), HasSubstr("is not a url such as http://127.0.0.1:7420")) << text;
  }
}

TEST(Url, OfTlsHasItsOwnPort) {
  const Url url = parse_url("https://a").value();
  EXPECT_TRUE(url.is_secure);
  EXPECT_EQ(url.port, 443);
  EXPECT_EQ(parse_url("https://a:7420/x/").value().port, 7420);
  EXPECT_EQ(parse_url("https://a:7420/x/").value().prefix, "/x");
  EXPECT_FALSE(parse_url("http://a").value().is_secure);
}

TEST(Url, TakesNoPassword) { EXPECT_THAT(refusal_of("http://me:secret@a"), HasSubstr("--key or SEMEL_KEY")); }

}  // namespace
}  // namespace semel::cli
