#include "server/options.hpp"

#include <charconv>

namespace semel::server {

bool Address::is_loopback() const { return host == "localhost" || host == "::1" || host.starts_with("127."); }

Result<Address> parse_address(std::string_view text) {
  const auto refused = [&] { return bad_request("'{}' is not an address such as 127.0.0.1:7420 or [::1]:7420", text); };
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos || colon == 0) return refused();
  std::string_view host = text.substr(0, colon);
  const std::string_view port = text.substr(colon + 1);
  if (host.starts_with('[') != host.ends_with(']')) return refused();
  if (host.starts_with('[')) host = host.substr(1, host.size() - 2);
  else if (host.find(':') != std::string_view::npos) return refused();
  Address address{std::string(host), 0};
  const auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), address.port);
  if (error != std::errc{} || end != port.data() + port.size() || host.empty()) return refused();
  return address;
}

Result<std::optional<Address>> parse_grpc_address(std::string_view text) {
  if (text == "off") return std::nullopt;
  return parse_address(text).map([](Address address) { return std::optional(std::move(address)); });
}

}  // namespace semel::server
