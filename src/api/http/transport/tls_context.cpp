#include "api/http/transport/tls_context.hpp"

#include <openssl/err.h>
#include <openssl/ssl.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <new>
#include <stdexcept>
#include <utility>

namespace semel::http {
namespace {

using SharedContext = std::shared_ptr<SSL_CTX>;

/// What OpenSSL complained of first, which is the cause of the rest.
std::string complaint() {
  const unsigned long code = ERR_get_error();
  ERR_clear_error();
  const char* reason = ERR_reason_error_string(code);
  return reason == nullptr ? "it is not a PEM file of the right kind" : reason;
}

/// A key with a passphrase is refused: the default would ask the terminal.
int no_passphrase(char*, int, int, void*) { return -1; }

/// Takes http/1.1 of what the client offers; a client that offers only other protocols is sent away.
int choose_protocol(SSL*, const unsigned char** chosen, unsigned char* length, const unsigned char* offered,
                    unsigned int offered_length, void*) {
  static constexpr std::array<unsigned char, 9> http11{8, 'h', 't', 't', 'p', '/', '1', '.', '1'};
  unsigned char* found = nullptr;
  if (SSL_select_next_proto(&found, length, http11.data(), http11.size(), offered, offered_length) !=
      OPENSSL_NPN_NEGOTIATED) {
    return SSL_TLSEXT_ERR_ALERT_FATAL;
  }
  *chosen = found;
  return SSL_TLSEXT_ERR_OK;
}

void set_rules(SSL_CTX* context) {
  SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
  SSL_CTX_set_options(context, SSL_OP_NO_COMPRESSION | SSL_OP_NO_RENEGOTIATION | SSL_OP_CIPHER_SERVER_PREFERENCE);
  // Of TLS 1.2 only what has forward secrecy and authenticated encryption; of 1.3 everything does.
  SSL_CTX_set_cipher_list(context, "ECDHE+AESGCM:ECDHE+CHACHA20");
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);  // clients resume by tickets, which cost no memory
  // What the outbox has left may move in memory between two attempts, and idle connections keep no buffers.
  SSL_CTX_set_mode(context,
                   SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER | SSL_MODE_RELEASE_BUFFERS);
  SSL_CTX_set_default_passwd_cb(context, no_passphrase);
  SSL_CTX_set_alpn_select_cb(context, choose_protocol, nullptr);
}

/// OpenSSL's text for a file that cannot be opened says nothing.
Result<void> check_readable(const std::string& file) {
  std::FILE* const opened = std::fopen(file.c_str(), "rb");
  if (opened == nullptr) return bad_request("cannot read {}: {}", file, std::strerror(errno));
  std::fclose(opened);
  return {};
}

Result<SharedContext> load(const TlsFiles& files) {
  for (const std::string& file : {files.certificate, files.key}) {
    if (Result<void> readable = check_readable(file); !readable) return pass_on(readable.error());
  }
  ERR_clear_error();
  SharedContext context(SSL_CTX_new(TLS_server_method()), SSL_CTX_free);
  if (!context) throw std::bad_alloc();
  set_rules(context.get());
  if (SSL_CTX_use_certificate_chain_file(context.get(), files.certificate.c_str()) != 1) {
    return bad_request("cannot use the certificate {}: {}", files.certificate, complaint());
  }
  if (SSL_CTX_use_PrivateKey_file(context.get(), files.key.c_str(), SSL_FILETYPE_PEM) != 1 ||
      SSL_CTX_check_private_key(context.get()) != 1) {
    return bad_request("cannot use the key {} for the certificate {}: {}", files.key, files.certificate, complaint());
  }
  return context;
}

}  // namespace

TlsContext::TlsContext(TlsFiles files) : files_(std::move(files)) {
  if (const Result<void> loaded = reload(); !loaded) throw std::runtime_error(loaded.error().message);
}

Result<void> TlsContext::reload() {
  Result<SharedContext> loaded = load(files_);
  if (!loaded) return pass_on(loaded.error());
  const std::scoped_lock lock(mutex_);
  current_ = *std::move(loaded);
  return {};
}

TlsSession TlsContext::begin() const {
  const std::scoped_lock lock(mutex_);
  TlsSession session(SSL_new(current_.get()), SSL_free);
  if (!session) throw std::bad_alloc();
  SSL_set_accept_state(session.get());
  return session;
}

}  // namespace semel::http
