#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "base/time.hpp"

namespace semel::cli {

/// "3m ago", "in 2h", "now"; a text that is no time as it is.
std::string show_age(std::string_view rfc3339, Time now);

/// "2026-01-20 12:30:00 UTC (3m ago)"
std::string show_time(std::string_view rfc3339, Time now);

/// "1.5 GiB"
std::string show_bytes(std::uintmax_t bytes);

/// A time as RFC 3339, or so long ago as a duration says: "2026-01-20T12:30:00Z", "2h".
Result<Time> read_past_time(std::string_view option, std::string_view text, Time now);

/// "30s", "2h": refused with the option's name.
Result<Duration> read_duration(std::string_view option, std::string_view text);

}  // namespace semel::cli
