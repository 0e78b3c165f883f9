#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "domain/submission.hpp"

namespace semel::codec {

/// The body of POST /v1/tasks and the raw Idempotency-Key header, if there was one.
Result<domain::Submission> decode_submission(std::string_view body, const std::optional<std::string>& header_key);

/// The body of POST /v1/tasks:batch. Bad grammar or UTF-8 refuses the whole; everything else its element only.
Result<std::vector<Result<domain::Submission>>> decode_batch(std::string_view body);

/// A batch is answered at once: none of its submissions may wait.
Result<domain::Submission> without_wait(Result<domain::Submission> submission);
/// 1 to engine::limits::batch_max.
Result<void> check_batch_size(std::size_t submissions);

/// The key in an Idempotency-Key header: an RFC 8941 string if it starts with a quote, else the trimmed raw value.
Result<std::string> decode_key_header(std::string_view value);

}  // namespace semel::codec
