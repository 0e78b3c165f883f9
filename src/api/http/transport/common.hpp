#pragma once
#include <atomic>
#include <cstdint>
#include <optional>

#include "api/http/transport/origin_policy.hpp"
#include "api/http/transport/request_id.hpp"
#include "api/http/transport/roster.hpp"
#include "api/http/transport/server.hpp"
#include "api/http/transport/tls_context.hpp"

namespace semel::http {

/// What all sessions of a server share, and which outlives them.
struct Common {
  Common(ServerOptions server_options, Handler& server_handler, std::uint64_t salt)
      : options(std::move(server_options)),
        handler(server_handler),
        origins(options.check_origin, options.host),
        request_ids(salt),
        roster(options.connections_max) {
    if (options.tls) tls.emplace(*options.tls);
  }

  const ServerOptions options;
  Handler& handler;  // not called once the server has stopped
  const OriginPolicy origins;
  RequestIds request_ids;
  Roster roster;
  std::optional<TlsContext> tls;  // nothing: plain HTTP
  std::atomic<bool> is_stopping = false;
};

}  // namespace semel::http
