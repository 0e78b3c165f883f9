#include "api/http/transport/origin_policy.hpp"

#include <gtest/gtest.h>

namespace semel::http {
namespace {

Head head_from(std::string host, std::string origin = "", std::string fetch_site = "") {
  Head head;
  head.has_host = true;
  head.host = std::move(host);
  head.origin = std::move(origin);
  head.fetch_site = std::move(fetch_site);
  return head;
}

TEST(OriginPolicy, ThisMachineIsKnownByItsLoopbackNamesAndItsListenAddressOnAnyPort) {
  const OriginPolicy policy(true, "192.0.2.7");

  for (const std::string_view authority : {"localhost", "localhost:7420", "LOCALHOST:1", "127.0.0.1", "127.0.0.1:80",
                                           "127.255.1.2", "[::1]", "[::1]:7420", "192.0.2.7", "192.0.2.7:7420"}) {
    EXPECT_TRUE(policy.is_local(authority)) << authority;
  }
}

TEST(OriginPolicy, EveryOtherNameIsForeignHoweverMuchItLooksAlike) {
  const OriginPolicy policy(true, "192.0.2.7");

  for (const std::string_view authority : {"",
                                           "evil.example",
                                           "localhost.evil.example",
                                           "evil.localhost",
                                           "localhost.",
                                           "127.0.0.1.evil.example",
                                           "127.evil.example",
                                           "127.0.0",
                                           "127.0.0.256",
                                           "127.0.0.",
                                           "127.0.0.1.",
                                           "127..0.1",
                                           "127.1",
                                           "0127.0.0.1",
                                           "2130706433",
                                           "0.0.0.0",
                                           "[::1",
                                           "[::2]",
                                           "::1",
                                           "[::1]evil",
                                           "localhost:",
                                           "localhost:80:80",
                                           "localhost:x",
                                           "evil@localhost",
                                           "192.0.2.70",
                                           "10.0.0.1"}) {
    EXPECT_FALSE(policy.is_local(authority)) << authority;
  }
}

TEST(OriginPolicy, AnIpv6ListenAddressIsKnownInBrackets) {
  EXPECT_TRUE(OriginPolicy(true, "2001:DB8::1").is_local("[2001:db8::1]:7420"));
}

TEST(OriginPolicy, AForeignHostOriginOrSiteIsForbidden) {
  const OriginPolicy policy(true, "127.0.0.1");

  EXPECT_FALSE(policy.check(head_from("localhost")));
  EXPECT_FALSE(policy.check(head_from("localhost", "http://localhost:5173", "same-site")));
  EXPECT_FALSE(policy.check(head_from("localhost", "https://[::1]", "none")));
  for (const Head& head :
       {head_from("evil.example"), head_from("localhost", "http://evil.example"), head_from("localhost", "null"),
        head_from("localhost", "file://localhost"), head_from("localhost", "", "cross-site"),
        head_from("localhost", "http://localhost", "Cross-Site")}) {
    const auto refusal = policy.check(head);

    ASSERT_TRUE(refusal) << head.host << ' ' << head.origin << ' ' << head.fetch_site;
    EXPECT_EQ(refusal->status, 403);
    EXPECT_EQ(refusal->code, "FORBIDDEN");
  }
}

TEST(OriginPolicy, ALinkThatSomebodyFollowsFromAnotherSiteIsNoCallOfThatSite) {
  const OriginPolicy policy(true, "127.0.0.1");
  Head link = head_from("localhost", "", "cross-site");
  link.method = "GET";
  link.fetch_mode = "navigate";
  link.fetch_dest = "document";
  EXPECT_FALSE(policy.check(link));

  Head form = link;
  form.method = "POST";
  Head frame = link;
  frame.fetch_dest = "iframe";
  Head script = link;
  script.fetch_mode = "no-cors";
  Head rebound = link;
  rebound.host = "evil.example";
  for (const Head& head : {form, frame, script, rebound})
    EXPECT_TRUE(policy.check(head)) << head.method << head.fetch_dest;
}

TEST(OriginPolicy, SwitchedOffItLetsEverythingPass) {
  EXPECT_FALSE(OriginPolicy(false, "127.0.0.1").check(head_from("evil.example", "http://evil.example", "cross-site")));
}

}  // namespace
}  // namespace semel::http
