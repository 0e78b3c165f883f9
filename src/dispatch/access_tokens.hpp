#pragma once
#include <functional>
#include <optional>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "base/time.hpp"
#include "dispatch/service_account.hpp"
#include "http_client/call.hpp"

namespace semel::dispatch {

/// Access tokens of a service account. One request at a time asks for the next one, before the last has run out; who
/// has none to use waits for it together. For one thread.
class AccessTokens {
 public:
  using Token = tl::expected<std::string, std::string>;  // or why there is none
  using Got = std::function<void(Token)>;
  /// Posts to the token url.
  using Fetch = std::function<void(http_client::Call, std::function<void(http_client::Outcome)>)>;

  AccessTokens(ServiceAccount account, std::string token_url, std::function<Time()> now, Fetch fetch);

  /// Calls back at once where there is a token.
  void get(Got got);
  /// The token was refused: it is not given out again.
  void forget(const std::string& token);

 private:
  struct Held {
    std::string token;
    Time expires_at;
  };

  void ask();
  void answered(const http_client::Outcome& outcome);

  const ServiceAccount account_;
  const std::string token_url_;
  const std::function<Time()> now_;
  const Fetch fetch_;
  std::optional<Held> held_;
  bool is_asking_ = false;
  std::vector<Got> waiting_;
};

}  // namespace semel::dispatch
