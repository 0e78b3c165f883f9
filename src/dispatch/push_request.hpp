#pragma once
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "base/time.hpp"
#include "dispatch/targets.hpp"
#include "http_client/call.hpp"

namespace semel::dispatch {

/// The keys of the signing secrets. Immutable, so for all threads.
class Signer {
 public:
  static Result<Signer> make(const SigningSecrets& secrets);

  /// Of the tasks of this queue: its own, else its tenant's, else the server's; empty = they are not signed.
  const std::vector<std::string>& keys_for(const std::string& tenant, const std::string& queue) const;

 private:
  std::map<std::string, std::vector<std::string>, std::less<>> keys_;
};

/// What an endpoint is sent, by us or by somebody who does it for us.
struct PushRequest {
  http_client::Headers headers;
  std::string body;
};

/// The lease as a polling worker would get it, and how to say what became of it. `sent_at` is when the endpoint gets
/// it.
PushRequest push_request(const DispatchOrder& order, const Signer& signer, Time sent_at);

}  // namespace semel::dispatch
