#include "api/grpc/values.hpp"

#include "api/codec/moments.hpp"

namespace semel::rpc {
namespace {

constexpr std::int32_t nanos_max = 999'999'999;
constexpr std::int32_t nanos_a_ms = 1'000'000;

}  // namespace

void set_time(google::protobuf::Timestamp* to, Time time) {
  const std::int64_t ms = to_ms(time);
  to->set_seconds(ms / 1'000);
  to->set_nanos(static_cast<std::int32_t>(ms % 1'000) * nanos_a_ms);
}

void set_duration(google::protobuf::Duration* to, Duration duration) {
  to->set_seconds(duration.count() / 1'000);
  to->set_nanos(static_cast<std::int32_t>(duration.count() % 1'000) * nanos_a_ms);
}

Result<Time> read_time(std::string_view field, const google::protobuf::Timestamp& time) {
  const bool fits = time.seconds() >= 0 && time.seconds() <= codec::time_seconds_max && time.nanos() >= 0 &&
                    time.nanos() <= nanos_max;
  if (!fits) return bad_request("{} must be a time from 1970 to 9999", field);
  return from_ms(time.seconds() * 1'000 + time.nanos() / nanos_a_ms);
}

Result<Duration> read_duration(std::string_view field, const google::protobuf::Duration& duration) {
  const bool fits = duration.seconds() >= 0 && duration.seconds() <= codec::duration_seconds_max &&
                    duration.nanos() >= 0 && duration.nanos() <= nanos_max;
  if (!fits) return bad_request("{} must be a duration from 0 to 100 years", field);
  return Duration{duration.seconds() * 1'000 + duration.nanos() / nanos_a_ms};
}

}  // namespace semel::rpc
