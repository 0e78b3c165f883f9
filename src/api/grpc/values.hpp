#pragma once
#include <google/protobuf/duration.pb.h>
#include <google/protobuf/timestamp.pb.h>
#include <semel/v1/common.pb.h>
#include <semel/v1/task.pb.h>

#include <optional>
#include <string_view>
#include <type_traits>

#include "base/result.hpp"
#include "base/time.hpp"
#include "domain/policy.hpp"
#include "domain/retry.hpp"
#include "domain/state.hpp"

/// Small values of messages ↔ those of the domain.
namespace semel::rpc {

void set_time(google::protobuf::Timestamp* to, Time time);
void set_duration(google::protobuf::Duration* to, Duration duration);
/// Cut to milliseconds; from 1970 to 9999, as everywhere.
Result<Time> read_time(std::string_view field, const google::protobuf::Timestamp& time);
/// Cut to milliseconds; not negative, at most 100 years.
Result<Duration> read_duration(std::string_view field, const google::protobuf::Duration& duration);

/// Enumerators have the order of the domain's, after UNSPECIFIED; a test looks at their names.
template <typename Wire, typename Domain>
Wire to_wire(Domain value) {
  return static_cast<Wire>(static_cast<int>(value) + 1);
}

template <typename Domain, typename Wire>
Result<std::optional<Domain>> read_choice(std::string_view field, Wire value, int last) {
  const int number = static_cast<int>(value);
  if (number == 0) return std::nullopt;
  if (number < 0 || number > last) return bad_request("{} has an unknown value {}", field, number);
  return static_cast<Domain>(number - 1);
}

inline v1::TaskStatus to_wire(domain::State state) { return to_wire<v1::TaskStatus>(state); }

/// A field whose number this version does not know would be ignored, and nobody would notice.
template <typename Message>
Result<void> check_known(const Message& message) {
  const auto& unknown = message.GetReflection()->GetUnknownFields(message);
  if (unknown.empty()) return {};
  return bad_request("{} has a field {} that this server does not know", message.GetTypeName(),
                     unknown.field(0).number());
}

}  // namespace semel::rpc
