#pragma once
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/json/reader.hpp"
#include "base/result.hpp"
#include "engine/engine.hpp"

namespace semel::codec {

/// `complete` without a result = nothing; `"result": null` = JSON null.
struct CompleteRequest {
  std::optional<std::string> result;
};
Result<CompleteRequest> decode_complete(std::string_view body);

/// The error as canonical JSON text.
struct FailRequest {
  std::string error;
  bool retryable = true;
  std::optional<Duration> retry_after{};
};
Result<FailRequest> decode_fail(std::string_view body);

struct HeartbeatRequest {
  Duration lease = domain::default_lease;
  std::optional<domain::Progress> progress{};
};
Result<HeartbeatRequest> decode_heartbeat(std::string_view body);

struct OutcomeRequest {
  domain::AttemptId attempt_id;
  std::variant<CompleteRequest, FailRequest> outcome;
};
/// Each is refused alone.
using OutcomeRequests = std::vector<Result<OutcomeRequest>>;
/// The body of POST /v1/attempts:batch.
Result<OutcomeRequests> decode_outcomes(std::string_view body);
/// An array of them, as a member of a body.
Result<void> read_outcomes(json::Reader& reader, std::string_view field, OutcomeRequests& into);

/// As the engine takes them.
using Endings = std::vector<Result<engine::Engine::Ending>>;
Endings endings_of(OutcomeRequests requests);
engine::Engine::Failure failure_of(FailRequest request);

struct PollBody {
  engine::Engine::PollRequest poll;
  OutcomeRequests outcomes{};  // of tasks that the worker had before
};
Result<PollBody> decode_poll(std::string_view body);

}  // namespace semel::codec
