#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "base/ip_address.hpp"
#include "base/time.hpp"
#include "base/url.hpp"

namespace semel::http_client {

/// The certificates that are trusted, read when they are first needed: the system's, and a PEM file of one's own
/// (unless empty). For one thread.
class Tls;
std::shared_ptr<Tls> make_tls(std::string ca_file);

struct PeerOptions {
  std::string user_agent{};
  Duration connect_time = 5s;                           // for the name, the connection and TLS together
  std::uint64_t answer_bytes_max = 256 << 20;           // of a body
  std::function<bool(const IpAddress&)> may_connect{};  // asked of every address that the name has; empty = anywhere
};

/// A server and how to talk to it: what all connections to it share. For one thread.
struct Peer {
  HttpUrl url;  // its target is not looked at: calls have their own
  PeerOptions options;
  std::shared_ptr<Tls> tls;
};

}  // namespace semel::http_client
