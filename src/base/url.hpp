#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace semel {

/// Where something is that speaks HTTP.
struct HttpUrl {
  std::string host{};  // without the brackets of an IPv6 address
  std::uint16_t port = 80;
  bool is_secure = false;    // https
  std::string target = "/";  // path and query, as written

  /// As it stands in the Host header: "api.example", "127.0.0.1:7420", "[::1]:7420".
  std::string authority() const;
  std::string_view scheme() const { return is_secure ? "https" : "http"; }

  bool operator==(const HttpUrl&) const = default;
};

/// "http://127.0.0.1:7420/run", "https://api.example/tasks?by=semel". Refused are other schemes, names and passwords, a
/// fragment, and characters that a url must escape.
Result<HttpUrl> parse_http_url(std::string_view text);

/// What %-escapes stand for; nothing when one of them is cut short or no number.
std::optional<std::string> percent_decode(std::string_view text);

}  // namespace semel
