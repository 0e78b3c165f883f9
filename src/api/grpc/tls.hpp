#pragma once
#include <grpcpp/security/server_credentials.h>

#include <memory>
#include <mutex>
#include <string>

#include "api/grpc/server.hpp"

namespace semel::rpc {

/// The certificate that new connections get. gRPC asks for it at every handshake. Callable from any thread.
class Certificate {
 public:
  /// Throws std::runtime_error, with the file in the text, when a file cannot be read.
  explicit Certificate(TlsFiles files);

  /// When the files cannot be read, everything stays as it is.
  Result<void> reload();
  /// Lives no longer than this.
  std::shared_ptr<grpc::ServerCredentials> credentials();

  struct Pem {
    std::string certificate;
    std::string key;
  };
  /// What has come since the last one was fetched.
  std::optional<Pem> fetch();

 private:
  const TlsFiles files_;
  std::mutex mutex_;  // guards what follows
  std::optional<Pem> fresh_;
};

}  // namespace semel::rpc
