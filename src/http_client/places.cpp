#include "http_client/places.hpp"

#include <algorithm>

namespace semel::http_client {

namespace asio = boost::asio;

namespace {

IpAddress ip_of(const asio::ip::address& address) {
  IpAddress ip;
  ip.is_v4 = address.is_v4();
  if (ip.is_v4) std::ranges::copy(address.to_v4().to_bytes(), ip.bytes.begin());
  else std::ranges::copy(address.to_v6().to_bytes(), ip.bytes.begin());
  return ip;
}

}  // namespace

std::optional<Places> place_of_address(const HttpUrl& url) {
  boost::system::error_code is_name;
  const asio::ip::address address = asio::ip::make_address(url.host, is_name);
  if (is_name) return std::nullopt;
  return Places{{address, url.port}};
}

Sifted sift(const Places& places, const std::function<bool(const IpAddress&)>& may_connect) {
  Sifted sifted;
  for (const auto& place : places) {
    const IpAddress ip = ip_of(place.address());
    if (!may_connect || may_connect(ip)) sifted.allowed.push_back(place);
    else sifted.forbidden.push_back(ip);
  }
  return sifted;
}

}  // namespace semel::http_client
