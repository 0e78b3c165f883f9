#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "api/http/transport/message.hpp"
#include "api/http/transport/tls_context.hpp"
#include "base/result.hpp"
#include "base/time.hpp"

namespace semel::http {

/// What may arrive, and how slowly. Every limit answers with its own 4xx or closes the connection.
struct ServerOptions {
  std::string host = "127.0.0.1";
  std::uint16_t port = 7420;  // 0 = any free one
  int threads = 2;
  std::optional<TlsFiles> tls;  // nothing: plain HTTP
  std::size_t connections_max = 10'000;
  std::size_t header_bytes_max = 16 * 1024;
  Duration handshake_time_max = 10s;               // of TLS, for a new connection
  Duration header_time_max = 10s;                  // from a request's first byte to the end of its head
  Duration body_time_max = 30s;                    // for the whole body
  Duration write_time_max = 30s;                   // for the whole response
  Duration idle_time_max = 60s;                    // between two requests of a connection
  Duration feed_pause_max = 15s;                   // before a sign of life of a response that goes on
  std::size_t drain_bytes_max = 16 * 1024 * 1024;  // of a body that was refused early, before closing
  Duration drain_time_max = 5s;
  bool check_origin = true;  // an open server answers 403 to a foreign Origin or Host (DNS rebinding)
};

/// HTTP/1.1 on Beast, plain or in TLS: accepts, reads within the limits, hands requests to the handler, writes its
/// responses. Its own `threads` threads never block. Each runs an io_context of its own, and a connection stays where
/// it was put in turn. start() binds and begins; stop() stops accepting, lets requests in flight finish (up to
/// `grace`), closes the rest, and joins. The handler must outlive it.
class Server {
 public:
  /// Throws std::runtime_error with the file in the text when the certificate or its key is no good.
  Server(ServerOptions options, Handler& handler);
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  /// Throws std::runtime_error with the address in the text when it cannot listen there.
  void start();
  void stop(Duration grace = 10s);

  /// Reads the files of TLS again, for connections to come. Bad ones change nothing, and are refused. Callable from any
  /// thread, and only with TLS.
  Result<void> reload_certificate();

  /// The address that is listened on, once started: "127.0.0.1:7420", "[::1]:7420".
  std::string address() const;
  std::size_t connections() const;

 private:
  class State;
  std::shared_ptr<State> state_;
};

}  // namespace semel::http
