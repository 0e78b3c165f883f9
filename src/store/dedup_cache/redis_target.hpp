#pragma once
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace semel::store {

/// Where a Redis server is, and who asks it.
struct RedisTarget {
  std::string host;
  int port = 6379;
  std::string user{};      // empty = the default one
  std::string password{};  // empty = none is asked for
  int database = 0;
};

/// "redis://HOST", "redis://USER:PASSWORD@HOST:PORT/DATABASE"; [::1] is a host, too. Signs in user and password may be
/// written as %XX. No message shows the password.
Result<RedisTarget> parse_redis(std::string_view url);

}  // namespace semel::store
