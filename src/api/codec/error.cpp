#include "api/codec/error.hpp"

#include "base/ensure.hpp"
#include "base/json/writer.hpp"

namespace semel::codec {
namespace {

struct Entry {
  std::string_view name;
  int status;
};

// One exhaustive table, no default: a new code does not compile before it has its line.
Entry entry_of(ErrorCode code) {
  switch (code) {
    case ErrorCode::bad_request: return {"BAD_REQUEST", 400};
    case ErrorCode::not_supported_yet: return {"NOT_SUPPORTED_YET", 400};
    case ErrorCode::invalid_template: return {"INVALID_TEMPLATE", 400};
    case ErrorCode::invalid_context: return {"INVALID_CONTEXT", 422};
    case ErrorCode::unauthorized: return {"UNAUTHORIZED", 401};
    case ErrorCode::forbidden: return {"FORBIDDEN", 403};
    case ErrorCode::not_found: return {"NOT_FOUND", 404};
    case ErrorCode::method_not_allowed: return {"METHOD_NOT_ALLOWED", 405};
    case ErrorCode::request_timeout: return {"REQUEST_TIMEOUT", 408};
    case ErrorCode::conflict: return {"CONFLICT", 409};
    case ErrorCode::idempotency_key_conflict: return {"IDEMPOTENCY_KEY_CONFLICT", 409};
    case ErrorCode::idempotency_key_mismatch: return {"IDEMPOTENCY_KEY_MISMATCH", 422};
    case ErrorCode::task_already_exists: return {"TASK_ALREADY_EXISTS", 409};
    case ErrorCode::task_already_completed: return {"TASK_ALREADY_COMPLETED", 409};
    case ErrorCode::task_already_closed: return {"TASK_ALREADY_CLOSED", 409};
    case ErrorCode::stale_attempt: return {"STALE_ATTEMPT", 409};
    case ErrorCode::not_cancellable: return {"NOT_CANCELLABLE", 409};
    case ErrorCode::not_retryable: return {"NOT_RETRYABLE", 409};
    case ErrorCode::not_resolvable: return {"NOT_RESOLVABLE", 409};
    case ErrorCode::identity_held: return {"IDENTITY_HELD", 409};
    case ErrorCode::result_expired: return {"RESULT_EXPIRED", 410};
    case ErrorCode::payload_too_large: return {"PAYLOAD_TOO_LARGE", 413};
    case ErrorCode::unsupported_media_type: return {"UNSUPPORTED_MEDIA_TYPE", 415};
    case ErrorCode::tenant_limit: return {"TENANT_LIMIT", 429};
    case ErrorCode::headers_too_large: return {"HEADERS_TOO_LARGE", 431};
    case ErrorCode::internal: return {"INTERNAL", 500};
    case ErrorCode::outcome_unknown: return {"OUTCOME_UNKNOWN", 503};
    case ErrorCode::unavailable: return {"UNAVAILABLE", 503};
  }
  ensure(false);
  return {};
}

}  // namespace

std::string_view wire_name(ErrorCode code) { return entry_of(code).name; }
int http_status(ErrorCode code) { return entry_of(code).status; }

std::string encode_error(const Error& error) {
  json::Writer writer;
  writer.begin_object().key("error").begin_object();
  writer.string("code", wire_name(error.code)).string("message", error.message);
  if (!error.violations.empty()) {
    writer.key("violations").begin_array();
    for (const Violation& each : error.violations)
      writer.begin_object().string("pointer", each.pointer).string("message", each.what).end_object();
    writer.end_array();
  }
  return writer.end_object().end_object().take();
}

}  // namespace semel::codec
