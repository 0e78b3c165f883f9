#pragma once
#include <sys/types.h>

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/certificate.hpp"

namespace semel::test {

/// A PostgreSQL server of its own for a test program: in a temporary directory, on a free loopback port,
/// without fsync unless it is to be durable, open to everybody on this machine as user "semel". Started by the
/// constructor, which throws std::runtime_error with the server's log when that fails; stopped and removed by the
/// destructor. The kernel stops it when the test dies.
class PostgresServer {
 public:
  enum class Kind : std::uint8_t { quick, durable };

  explicit PostgresServer(Kind kind = Kind::quick);
  /// A durable standby that follows another one.
  explicit PostgresServer(const PostgresServer& primary, Kind kind);
  ~PostgresServer();
  PostgresServer(const PostgresServer&) = delete;
  PostgresServer& operator=(const PostgresServer&) = delete;

  /// For PQconnectdb; by the server's socket, which is quicker than the port.
  std::string connection_string(std::string_view database = "postgres") const;

  /// The same as a URL.
  std::string url(std::string_view database = "postgres") const;

  /// "127.0.0.1:PORT"
  std::string address() const;

  /// Ends it at once, as a loss of power would for the processes: what is not on the disk is gone.
  void crash();
  /// After a crash: on the same port, with what is on the disk.
  void start_again();
  /// Starts it anew, with connections over its port protected by the certificate for whoever wants that.
  void use_tls(const Certificate& certificate);
  /// Makes a primary of a standby.
  void promote();

  /// The one of this program: started by the first that asks, stopped when the program ends.
  static PostgresServer& shared();

 private:
  void make(const std::vector<std::string>& command);
  void start();
  bool try_to_start();
  bool is_ready();
  void stop() noexcept;
  std::string log() const;

  const Kind kind_;
  std::filesystem::path binaries_;
  std::filesystem::path directory_;
  int port_ = 0;
  pid_t server_ = -1;
};

}  // namespace semel::test
