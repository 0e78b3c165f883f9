#pragma once
#include <sys/types.h>

#include <cstdint>
#include <string>

namespace semel::bench {

/// A server of our own on a free loopback port, ended with this object.
class ServerProcess {
 public:
  ServerProcess(const std::string& binary, const std::string& store, const std::string& dedup_cache = "");
  ~ServerProcess();
  ServerProcess(const ServerProcess&) = delete;
  ServerProcess& operator=(const ServerProcess&) = delete;

  std::uint16_t port() const { return port_; }
  std::uint16_t grpc_port() const { return grpc_port_; }
  /// The whole of its resident memory.
  std::uint64_t resident_kib() const;

 private:
  pid_t pid_ = -1;
  std::uint16_t port_ = 0;
  std::uint16_t grpc_port_ = 0;
};

}  // namespace semel::bench
