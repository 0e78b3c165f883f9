#include "api/codec/moments.hpp"

#include <chrono>

namespace semel::codec {

Result<void> check_moment(std::string_view field, Time time) {
  const bool fits = time >= Time{} && time < Time(std::chrono::seconds(time_seconds_max + 1));
  if (!fits) return bad_request("{} must be a time from 1970 to 9999", field);
  return {};
}

Result<void> check_moment(std::string_view field, Duration duration) {
  const bool fits = duration >= Duration{0} && duration < std::chrono::seconds(duration_seconds_max + 1);
  if (!fits) return bad_request("{} must be a duration from 0 to 100 years", field);
  return {};
}

Result<void> check_deadline(const domain::Submission& submission) {
  if (submission.deadline && submission.deadline_after)
    return bad_request("deadline and deadline_after are both given; send one of them");
  if (submission.deadline_after && *submission.deadline_after == Duration{0})
    return bad_request("deadline_after must be longer than nothing");
  return {};
}

}  // namespace semel::codec
