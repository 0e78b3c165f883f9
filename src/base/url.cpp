#include "base/url.hpp"

#include <algorithm>
#include <charconv>

#include "base/bytes.hpp"

namespace semel {
namespace {

constexpr std::string_view plain_scheme = "http://";
constexpr std::string_view secure_scheme = "https://";

bool has_odd_character(std::string_view text) {
  return std::any_of(text.begin(), text.end(),
                     [](char c) { return c <= ' ' || c > '~' || c == '#' || c == '\\' || c == '"'; });
}

bool read_url_port(std::string_view text, std::uint16_t& port) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  return error == std::errc{} && end == text.data() + text.size() && port != 0;
}

bool is_host_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '.' ||
         c == '_' || c == ':';
}

/// "host", "host:80", "[::1]:80"; false when it is none of them.
bool read_authority(std::string_view text, HttpUrl& url) {
  const bool is_bracketed = text.starts_with('[');
  const std::size_t host_end = is_bracketed ? text.find(']') : 0;
  if (host_end == std::string_view::npos) return false;
  const std::size_t colon = text.find(':', host_end);
  if (colon != std::string_view::npos && !read_url_port(text.substr(colon + 1), url.port)) return false;
  std::string_view host = text.substr(0, colon);
  if (is_bracketed) {
    if (!host.ends_with(']')) return false;
    host = host.substr(1, host.size() - 2);
  }
  url.host = host;
  return !host.empty() && std::all_of(host.begin(), host.end(), is_host_character);
}

}  // namespace

std::string HttpUrl::authority() const {
  const bool is_ipv6 = host.find(':') != std::string::npos;
  const std::string name = is_ipv6 ? "[" + host + "]" : host;
  return port == (is_secure ? 443 : 80) ? name : fmt::format("{}:{}", name, port);
}

Result<HttpUrl> parse_http_url(std::string_view text) {
  const auto refused = [&] { return bad_request("'{}' is not a url such as https://api.example/tasks", text); };
  HttpUrl url;
  url.is_secure = text.starts_with(secure_scheme);
  if (url.is_secure) url.port = 443;
  if (!(url.is_secure || text.starts_with(plain_scheme)) || has_odd_character(text)) return refused();
  const std::string_view rest = text.substr(url.is_secure ? secure_scheme.size() : plain_scheme.size());
  const std::size_t end = std::min(rest.find('/'), rest.find('?'));
  const std::string_view authority = rest.substr(0, end);
  if (authority.find('@') != std::string_view::npos)
    return bad_request("a url has no place for a name or a password: '{}'", text);
  if (!read_authority(authority, url)) return refused();
  if (end != std::string_view::npos) url.target = (rest[end] == '?' ? "/" : "") + std::string(rest.substr(end));
  return url;
}

std::optional<std::string> percent_decode(std::string_view text) {
  std::string decoded;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] != '%') {
      decoded += text[at];
      continue;
    }
    if (at + 2 >= text.size()) return std::nullopt;
    const int high = hex_value(text[at + 1]);
    const int low = hex_value(text[at + 2]);
    if (high < 0 || low < 0) return std::nullopt;
    decoded += static_cast<char>(high * 16 + low);
    at += 2;
  }
  return decoded;
}

}  // namespace semel
