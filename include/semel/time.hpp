#pragma once
#include <chrono>

namespace semel {

/// Times and durations have the resolution of one millisecond. They are types of the standard library, so that `24h`
/// and `500ms` are written as ever.
using Duration = std::chrono::milliseconds;
using Time = std::chrono::sys_time<Duration>;

}  // namespace semel
