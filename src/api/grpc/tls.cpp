#include "api/grpc/tls.hpp"

#include <grpc/grpc.h>
#include <grpc/grpc_security.h>

#include <fstream>
#include <iterator>
#include <stdexcept>

namespace semel::rpc {
namespace {

Result<std::string> read_pem(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(file), {}};
  if (!file.good() && !file.eof()) return bad_request("cannot read {}", path);
  if (text.empty()) return bad_request("cannot read {}, or it is empty", path);
  return text;
}

/// Called by gRPC before every handshake.
grpc_ssl_certificate_config_reload_status fetch_config(void* certificate, grpc_ssl_server_certificate_config** config) {
  const std::optional<Certificate::Pem> pem = static_cast<Certificate*>(certificate)->fetch();
  if (!pem) return GRPC_SSL_CERTIFICATE_CONFIG_RELOAD_UNCHANGED;
  const grpc_ssl_pem_key_cert_pair pair{pem->key.c_str(), pem->certificate.c_str()};
  // It insists on roots that clients would be checked with, though none is asked for a certificate.
  *config = grpc_ssl_server_certificate_config_create(pem->certificate.c_str(), &pair, 1);
  return GRPC_SSL_CERTIFICATE_CONFIG_RELOAD_NEW;
}

/// The C++ interface knows a certificate that never changes, and one that is looked for every so often. The C interface
/// beneath it asks at each handshake, which is what a reload by signal needs.
class ReloadableCredentials final : public grpc::ServerCredentials {
 public:
  explicit ReloadableCredentials(Certificate& certificate)
      : credentials_(grpc_ssl_server_credentials_create_with_options(
            grpc_ssl_server_credentials_create_options_using_config_fetcher(GRPC_SSL_DONT_REQUEST_CLIENT_CERTIFICATE,
                                                                            fetch_config, &certificate))) {}
  ~ReloadableCredentials() override { grpc_server_credentials_release(credentials_); }

  void SetAuthMetadataProcessor(const std::shared_ptr<grpc::AuthMetadataProcessor>&) override {}

 private:
  int AddPortToServer(const std::string& address, grpc_server* server) override {
    return grpc_server_add_http2_port(server, address.c_str(), credentials_);
  }

  grpc_server_credentials* const credentials_;
};

}  // namespace

Certificate::Certificate(TlsFiles files) : files_(std::move(files)) {
  if (const Result<void> loaded = reload(); !loaded) throw std::runtime_error(loaded.error().message);
}

Result<void> Certificate::reload() {
  Result<std::string> certificate = read_pem(files_.certificate);
  if (!certificate) return pass_on(certificate.error());
  Result<std::string> key = read_pem(files_.key);
  if (!key) return pass_on(key.error());
  const std::scoped_lock lock(mutex_);
  fresh_ = Pem{*std::move(certificate), *std::move(key)};
  return {};
}

std::optional<Certificate::Pem> Certificate::fetch() {
  const std::scoped_lock lock(mutex_);
  return std::exchange(fresh_, std::nullopt);
}

std::shared_ptr<grpc::ServerCredentials> Certificate::credentials() {
  return std::make_shared<ReloadableCredentials>(*this);
}

}  // namespace semel::rpc
