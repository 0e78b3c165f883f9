#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "base/error.hpp"

namespace semel::codec {

struct Refusal;

/// The statuses of gRPC, by the numbers that its specification gives them.
enum class GrpcStatus : std::uint8_t {
  ok = 0,
  cancelled = 1,
  unknown = 2,
  invalid_argument = 3,
  deadline_exceeded = 4,
  not_found = 5,
  already_exists = 6,
  permission_denied = 7,
  resource_exhausted = 8,
  failed_precondition = 9,
  aborted = 10,
  out_of_range = 11,
  unimplemented = 12,
  internal = 13,
  unavailable = 14,
  data_loss = 15,
  unauthenticated = 16,
};
/// "ALREADY_EXISTS"
std::string_view name_of(GrpcStatus status);

/// The wire name, the HTTP status and the gRPC status of a code; docs/errors/README.md lists them.
std::string_view wire_name(ErrorCode code);
int http_status(ErrorCode code);
GrpcStatus grpc_status(ErrorCode code);
/// Whether the same request may succeed in a moment, and how long that is at least.
bool may_come_again(ErrorCode code);
inline constexpr int come_again_seconds = 1;

/// {"error": {"code", "message", "violations"?}}
std::string encode_error(const Error& error);
/// The same with all that is told of a refusal.
std::string encode_refused(const Refusal& refusal);

}  // namespace semel::codec
