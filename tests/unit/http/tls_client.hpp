#pragma once
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <csignal>
#include <ctime>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/http_client.hpp"

namespace semel::http {

/// Keeps writes of this thread to a connection that has ended from ending the program: OpenSSL's do. The server's
/// threads are not spared, since it must not depend on that.
class NoBrokenPipe {
 public:
  NoBrokenPipe() {
    sigemptyset(&signal_);
    sigaddset(&signal_, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &signal_, &before_);
  }
  ~NoBrokenPipe() {
    const timespec at_once{};
    sigtimedwait(&signal_, nullptr, &at_once);
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  NoBrokenPipe(const NoBrokenPipe&) = delete;
  NoBrokenPipe& operator=(const NoBrokenPipe&) = delete;

 private:
  sigset_t signal_{};
  sigset_t before_{};
};

/// A client inside TLS on a blocking socket, which trusts everyone. Throws std::runtime_error when the handshake fails
/// or an answer does not come; reads fail after ten seconds.
class TlsClient {
 public:
  struct Options {
    int version_min = TLS1_2_VERSION;
    int version_max = TLS1_3_VERSION;
    std::vector<std::string> protocols = {};  // offered by ALPN
  };

  explicit TlsClient(const std::string& address) : TlsClient(address, Options{}) {}
  TlsClient(const std::string& address, const Options& options)
      : context_(SSL_CTX_new(TLS_client_method()), SSL_CTX_free), socket_(test::connect_to(address)) {
    const timeval guard{.tv_sec = 10, .tv_usec = 0};
    setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &guard, sizeof guard);
    SSL_CTX_set_cipher_list(context_.get(), "ALL:@SECLEVEL=0");  // which old versions need
    SSL_CTX_set_min_proto_version(context_.get(), options.version_min);
    SSL_CTX_set_max_proto_version(context_.get(), options.version_max);
    std::string offered;
    for (const std::string& protocol : options.protocols) offered += static_cast<char>(protocol.size()) + protocol;
    const auto* bytes = reinterpret_cast<const unsigned char*>(offered.data());
    if (!offered.empty()) SSL_CTX_set_alpn_protos(context_.get(), bytes, static_cast<unsigned>(offered.size()));
    tls_.reset(SSL_new(context_.get()));
    SSL_set_fd(tls_.get(), socket_);
    const NoBrokenPipe guarded;
    if (SSL_connect(tls_.get()) == 1) return;
    const char* reason = ERR_reason_error_string(ERR_get_error());
    ERR_clear_error();
    ::close(socket_);
    throw std::runtime_error(reason == nullptr ? "the connection ended" : reason);
  }
  ~TlsClient() { close_socket(); }
  TlsClient(const TlsClient&) = delete;
  TlsClient& operator=(const TlsClient&) = delete;

  std::string version() const { return SSL_get_version(tls_.get()); }
  /// What ALPN came to, or "".
  std::string protocol() const {
    const unsigned char* chosen = nullptr;
    unsigned length = 0;
    SSL_get0_alpn_selected(tls_.get(), &chosen, &length);
    return chosen == nullptr ? "" : std::string(reinterpret_cast<const char*>(chosen), length);
  }
  /// The common name of the server's certificate.
  std::string server_name() const {
    const std::unique_ptr<X509, void (*)(X509*)> certificate(SSL_get1_peer_certificate(tls_.get()), X509_free);
    char name[100] = "";
    X509_NAME_get_text_by_NID(X509_get_subject_name(certificate.get()), NID_commonName, name, sizeof name);
    return name;
  }

  void send(std::string_view bytes) {
    const NoBrokenPipe guarded;
    if (SSL_write(tls_.get(), bytes.data(), static_cast<int>(bytes.size())) != static_cast<int>(bytes.size())) {
      throw std::runtime_error("cannot send");
    }
  }
  test::HttpAnswer read_answer() {
    test::HttpAnswer answer;
    while (!test::take_answer(received_, true, answer)) {
      if (!read_more()) throw std::runtime_error("the connection ended before the answer");
    }
    return answer;
  }
  test::HttpAnswer ask(std::string_view request) {
    send(request);
    return read_answer();
  }

  /// Whether the server ends its stream as TLS wants it, with nothing more before.
  bool is_ended_by_server() {
    if (!received_.empty() || read_more()) return false;
    return (SSL_get_shutdown(tls_.get()) & SSL_RECEIVED_SHUTDOWN) != 0;
  }
  /// Says that nothing more comes, and stays to read.
  void end_writing() { SSL_shutdown(tls_.get()); }
  /// Leaves without a word.
  void close_socket() {
    if (socket_ >= 0) ::close(socket_);
    socket_ = -1;
  }

 private:
  bool read_more() {
    char buffer[16 * 1024];
    ERR_clear_error();
    const int count = SSL_read(tls_.get(), buffer, sizeof buffer);
    if (count > 0) received_.append(buffer, static_cast<std::size_t>(count));
    return count > 0;
  }

  std::unique_ptr<SSL_CTX, void (*)(SSL_CTX*)> context_;
  int socket_ = -1;
  std::unique_ptr<SSL, void (*)(SSL*)> tls_{nullptr, SSL_free};
  std::string received_;
};

}  // namespace semel::http
