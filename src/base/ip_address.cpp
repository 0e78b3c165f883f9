#include "base/ip_address.hpp"

#include <arpa/inet.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <utility>

namespace semel {
namespace {

struct Block {
  std::string_view network;
  Reach reach;
};

// The first that fits counts.
constexpr std::array blocks_v4{
    Block{"0.0.0.0/8", Reach::machine},       Block{"10.0.0.0/8", Reach::own_net},
    Block{"100.64.0.0/10", Reach::own_net},   Block{"127.0.0.0/8", Reach::machine},
    Block{"169.254.0.0/16", Reach::own_link}, Block{"172.16.0.0/12", Reach::own_net},
    Block{"192.0.0.0/24", Reach::reserved},   Block{"192.0.2.0/24", Reach::reserved},
    Block{"192.88.99.0/24", Reach::reserved}, Block{"192.168.0.0/16", Reach::own_net},
    Block{"198.18.0.0/15", Reach::reserved},  Block{"198.51.100.0/24", Reach::reserved},
    Block{"203.0.113.0/24", Reach::reserved}, Block{"224.0.0.0/4", Reach::many},
    Block{"255.255.255.255/32", Reach::many}, Block{"240.0.0.0/4", Reach::reserved},
    Block{"0.0.0.0/0", Reach::anybody},
};

constexpr std::array blocks_v6{
    Block{"::/127", Reach::machine},         Block{"::ffff:0:0/96", Reach::carried},
    Block{"::/96", Reach::carried},          Block{"64:ff9b::/96", Reach::carried},
    Block{"64:ff9b:1::/48", Reach::carried}, Block{"fe80::/10", Reach::own_link},
    Block{"fec0::/10", Reach::own_net},      Block{"fc00::/7", Reach::own_net},
    Block{"ff00::/8", Reach::many},          Block{"2001::/32", Reach::carried},
    Block{"2001::/23", Reach::reserved},     Block{"2001:db8::/32", Reach::reserved},
    Block{"2002::/16", Reach::carried},      Block{"3fff::/20", Reach::reserved},
    Block{"2000::/3", Reach::anybody},       Block{"::/0", Reach::reserved},
};

using Known = std::vector<std::pair<IpNetwork, Reach>>;

template <std::size_t count>
Known read_blocks(const std::array<Block, count>& blocks) {
  Known known;
  for (const Block& block : blocks) known.emplace_back(IpNetwork::parse(block.network).value(), block.reach);
  return known;
}

/// The address of version 4 that a mapped one carries.
std::optional<IpAddress> unmapped(const IpAddress& address) {
  static const IpNetwork mapped = IpNetwork::parse("::ffff:0:0/96").value();
  if (!mapped.contains(address)) return std::nullopt;
  IpAddress carried;
  carried.is_v4 = true;
  std::copy_n(address.bytes.begin() + 12, 4, carried.bytes.begin());
  return carried;
}

std::string_view without_spaces(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

}  // namespace

std::optional<IpAddress> IpAddress::parse(std::string_view text) {
  const std::string ended(text);
  IpAddress address;
  address.is_v4 = inet_pton(AF_INET, ended.c_str(), address.bytes.data()) == 1;
  if (!address.is_v4 && inet_pton(AF_INET6, ended.c_str(), address.bytes.data()) != 1) return std::nullopt;
  return ended.size() == std::strlen(ended.c_str()) ? std::optional(address) : std::nullopt;
}

std::string IpAddress::text() const {
  std::array<char, INET6_ADDRSTRLEN> buffer{};
  return inet_ntop(is_v4 ? AF_INET : AF_INET6, bytes.data(), buffer.data(), buffer.size());
}

std::string_view name_of(Reach reach) {
  switch (reach) {
    case Reach::anybody: return "public";
    case Reach::machine: return "loopback";
    case Reach::own_net: return "private";
    case Reach::own_link: return "link-local";
    case Reach::many: return "multicast";
    case Reach::carried: return "translated";
    case Reach::reserved: return "reserved";
  }
  return "";
}

Reach reach_of(const IpAddress& address) {
  static const Known known_v4 = read_blocks(blocks_v4);
  static const Known known_v6 = read_blocks(blocks_v6);
  for (const auto& [network, reach] : address.is_v4 ? known_v4 : known_v6) {
    if (network.contains(address)) return reach;
  }
  return Reach::reserved;
}

Result<IpNetwork> IpNetwork::parse(std::string_view text) {
  const auto refused = [&] { return bad_request("'{}' is not a network such as 10.0.0.0/8 or fd00::/8", text); };
  const std::size_t slash = text.find('/');
  const std::optional<IpAddress> address = IpAddress::parse(text.substr(0, slash));
  if (!address) return refused();
  IpNetwork network{*address, address->is_v4 ? 32 : 128};
  if (slash == std::string_view::npos) return network;
  const std::string_view digits = text.substr(slash + 1);
  const int bits_max = network.bits;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), network.bits);
  if (error != std::errc{} || end != digits.data() + digits.size()) return refused();
  if (network.bits < 0 || network.bits > bits_max) return refused();
  return network;
}

bool IpNetwork::contains(const IpAddress& other) const {
  if (address.is_v4 != other.is_v4) return false;
  for (int bit = 0; bit < bits; ++bit) {
    const auto byte = static_cast<std::size_t>(bit / 8);
    const int mask = 0x80 >> (bit % 8);
    if (((address.bytes[byte] ^ other.bytes[byte]) & mask) != 0) return false;
  }
  return true;
}

Result<std::vector<IpNetwork>> parse_networks(std::string_view text) {
  std::vector<IpNetwork> networks;
  while (!without_spaces(text).empty()) {
    const std::size_t comma = text.find(',');
    Result<IpNetwork> network = IpNetwork::parse(without_spaces(text.substr(0, comma)));
    if (!network) return pass_on(network.error());
    networks.push_back(*network);
    text = comma == std::string_view::npos ? "" : text.substr(comma + 1);
  }
  return networks;
}

bool may_call(const IpAddress& address, std::span<const IpNetwork> allowed) {
  if (reach_of(address) == Reach::anybody) return true;
  const IpAddress meant = unmapped(address).value_or(address);
  return std::any_of(allowed.begin(), allowed.end(), [&](const IpNetwork& network) { return network.contains(meant); });
}

}  // namespace semel
