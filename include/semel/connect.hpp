#pragma once
#include <string>
#include <type_traits>
#include <utility>

#include "semel/client.hpp"

namespace semel {

class ConnectOptions {
 public:
  ConnectOptions() = default;

  /// Who asks: what `semel key create` printed. The tenant is that of the key.
  ConnectOptions& api_key(std::string key) {
    api_key_ = std::move(key);
    return *this;
  }
  /// Over TLS. The server's certificate must be signed by somebody whom this machine trusts.
  ConnectOptions& tls(bool whether = true) {
    tls_ = whether;
    return *this;
  }
  /// Over TLS, where the server's certificate is signed by one of these: a PEM file.
  ConnectOptions& tls_ca_file(std::string file) {
    ca_file_ = std::move(file);
    return tls();
  }
  /// The name in the server's certificate, where that is not the one in the address.
  ConnectOptions& tls_server_name(std::string name) {
    server_name_ = std::move(name);
    return tls();
  }
  /// How long a call tries again while the server cannot be reached.
  ConnectOptions& retry_for(Duration time) {
    retry_for_ = time;
    return *this;
  }

  const std::string& api_key() const { return api_key_; }
  bool tls() const { return tls_; }
  const std::string& tls_ca_file() const { return ca_file_; }
  const std::string& tls_server_name() const { return server_name_; }
  Duration retry_for() const { return retry_for_; }

 private:
  std::string api_key_;
  bool tls_ = false;
  std::string ca_file_;
  std::string server_name_;
  Duration retry_for_ = std::chrono::seconds(30);
};

static_assert(!std::is_aggregate_v<ConnectOptions>);

/// A client of a server: "host:port", where it listens for gRPC (7421 by default). Nothing is sent before the first
/// call, so the server may come later, and go and come back: what was asked for is asked again, and nothing is made
/// twice. Throws std::runtime_error where the address is none, or a file cannot be read.
Client connect(const std::string& address, const ConnectOptions& options = ConnectOptions());

}  // namespace semel
