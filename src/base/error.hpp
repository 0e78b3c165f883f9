#pragma once
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace semel {

/// Why a request was refused. Each code has one wire name and one HTTP status (api/codec/error.cpp)
/// and a line in docs/errors/README.md.
enum class ErrorCode : std::uint8_t {
  bad_request,
  not_supported_yet,
  invalid_template,
  invalid_context,
  unauthorized,
  forbidden,
  not_found,
  method_not_allowed,
  request_timeout,
  conflict,
  idempotency_key_conflict,
  idempotency_key_mismatch,
  task_already_exists,
  task_already_completed,
  task_already_closed,
  stale_attempt,
  not_cancellable,
  not_retryable,
  not_resolvable,
  failed_precondition,
  identity_held,
  result_expired,
  payload_too_large,
  unsupported_media_type,
  tenant_limit,
  headers_too_large,
  internal,
  outcome_unknown,
  unavailable,
};

/// Where a value breaks a rule, as a JSON Pointer, and which: "must be a string".
struct Violation {
  std::string pointer{};
  std::string what{};

  bool operator==(const Violation&) const = default;
};

/// A refusal: the caller's request cannot be done, and the message says what to change.
struct Error {
  ErrorCode code = ErrorCode::internal;
  std::string message;
  std::vector<Violation> violations{};  // of invalid_context

  bool operator==(const Error&) const = default;
};

/// A fault of the world (disk, database): the outcome is not known to the caller of the port, or
/// nothing was changed. Caught at the boundaries only, where it becomes a 503.
class StoreFault : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The connection to the database broke while a commit was under way: it may have happened or not. What was asked for
/// is safe to repeat, with the same key or id.
class OutcomeUnknown : public StoreFault {
 public:
  using StoreFault::StoreFault;
};

}  // namespace semel
