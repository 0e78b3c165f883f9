#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace semel::cli {

/// Where a server is.
struct Url {
  std::string host;  // without the brackets of an IPv6 address
  std::uint16_t port = 80;
  bool is_secure = false;  // https
  std::string prefix;      // before every path, without a slash at its end

  /// As it stands in the Host header: "127.0.0.1:7420", "[::1]:7420".
  std::string authority() const;
  std::string_view scheme() const { return is_secure ? "https" : "http"; }
};

/// "http://127.0.0.1:7420", "http://[::1]:7420", "https://gateway/semel".
Result<Url> parse_url(std::string_view text);

}  // namespace semel::cli
