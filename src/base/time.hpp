#pragma once
#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace semel {

/// All times and durations of the engine have the resolution of one millisecond: one tick.
using Duration = std::chrono::milliseconds;
using Time = std::chrono::sys_time<Duration>;

using namespace std::chrono_literals;

inline std::int64_t to_ms(Time time) { return time.time_since_epoch().count(); }
inline Time from_ms(std::int64_t ms) { return Time{Duration{ms}}; }

/// RFC 3339 in UTC with milliseconds: "2026-01-20T12:30:00.000Z".
std::string to_rfc3339(Time time);

/// Reads RFC 3339 (offset or Z required, fraction optional, cut to milliseconds; years 1970 to 9999).
std::optional<Time> parse_rfc3339(std::string_view text);

/// Reads "500ms", "30s", "5m", "2h", "7d" and "0": digits and one unit, nothing else; at most 100 years.
std::optional<Duration> parse_duration(std::string_view text);

/// Writes the largest unit that keeps the value exact: 90s → "90s", 120s → "2m".
std::string to_text(Duration duration);

}  // namespace semel
