#include "base/ip_address.hpp"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace semel {
namespace {

IpAddress ip(std::string_view text) { return IpAddress::parse(text).value(); }

TEST(IpAddress, IsReadAndWritten) {
  for (const char* text : {"0.0.0.0", "192.0.2.1", "255.255.255.255", "::", "::1", "2001:db8::1", "::ffff:10.0.0.1"})
    EXPECT_EQ(ip(text).text(), text);
  for (const char* text : {"", "1.2.3", "1.2.3.4.5", "256.1.1.1", "01.2.3.4", "1.2.3.4 ", "0x7f.1", "2130706433",
                           ":::", "fe80::1%eth0", "[::1]", "a.example"})
    EXPECT_FALSE(IpAddress::parse(text)) << text;
  EXPECT_FALSE(IpAddress::parse(std::string_view("1.2.3.4\0x", 9)));
}

using Reaches = std::vector<std::pair<std::string_view, Reach>>;

void expect_reaches(const Reaches& cases) {
  for (const auto& [text, reach] : cases) {
    EXPECT_EQ(reach_of(ip(text)), reach) << text << " is " << name_of(reach_of(ip(text)));
    EXPECT_EQ(may_call(ip(text), {}), reach == Reach::anybody) << text;
  }
}

// The first and the last address of each block, and its neighbours on both sides.
// clang-format off
TEST(IpAddress, OfVersion4IsReachedByWhomTheRegistriesSay) {
  using enum Reach;
  expect_reaches({
    {"0.0.0.0", machine}, {"0.255.255.255", machine}, {"1.0.0.0", anybody}, {"9.255.255.255", anybody},
    {"10.0.0.0", own_net}, {"10.255.255.255", own_net}, {"11.0.0.0", anybody}, {"100.63.255.255", anybody},
    {"100.64.0.0", own_net}, {"100.127.255.255", own_net}, {"100.128.0.0", anybody},
    {"126.255.255.255", anybody}, {"127.0.0.1", machine}, {"127.255.255.255", machine},
    {"128.0.0.0", anybody}, {"169.253.255.255", anybody}, {"169.254.169.254", own_link},
    {"169.255.0.0", anybody}, {"172.15.255.255", anybody}, {"172.16.0.0", own_net},
    {"172.31.255.255", own_net}, {"172.32.0.0", anybody}, {"192.0.0.8", reserved}, {"192.0.1.0", anybody},
    {"192.0.2.255", reserved}, {"192.88.99.1", reserved}, {"192.167.255.255", anybody},
    {"192.168.0.0", own_net}, {"192.168.255.255", own_net}, {"192.169.0.0", anybody},
    {"198.17.255.255", anybody}, {"198.18.0.0", reserved}, {"198.19.255.255", reserved},
    {"198.20.0.0", anybody}, {"198.51.100.7", reserved}, {"203.0.113.7", reserved},
    {"223.255.255.255", anybody}, {"224.0.0.1", many}, {"239.255.255.255", many}, {"240.0.0.1", reserved},
    {"255.255.255.254", reserved}, {"255.255.255.255", many}, {"8.8.8.8", anybody}});
}

TEST(IpAddress, OfVersion6IsReachedByWhomTheRegistriesSay) {
  using enum Reach;
  expect_reaches({
    {"::", machine}, {"::1", machine}, {"::2", carried}, {"::127.0.0.1", carried},
    {"::ffff:8.8.8.8", carried}, {"::ffff:127.0.0.1", carried}, {"::fffe:8.8.8.8", reserved},
    {"64:ff9b::8.8.8.8", carried}, {"64:ff9b::10.0.0.1", carried}, {"64:ff9b:1::1", carried},
    {"64:ff9c::1", reserved}, {"100::1", reserved}, {"1fff::1", reserved}, {"2000::1", anybody},
    {"2001::1", carried}, {"2001:1::1", reserved}, {"2001:1ff:ffff::1", reserved}, {"2001:200::1", anybody},
    {"2001:db8::1", reserved}, {"2001:db9::1", anybody}, {"2002:7f00:1::1", carried}, {"2003::1", anybody},
    {"2600:1f18::1", anybody}, {"3ffe::1", anybody}, {"3fff:fff::1", reserved}, {"3fff:1000::1", anybody},
    {"4000::1", reserved}, {"5f00::1", reserved}, {"fbff::1", reserved}, {"fc00::1", own_net},
    {"fd00::1", own_net}, {"fe00::1", reserved}, {"fe80::1", own_link}, {"febf::1", own_link},
    {"fec0::1", own_net}, {"ff02::1", many}});
}
// clang-format on

TEST(IpAddress, IsInNetworks) {
  const auto contains = [](std::string_view network, std::string_view address) {
    return IpNetwork::parse(network).value().contains(ip(address));
  };
  EXPECT_TRUE(contains("10.1.2.3/8", "10.255.0.1"));
  EXPECT_FALSE(contains("10.0.0.0/8", "11.0.0.0"));
  EXPECT_TRUE(contains("192.168.7.9", "192.168.7.9"));
  EXPECT_FALSE(contains("192.168.7.9", "192.168.7.8"));
  EXPECT_TRUE(contains("172.16.0.0/12", "172.31.0.1"));
  EXPECT_FALSE(contains("172.16.0.0/12", "172.32.0.1"));
  EXPECT_TRUE(contains("0.0.0.0/0", "8.8.8.8"));
  EXPECT_FALSE(contains("0.0.0.0/0", "::1"));
  EXPECT_TRUE(contains("fd00::/8", "fdff::1"));
  for (const char* text : {"", "10.0.0.0/", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/8x", "::/129", "10.0.0/8", "/8"})
    EXPECT_FALSE(IpNetwork::parse(text)) << text;
}

TEST(IpAddress, MayBeCalledWhereItsNetworkIsAllowed) {
  const std::vector<IpNetwork> allowed = parse_networks("10.0.0.0/8, ::1").value();

  EXPECT_TRUE(may_call(ip("10.1.1.1"), allowed));
  EXPECT_TRUE(may_call(ip("::ffff:10.1.1.1"), allowed));
  EXPECT_TRUE(may_call(ip("::1"), allowed));
  EXPECT_FALSE(may_call(ip("127.0.0.1"), allowed));
  EXPECT_FALSE(may_call(ip("::ffff:127.0.0.1"), allowed));
  EXPECT_FALSE(may_call(ip("64:ff9b::10.1.1.1"), allowed));
}

TEST(IpAddress, NetworksAreSeparatedByCommas) {
  EXPECT_EQ(parse_networks("")->size(), 0U);
  EXPECT_EQ(parse_networks(" 10.0.0.0/8 ,fd00::/8 ")->size(), 2U);
  for (const char* text : {"10.0.0.0/8 fd00::/8", ",", "10.0.0.0/8,,::1", "all"})
    EXPECT_FALSE(parse_networks(text)) << text;
}

}  // namespace
}  // namespace semel
