#pragma once
#include <boost/asio/ssl/context.hpp>
#include <string>
#include <utility>

#include "http_client/peer.hpp"

namespace semel::http_client {

class Tls {
 public:
  explicit Tls(std::string ca_file) : ca_file_(std::move(ca_file)) {}

  /// Reads the certificates, once. Until that has gone well, nobody is trusted.
  boost::system::error_code trust();

  boost::asio::ssl::context& context() { return context_; }

 private:
  const std::string ca_file_;
  bool trusts_ = false;
  boost::asio::ssl::context context_{boost::asio::ssl::context::tls_client};
};

}  // namespace semel::http_client
