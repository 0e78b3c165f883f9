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

}  // namespace semel
