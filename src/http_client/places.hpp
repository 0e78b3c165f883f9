#pragma once
#include <boost/asio/ip/tcp.hpp>
#include <functional>
#include <optional>
#include <vector>

#include "base/ip_address.hpp"
#include "base/url.hpp"

namespace semel::http_client {

/// Where a server may be reached.
using Places = std::vector<boost::asio::ip::tcp::endpoint>;

/// Of a url with an address in it there is nothing to ask.
std::optional<Places> place_of_address(const HttpUrl& url);

struct Sifted {
  Places allowed;
  std::vector<IpAddress> forbidden;
};

/// Every address is asked about; without a question all are allowed.
Sifted sift(const Places& places, const std::function<bool(const IpAddress&)>& may_connect);

}  // namespace semel::http_client
