#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "api/http/transport/head.hpp"
#include "api/http/transport/refusal.hpp"

namespace semel::http {

/// Keeps web pages out of a server that trusts everyone on its machine: a page of another site sends its
/// Origin, and a page that rebound its own name to 127.0.0.1 sends that name as Host.
class OriginPolicy {
 public:
  OriginPolicy(bool is_on, std::string_view listen_host);

  /// Why the request may not pass, if so.
  std::optional<Refusal> check(const Head& head) const;
  /// Whether "host", "host:port" or "[v6]:port" names this machine: localhost, 127.0.0.0/8, [::1], or the
  /// address that is listened on.
  bool is_local(std::string_view authority) const;

 private:
  const bool is_on_;
  const std::string listen_host_;  // as in a URL: lower case, IPv6 in brackets
};

}  // namespace semel::http
