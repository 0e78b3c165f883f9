#include "http_client/places.hpp"

#include <gmock/gmock.h>

namespace semel::http_client {
namespace {

using testing::ElementsAre;

Places places_of(std::initializer_list<const char*> addresses) {
  Places places;
  for (const char* address : addresses) places.emplace_back(boost::asio::ip::make_address(address), 443);
  return places;
}

/// A name may have several addresses: one that is allowed does not let the others pass.
TEST(Sifted, HasEachAddressOfANameOnItsSide) {
  const Places places = places_of({"10.0.0.1", "93.184.216.34", "::1", "2606:2800:220:1::1"});
  const auto is_loopback_or_private = [](const IpAddress& ip) {
    return ip == *IpAddress::parse("10.0.0.1") || ip == *IpAddress::parse("::1");
  };

  const Sifted sifted = sift(places, [&](const IpAddress& ip) { return !is_loopback_or_private(ip); });

  EXPECT_THAT(sifted.allowed, ElementsAre(places[1], places[3]));
  EXPECT_THAT(sifted.forbidden, ElementsAre(*IpAddress::parse("10.0.0.1"), *IpAddress::parse("::1")));
}

TEST(Sifted, HasAllWhereNobodyAsks) {
  const Places places = places_of({"10.0.0.1", "::1"});

  EXPECT_EQ(sift(places, nullptr).allowed, places);
}

}  // namespace
}  // namespace semel::http_client
