#pragma once
#include <string>
#include <string_view>

#include "base/bytes.hpp"
#include "base/result.hpp"
#include "base/time.hpp"
#include "domain/id.hpp"

namespace semel::domain {

/// What the bearer of a token may do: say what became of this one attempt, until it expires.
struct DispatchGrant {
  std::string tenant;
  ExecutionId task;
  AttemptId attempt;
  Time expires_at;

  bool operator==(const DispatchGrant&) const = default;
};

/// "sdt1_" + base64url of the grant and of its HMAC-SHA256. Readable by anybody, made only by who knows the key.
std::string make_dispatch_token(const Hash32& key, const DispatchGrant& grant);

/// The grant of a token that was made with this key and has not expired; else unauthorized, with a reason that helps
/// nobody to make one. Takes the same time wherever a forged token is wrong.
Result<DispatchGrant> check_dispatch_token(const Hash32& key, std::string_view token, Time now);

}  // namespace semel::domain
