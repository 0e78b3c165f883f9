#include "connected/channel.hpp"

#include <fmt/format.h>
#include <grpc/grpc.h>
#include <grpcpp/create_channel.h>
#include <grpcpp/security/credentials.h>

#include <fstream>
#include <sstream>
#include <stdexcept>

namespace semel::connected {
namespace {

constexpr int reconnect_pause_first_ms = 50;
constexpr int reconnect_pause_longest_ms = 2'000;
constexpr int connect_time_max_ms = 5'000;
// A server that has gone without a word is noticed within a minute. Servers send away who asks more often than every
// ten seconds.
constexpr int keepalive_interval_ms = 30'000;
constexpr int keepalive_timeout_ms = 20'000;

std::string read_file(const std::string& file) {
  std::ifstream in(file);
  std::stringstream text;
  text << in.rdbuf();
  if (!in || text.str().empty()) throw std::runtime_error(fmt::format("cannot read the certificates in {}", file));
  return text.str();
}

std::shared_ptr<grpc::ChannelCredentials> credentials_of(const ConnectOptions& options) {
  if (!options.tls()) return grpc::InsecureChannelCredentials();
  grpc::SslCredentialsOptions tls;
  if (!options.tls_ca_file().empty()) tls.pem_root_certs = read_file(options.tls_ca_file());
  return grpc::SslCredentials(tls);
}

/// gRPC stays up until the process ends: to take it down with its last channel may wait ten seconds for a socket that
/// it has not let go of yet.
void keep_up() {
  static const bool is_up = [] {
    grpc_init();
    return true;
  }();
  static_cast<void>(is_up);
}

/// "host:port"; "[::1]:7421".
void check_target(const std::string& target) {
  const std::size_t colon = target.rfind(':');
  const bool has_port = colon != std::string::npos && colon > 0 && colon + 1 < target.size() &&
                        target.find_first_not_of("0123456789", colon + 1) == std::string::npos;
  const bool has_scheme = target.find("//") != std::string::npos;
  if (has_scheme || !has_port)
    throw std::runtime_error(
        fmt::format("'{}' is no address of a server: write host:port, such as localhost:7421", target));
}

}  // namespace

Channels::Channels(const std::string& target, const ConnectOptions& options)
    : address_{target, options.tls()},
      authorization_(options.api_key().empty() ? "" : "Bearer " + options.api_key()),
      server_name_(options.tls_server_name()) {
  check_target(target);
  keep_up();
  credentials_ = credentials_of(options);
}

std::shared_ptr<grpc::Channel> Channels::open() const {
  grpc::ChannelArguments arguments;
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  arguments.SetInt(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, reconnect_pause_first_ms);
  arguments.SetInt(GRPC_ARG_MIN_RECONNECT_BACKOFF_MS, connect_time_max_ms);  // its name is older than its meaning
  arguments.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, reconnect_pause_longest_ms);
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIME_MS, keepalive_interval_ms);
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, keepalive_timeout_ms);
  arguments.SetInt(GRPC_ARG_HTTP2_MAX_PINGS_WITHOUT_DATA, 0);
  arguments.SetMaxReceiveMessageSize(-1);  // the server knows how much it says
  if (!server_name_.empty()) arguments.SetSslTargetNameOverride(server_name_);
  return grpc::CreateCustomChannel(address_.target, credentials_, arguments);
}

void Channels::sign(grpc::ClientContext& context) const {
  if (!authorization_.empty()) context.AddMetadata("authorization", authorization_);
}

}  // namespace semel::connected
