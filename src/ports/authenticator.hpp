#pragma once
#include <string_view>

#include "base/result.hpp"
#include "domain/principal.hpp"

namespace semel {

/// What a request shows of who sent it.
struct Credentials {
  std::string_view authorization;  // the header as sent, or empty
  bool from_loopback = false;
};

/// Turns credentials into a principal, or refuses (unauthorized). Callable from any thread.
class Authenticator {
 public:
  virtual ~Authenticator() = default;
  virtual Result<domain::Principal> authenticate(const Credentials& credentials) const = 0;
};

/// No keys are configured: whoever reaches the loopback address may do everything in the default tenant.
class OpenAuthenticator final : public Authenticator {
 public:
  Result<domain::Principal> authenticate(const Credentials&) const override {
    return domain::Principal{"default", "open", domain::all_permissions};
  }
};

}  // namespace semel
