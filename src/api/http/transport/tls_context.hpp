#pragma once
#include <memory>
#include <mutex>
#include <string>

#include "base/result.hpp"

// OpenSSL's own names, so that its headers stay in two .cpp files.
struct ssl_ctx_st;
struct ssl_st;

namespace semel::http {

/// PEM files: the certificate with those that lead to the root, and its key without a passphrase.
struct TlsFiles {
  std::string certificate;
  std::string key;
};

using TlsSession = std::unique_ptr<ssl_st, void (*)(ssl_st*)>;

/// The certificate that new connections get, and the rules of TLS: 1.2 and up, HTTP/1.1 by ALPN. Callable from any
/// thread.
class TlsContext {
 public:
  /// Throws std::runtime_error, with the file in the text, when a file is no good.
  explicit TlsContext(TlsFiles files);

  /// Reads the files again. When they are no good, everything stays as it is.
  Result<void> reload();
  /// The server's side of one connection.
  TlsSession begin() const;

 private:
  const TlsFiles files_;
  mutable std::mutex mutex_;  // guards what follows
  std::shared_ptr<ssl_ctx_st> current_;
};

}  // namespace semel::http
