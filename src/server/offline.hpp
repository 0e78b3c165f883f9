#pragma once
#include <optional>
#include <string>

#include "server/instance.hpp"

namespace semel::server {

/// A server for one program, on a file that nobody else has open or on a database: on a free port of this machine, for
/// whoever knows the secret, who may then do everything in the default tenant. Throws StoreFault when the store is in
/// use.
class Offline {
 public:
  explicit Offline(const StoreTarget& target);

  std::string url() const { return "http://" + instance_->address(); }
  const std::string& secret() const { return only_.secret; }

 private:
  struct OnlyOne final : Authenticator {
    Result<domain::Principal> authenticate(const Credentials& credentials) const override;
    std::string secret;
  };

  const SystemClock clock_;
  OnlyOne only_;
  std::optional<Instance> instance_;
};

}  // namespace semel::server
