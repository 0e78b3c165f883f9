#include "http_client/tls.hpp"

#include <openssl/ssl.h>

namespace semel::http_client {

boost::system::error_code Tls::trust() {
  boost::system::error_code failure;
  if (trusts_) return failure;
  SSL_CTX_set_min_proto_version(context_.native_handle(), TLS1_2_VERSION);
  context_.set_default_verify_paths(failure);
  if (!failure && !ca_file_.empty()) context_.load_verify_file(ca_file_, failure);
  trusts_ = !failure;
  return failure;
}

std::shared_ptr<Tls> make_tls(std::string ca_file) { return std::make_shared<Tls>(std::move(ca_file)); }

}  // namespace semel::http_client
