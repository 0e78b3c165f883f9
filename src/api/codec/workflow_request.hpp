#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "domain/submission.hpp"
#include "engine/engine.hpp"

/// What is said to workflows that are written as code.
namespace semel::codec {

/// The body of POST /v1/workflows. Its `workflow_id` is its key: an Idempotency-Key header may only say the same.
Result<domain::Submission> decode_workflow(std::string_view body, const std::optional<std::string>& header_key);

/// {"name", "value"?, "key"?}
Result<engine::Engine::SignalRequest> decode_signal(std::string_view body);

}  // namespace semel::codec
