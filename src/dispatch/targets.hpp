#pragma once
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/ip_address.hpp"
#include "base/time.hpp"
#include "ports/dispatch_target.hpp"

namespace semel::dispatch {

/// Limits of what is sent and what is heard.
struct SendLimits {
  int threads = 1;
  std::size_t connections_max = 64;           // to one host, at once
  Duration wait_time = 30s;                   // until one of them is free; after that, nothing is sent
  Duration connect_time = 5s;                 // for the name, the connection and TLS
  Duration send_time = 30s;                   // until all of a request is sent
  Duration answer_time = 30s;                 // until the head of the answer, where the order does not say
  Duration body_time = 10s;                   // for the rest of it
  std::size_t answer_bytes_max = 1 << 20;     // of a body
  Duration idle_time = 20s;                   // after which a connection that nobody needs is closed
  std::vector<IpNetwork> allowed_networks{};  // beside the internet: loopback for tests, one's own network
  std::string ca_file{};                      // PEM, trusted beside the system's certificates
};

/// How long a request takes at most beside the time that its target has to answer. Those who wait for a connection are
/// looked at as often as those that are idle.
inline Duration overhead_of(const SendLimits& limits) {
  return limits.wait_time + limits.idle_time / 2 + limits.connect_time + limits.send_time + limits.body_time;
}

/// Google Cloud Tasks, and how to be let in there.
struct CloudTasksOptions {
  std::string api_url = "https://cloudtasks.googleapis.com";
  std::string credentials{};  // the JSON of a service account's key; empty = such targets are refused
  std::string token_url{};    // empty = what the credentials say
  std::string deliver_to{};   // the url that Google calls, for targets that do not say ("?url=")
  /// What the names of queues must begin with, one of these, separated by commas: "projects/p/locations/l/queues/".
  /// Empty = any that the account may use.
  std::string allowed_queues{};

  bool allows(std::string_view queue) const;
};

/// "whsec_…" by whose tasks they sign: "TENANT/QUEUE", else "TENANT", else "default". Several of one name all sign, so
/// that receivers can change from one to the next. Where there is none, nothing is signed.
using SigningSecrets = std::map<std::string, std::vector<std::string>, std::less<>>;

struct Options {
  SendLimits limits{};
  CloudTasksOptions cloud_tasks{};
  SigningSecrets signing_secrets{};
  std::function<Time()> now;  // for signatures and tokens
};

/// Starts the threads. Refuses secrets and credentials that cannot be used.
Result<std::unique_ptr<DispatchTargets>> make_targets(Options options);

}  // namespace semel::dispatch
