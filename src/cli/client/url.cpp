#include "cli/client/url.hpp"

#include <algorithm>
#include <charconv>

namespace semel::cli {
namespace {

constexpr std::string_view plain = "http://";
constexpr std::string_view secure = "https://";

bool has_odd_character(std::string_view text) {
  return std::any_of(text.begin(), text.end(), [](char c) { return c <= ' ' || c > '~' || c == '?' || c == '#'; });
}

bool read_port(std::string_view text, std::uint16_t& port) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  return error == std::errc{} && end == text.data() + text.size() && port != 0;
}

}  // namespace

std::string Url::authority() const {
  const bool is_ipv6 = host.find(':') != std::string::npos;
  return fmt::format("{}{}{}:{}", is_ipv6 ? "[" : "", host, is_ipv6 ? "]" : "", port);
}

Result<Url> parse_url(std::string_view text) {
  const auto refused = [&] { return bad_request("'{}' is not a url such as http://127.0.0.1:7420", text); };
  Url url;
  url.is_secure = text.starts_with(secure);
  if (url.is_secure) url.port = 443;
  if (!(url.is_secure || text.starts_with(plain)) || has_odd_character(text)) return refused();
  const std::string_view rest = text.substr(url.is_secure ? secure.size() : plain.size());
  const std::size_t slash = rest.find('/');
  std::string_view authority = rest.substr(0, slash);
  if (slash != std::string_view::npos) url.prefix = rest.substr(slash);
  while (url.prefix.ends_with('/')) url.prefix.pop_back();
  if (authority.find('@') != std::string_view::npos)
    return bad_request("a url has no place for a password; give the API key with --key or SEMEL_KEY");
  const std::size_t host_end = authority.starts_with('[') ? authority.find(']') : 0;
  if (host_end == std::string_view::npos) return refused();
  const std::size_t colon = authority.find(':', host_end);
  if (colon != std::string_view::npos && !read_port(authority.substr(colon + 1), url.port)) return refused();
  authority = authority.substr(0, colon);
  if (authority.starts_with('[')) {
    if (!authority.ends_with(']')) return refused();
    authority = authority.substr(1, authority.size() - 2);
  }
  if (authority.empty()) return refused();
  url.host = authority;
  return url;
}

}  // namespace semel::cli
