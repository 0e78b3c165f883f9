#pragma once
#include <cstdint>
#include <string>

#include "base/log.hpp"
#include "base/result.hpp"
#include "base/time.hpp"

namespace semel::server {

/// What `semel server` was told.
struct Options {
  std::string listen = "127.0.0.1:7420";
  std::string grpc_listen = "127.0.0.1:7421";  // accepted from the first day; gRPC comes later
  std::string store = "sqlite:./semel.db";
  int threads = 0;  // 0 = one a core, at least two
  log::Level log_level = log::Level::info;
  log::Format log_format = log::Format::text;
  Duration shutdown_grace = 10s;
};

struct Address {
  std::string host;
  std::uint16_t port = 0;

  /// Only 127.0.0.0/8, ::1 and localhost can be reached from this machine alone.
  bool is_loopback() const;
};

/// "127.0.0.1:7420", "[::1]:0", "localhost:80".
Result<Address> parse_address(std::string_view text);

/// The file of "sqlite:FILE".
Result<std::string> parse_sqlite_store(std::string_view store);

}  // namespace semel::server
