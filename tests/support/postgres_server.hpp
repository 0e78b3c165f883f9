#pragma once
#include <sys/types.h>

#include <filesystem>
#include <string>
#include <string_view>

namespace semel::test {

/// A PostgreSQL server of its own for a test program: in a temporary directory, on a free loopback port,
/// without fsync, open to everybody on this machine as user "semel". Started by the constructor, which throws
/// std::runtime_error with the server's log when that fails; stopped and removed by the destructor. The
/// kernel stops it when the test dies.
class PostgresServer {
 public:
  PostgresServer();
  ~PostgresServer();
  PostgresServer(const PostgresServer&) = delete;
  PostgresServer& operator=(const PostgresServer&) = delete;

  /// For PQconnectdb; by the server's socket, which is quicker than the port.
  std::string connection_string(std::string_view database = "postgres") const;

  /// The same as a URL.
  std::string url(std::string_view database = "postgres") const;

  /// The one of this program: started by the first that asks, stopped when the program ends.
  static PostgresServer& shared();

 private:
  void start();
  bool is_ready();
  void stop() noexcept;
  std::string log() const;

  std::filesystem::path binaries_;
  std::filesystem::path directory_;
  int port_ = 0;
  pid_t server_ = -1;
};

}  // namespace semel::test
