#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "domain/submission.hpp"
#include "engine/engine.hpp"

/// What is said of promises.
namespace semel::codec {

/// The body of POST /v1/promises and the raw Idempotency-Key header, if there was one.
Result<domain::Submission> decode_promise(std::string_view body, const std::optional<std::string>& header_key);

/// How a promise ends.
enum class Settling : bool { reject = false, resolve = true };

/// {"value"?} or {"error"}; the promise stands in the path.
Result<engine::Engine::SettleRequest> decode_settle(std::string_view body, Settling how, domain::ExecutionId promise);
/// {"key", "value"?} or {"key", "error"}
Result<engine::Engine::SettleRequest> decode_settle_by_key(std::string_view body, Settling how);

}  // namespace semel::codec
