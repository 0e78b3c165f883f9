#pragma once
#include <memory>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "base/time.hpp"

struct evp_pkey_st;

namespace semel::dispatch {

/// Who we are for Google: the key file of a service account. Immutable, so for all threads.
class ServiceAccount {
 public:
  /// The JSON text of the file. Refusals never show what is in it.
  static Result<ServiceAccount> parse(std::string_view json);

  const std::string& email() const { return email_; }
  /// Where its tokens are had.
  const std::string& token_url() const { return token_url_; }

  /// RFC 7523: a JWT, signed with RS256, which the token url takes for an access token.
  std::string assertion(std::string_view audience, Time now) const;

 private:
  std::string email_;
  std::string key_id_;
  std::string token_url_;
  std::shared_ptr<evp_pkey_st> key_;
};

}  // namespace semel::dispatch
