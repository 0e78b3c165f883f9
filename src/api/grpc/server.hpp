#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "api/grpc/executor.hpp"
#include "base/result.hpp"
#include "base/time.hpp"
#include "engine/engine.hpp"
#include "ports/authenticator.hpp"

/// gRPC. The name of the namespace is not that of the folder: `grpc` is the library's own.
namespace semel::rpc {

/// PEM files: the certificate with those that lead to the root, and its key without a passphrase.
struct TlsFiles {
  std::string certificate;
  std::string key;
};

/// What may arrive, and how slowly.
struct ServerOptions {
  std::string host = "127.0.0.1";
  std::uint16_t port = 7421;    // 0 = any free one
  std::optional<TlsFiles> tls;  // nothing: in the clear
  std::size_t message_bytes_max = (16 << 20) + (64 << 10);
  std::size_t header_bytes_max = 16 * 1024;
  std::size_t streams_max = 1'000;  // calls at once on one connection
  std::size_t calls_max = 10'000;   // calls at once on all of them
  Duration handshake_time_max = 10s;
  Duration idle_time_max = 10min;     // of a connection without calls
  Duration keepalive_interval = 60s;  // after which a silent client is asked whether it is there,
  Duration keepalive_timeout = 20s;   // and how long it may take to say so
  Duration ping_interval_min = 10s;   // a client that asks more often is sent away
};

/// Who does the work that must not be done on the threads of gRPC, or of commits.
struct Executors {
  Executor& answers;            // what is sent when a commit is over; never full
  Executor* readers = nullptr;  // calls that read, where reads wait for a database
};

/// The services of proto/semel/v1, health and reflection. The threads are gRPC's own. start() binds and begins; drain()
/// tells workers that no more leases come; stop() lets calls in flight finish (up to `grace`) and ends the rest. All
/// that it is given must outlive it.
class Server {
 public:
  /// Throws std::runtime_error with the file in the text when the certificate or its key cannot be read.
  Server(ServerOptions options, engine::Engine& engine, const Authenticator& authenticator, Executors executors);
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  /// Throws std::runtime_error with the address in the text when it cannot listen there.
  void start();
  /// To be called before the engine ends its waits: streams would wait anew.
  void drain();
  void stop(Duration grace = 10s);

  /// Reads the files of TLS again, for connections to come. They must have been checked: what fits no handshake is left
  /// out, and the certificate of before stays.
  Result<void> reload_certificate();

  /// The address that is listened on, once started: "127.0.0.1:7421", "[::1]:7421".
  std::string address() const;
  /// How many calls are under way.
  std::size_t calls() const;

 private:
  class Inner;
  const std::unique_ptr<Inner> inner_;
};

}  // namespace semel::rpc
