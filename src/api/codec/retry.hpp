#pragma once
#include "api/codec/fields.hpp"
#include "domain/retry.hpp"

namespace semel::codec {

/// `{"backoff", "base", "cap", "jitter"}`
Result<void> read_retry(json::Reader& reader, std::string_view field, domain::RetrySettings& retry);

/// No pause may be longer than a year.
Result<void> check_pause(std::string_view field, Duration pause);

/// A fraction from 0 to 1, in `parts`: 0.25 of 100 is 25.
Result<int> parts_of(std::string_view field, double fraction, int parts);
/// The same of what is read.
Result<int> read_fraction(json::Reader& reader, std::string_view field, int parts);

}  // namespace semel::codec
