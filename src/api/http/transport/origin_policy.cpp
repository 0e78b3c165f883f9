#include "api/http/transport/origin_policy.hpp"

#include <algorithm>

#include "api/http/transport/ascii.hpp"

namespace semel::http {
namespace {

bool is_number(std::string_view text, std::size_t digits_max) {
  return !text.empty() && text.size() <= digits_max &&
         std::all_of(text.begin(), text.end(), [](char digit) { return digit >= '0' && digit <= '9'; });
}

/// "127.x.y.z" in plain decimal; no other spelling of an IPv4 address is taken.
bool is_loopback_v4(std::string_view host) {
  if (!host.starts_with("127.")) return false;
  int parts = 1;
  while (parts < 4) {
    host.remove_prefix(host.find('.') + 1);
    const std::size_t dot = host.find('.');
    const std::string_view part = host.substr(0, dot);
    if (!is_number(part, 3) || (part.size() == 3 && part > "255")) return false;
    ++parts;
    if (dot == std::string_view::npos) break;
  }
  return parts == 4 && host.find('.') == std::string_view::npos;
}

/// The host of "host[:port]"; nothing when the port is not a number.
std::optional<std::string_view> host_of(std::string_view authority) {
  const std::size_t bracket = authority.starts_with('[') ? authority.find(']') : 0;
  if (bracket == std::string_view::npos) return std::nullopt;
  const std::size_t colon = authority.find(':', bracket);
  if (colon == std::string_view::npos) return authority;
  if (!is_number(authority.substr(colon + 1), 5)) return std::nullopt;
  return authority.substr(0, colon);
}

/// The authority of "http://host:port"; nothing for "null" and other schemes.
std::optional<std::string_view> authority_of(std::string_view origin) {
  for (const std::string_view scheme : {"http://", "https://"}) {
    if (origin.starts_with(scheme)) return origin.substr(scheme.size());
  }
  return std::nullopt;
}

/// Somebody has followed a link from another site, to the dashboard as a rule. The other page sees nothing of the
/// answer, and what is only read changes nothing.
bool is_followed_link(const Head& head) {
  return head.method == "GET" && equals_ignoring_case(head.fetch_mode, "navigate") &&
         equals_ignoring_case(head.fetch_dest, "document");
}

std::string as_url_host(std::string_view host) {
  const bool is_bare_v6 = host.find(':') != std::string_view::npos && !host.starts_with('[');
  return is_bare_v6 ? "[" + lower_case(host) + "]" : lower_case(host);
}

}  // namespace

OriginPolicy::OriginPolicy(bool is_on, std::string_view listen_host)
    : is_on_(is_on), listen_host_(as_url_host(listen_host)) {}

bool OriginPolicy::is_local(std::string_view authority) const {
  const std::optional<std::string_view> host = host_of(authority);
  if (!host) return false;
  return equals_ignoring_case(*host, "localhost") || *host == "[::1]" || is_loopback_v4(*host) ||
         equals_ignoring_case(*host, listen_host_);
}

std::optional<Refusal> OriginPolicy::check(const Head& head) const {
  if (!is_on_) return std::nullopt;
  if (head.has_host && !is_local(head.host)) {
    return forbidden_refusal("this server answers to localhost and its own address only: change the Host header");
  }
  if (!head.origin.empty()) {
    const std::optional<std::string_view> authority = authority_of(head.origin);
    if (!authority || !is_local(*authority)) {
      return forbidden_refusal("web pages of other origins may not call this server: drop the Origin header");
    }
  }
  if (equals_ignoring_case(head.fetch_site, "cross-site") && !is_followed_link(head)) {
    return forbidden_refusal("web pages of other sites may not call this server (Sec-Fetch-Site: cross-site)");
  }
  return std::nullopt;
}

}  // namespace semel::http
