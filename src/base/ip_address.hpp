#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace semel {

/// An address of the Internet Protocol. The four bytes of version 4 stand first.
struct IpAddress {
  std::array<std::uint8_t, 16> bytes{};
  bool is_v4 = false;

  static std::optional<IpAddress> parse(std::string_view text);
  std::string text() const;
  bool operator==(const IpAddress&) const = default;
};

/// Who is there.
enum class Reach : std::uint8_t {
  anybody,   // a host of the internet
  machine,   // this machine: loopback, and "any address"
  own_net,   // private, shared and unique local networks
  own_link,  // link-local: the metadata of clouds is here
  many,      // multicast and broadcast
  carried,   // an address of version 4 within one of version 6: mapped, NAT64, 6to4, Teredo
  reserved,  // documentation, benchmarks, protocols, and what nobody was given
};
std::string_view name_of(Reach reach);

/// By the special-purpose registries of IANA (RFC 6890). Of version 6 only global unicast is anybody's.
Reach reach_of(const IpAddress& address);

/// "10.0.0.0/8", "fd00::/8", or one address.
struct IpNetwork {
  IpAddress address;
  int bits = 0;

  static Result<IpNetwork> parse(std::string_view text);
  bool contains(const IpAddress& other) const;
  bool operator==(const IpNetwork&) const = default;
};

/// Separated by commas; "" has none.
Result<std::vector<IpNetwork>> parse_networks(std::string_view text);

/// Whether a server that calls urls of others may connect there: only to hosts of the internet, and to what its
/// operator has allowed. A mapped address is allowed as the one that it carries.
bool may_call(const IpAddress& address, std::span<const IpNetwork> allowed);

}  // namespace semel
