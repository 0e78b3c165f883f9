#pragma once
#include <grpcpp/channel.h>
#include <grpcpp/client_context.h>
#include <grpcpp/security/credentials.h>

#include <memory>
#include <string>

#include "connected/address.hpp"
#include "semel/connect.hpp"

namespace semel::connected {

/// How a server is reached: makes connections, and says on each call who asks. Connections are made when they are
/// needed, and again when they broke. From any thread.
class Channels {
 public:
  /// Throws std::runtime_error where a file cannot be read.
  Channels(const std::string& target, const ConnectOptions& options);

  /// A connection of its own.
  std::shared_ptr<grpc::Channel> open() const;
  /// Adds who asks.
  void sign(grpc::ClientContext& context) const;
  const Address& address() const { return address_; }

 private:
  const Address address_;
  const std::string authorization_;  // empty: nobody
  std::string server_name_;
  std::shared_ptr<grpc::ChannelCredentials> credentials_;
};

}  // namespace semel::connected
