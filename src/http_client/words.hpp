#pragma once
#include <boost/system/error_code.hpp>
#include <optional>
#include <string_view>
#include <vector>

#include "base/ip_address.hpp"
#include "http_client/call.hpp"

namespace semel::http_client {

/// What a code of Asio, Beast or OpenSSL means to a caller.
Failure failure_of(const boost::system::error_code& code);

/// None of the addresses of a name may be connected to.
Failure forbidden(const std::vector<IpAddress>& addresses);

/// The seconds of a Retry-After header; a date in it is not looked at.
std::optional<Duration> read_retry_after(std::string_view text);

}  // namespace semel::http_client
