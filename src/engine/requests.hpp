#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/result.hpp"
#include "domain/api_key.hpp"
#include "domain/attempt.hpp"
#include "domain/template.hpp"
#include "domain/workflow/code/command.hpp"
#include "ports/outcome.hpp"

namespace semel::engine {

/// What the use cases of the engine take and give, where that is more than a value or two; views are in answers.hpp.
struct Requests {
  struct KeyQuery {
    std::string key;
    std::optional<std::string> namespace_, name, version, queue;
  };

  struct SignalRequest {
    domain::code::Signal signal;
    std::optional<std::string> key{};  // with one, it is told once
  };

  struct SettleRequest {
    std::variant<domain::ExecutionId, std::string> promise{};  // its id, or its key
    bool resolves = true;
    std::string value = "null";  // the result, or the error: JSON text
  };

  struct KeyRequest {
    std::optional<std::string> tenant;  // the principal's own by default
    std::string name;
    std::uint8_t permissions = 0;
    std::optional<Duration> expires_in;
  };

  struct NewKey {
    domain::ApiKey key;
    std::string secret;
  };

  struct CancelRequest {
    bool force = false;    // ends a running task without waiting for its worker, and needs the permission admin
    std::string why{};     // for the history of a run; refused for a task without one
    bool of_code = false;  // refused (not_found) for all but workflows that are written as code
  };

  struct RetryRequest {
    std::vector<std::string> steps{};  // of a run; none = all that did not succeed
    std::string why{};                 // for the history of a run; refused for a task without one
  };

  struct ResolveRequest {
    std::string step;
    std::string result;  // JSON text
    std::string why{};
  };

  struct PollRequest {
    std::string worker;
    std::vector<std::string> queues;
    std::vector<int> weights{};  // of the queues; empty = one order over all
    std::optional<std::vector<std::string>> handlers;
    std::size_t max = 1;
    Duration wait{0};
    Duration lease = domain::default_lease;
    std::optional<Duration> push{};  // only for the dispatcher: Claim::push
  };

  /// Lets a long poll end early, when the worker has gone.
  class Poll {
   public:
    virtual ~Poll() = default;
    virtual void abandon() = 0;
  };

  struct Failure {
    std::string error;  // JSON text {"type", "message", …}
    bool retryable = true;
    std::optional<Duration> retry_after{};
  };

  struct Success {
    std::optional<std::string> result;
  };

  /// Of an activation: what the code of the workflow said.
  struct CodeAnswer {
    domain::ExecutionId workflow;
    domain::code::Answer answer;
  };

  struct Ending {
    domain::AttemptId attempt_id;
    std::variant<Success, Failure, CodeAnswer> outcome;
  };

  struct WorkAnswer {
    std::vector<Result<AttemptAnswer>> endings;  // one for each, in order
    std::vector<Lease> leases;
  };

  /// What a target says of the one attempt that it was given.
  struct CallbackBeat {
    std::optional<domain::Progress> progress{};
  };

  struct StoredRevision {
    domain::Template template_;
    bool changed = true;
  };
};

}  // namespace semel::engine
