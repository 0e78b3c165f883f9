#pragma once
#include <cstdint>
#include <string_view>

#include "base/result.hpp"
#include "base/time.hpp"
#include "domain/submission.hpp"

/// Times and durations, checked so that no sum of them is out of range: every interface refuses the same, in the same
/// words.
namespace semel::codec {

inline constexpr std::int64_t time_seconds_max = 253'402'300'799;        // the last of the year 9999
inline constexpr std::int64_t duration_seconds_max = 36'525LL * 86'400;  // 100 years

Result<void> check_moment(std::string_view field, Time time);
Result<void> check_moment(std::string_view field, Duration duration);

/// Of deadline and deadline_after, one.
Result<void> check_deadline(const domain::Submission& submission);

}  // namespace semel::codec
