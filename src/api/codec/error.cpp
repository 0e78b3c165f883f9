#include "api/codec/error.hpp"

#include <array>

#include "api/codec/refusal.hpp"
#include "base/ensure.hpp"
#include "base/json/writer.hpp"

namespace semel::codec {
namespace {

struct Entry {
  std::string_view name;
  int status;
  GrpcStatus grpc;
};

// One exhaustive table, no default: a new code does not compile before it has its line.
Entry entry_of(ErrorCode code) {
  using enum GrpcStatus;
  switch (code) {
    case ErrorCode::bad_request: return {"BAD_REQUEST", 400, invalid_argument};
    case ErrorCode::not_supported_yet: return {"NOT_SUPPORTED_YET", 400, unimplemented};
    case ErrorCode::invalid_template: return {"INVALID_TEMPLATE", 400, invalid_argument};
    case ErrorCode::invalid_context: return {"INVALID_CONTEXT", 422, invalid_argument};
    case ErrorCode::unauthorized: return {"UNAUTHORIZED", 401, unauthenticated};
    case ErrorCode::forbidden: return {"FORBIDDEN", 403, permission_denied};
    case ErrorCode::not_found: return {"NOT_FOUND", 404, not_found};
    case ErrorCode::method_not_allowed: return {"METHOD_NOT_ALLOWED", 405, unimplemented};
    case ErrorCode::request_timeout: return {"REQUEST_TIMEOUT", 408, deadline_exceeded};
    case ErrorCode::conflict: return {"CONFLICT", 409, already_exists};
    case ErrorCode::idempotency_key_conflict: return {"IDEMPOTENCY_KEY_CONFLICT", 409, already_exists};
    case ErrorCode::idempotency_key_mismatch: return {"IDEMPOTENCY_KEY_MISMATCH", 422, failed_precondition};
    case ErrorCode::task_already_exists: return {"TASK_ALREADY_EXISTS", 409, already_exists};
    case ErrorCode::task_already_completed: return {"TASK_ALREADY_COMPLETED", 409, already_exists};
    case ErrorCode::task_already_closed: return {"TASK_ALREADY_CLOSED", 409, already_exists};
    case ErrorCode::stale_attempt: return {"STALE_ATTEMPT", 409, failed_precondition};
    case ErrorCode::not_cancellable: return {"NOT_CANCELLABLE", 409, failed_precondition};
    case ErrorCode::not_retryable: return {"NOT_RETRYABLE", 409, failed_precondition};
    case ErrorCode::not_resolvable: return {"NOT_RESOLVABLE", 409, failed_precondition};
    case ErrorCode::failed_precondition: return {"FAILED_PRECONDITION", 409, failed_precondition};
    case ErrorCode::identity_held: return {"IDENTITY_HELD", 409, failed_precondition};
    case ErrorCode::result_expired: return {"RESULT_EXPIRED", 410, not_found};
    case ErrorCode::payload_too_large: return {"PAYLOAD_TOO_LARGE", 413, invalid_argument};
    case ErrorCode::unsupported_media_type: return {"UNSUPPORTED_MEDIA_TYPE", 415, invalid_argument};
    case ErrorCode::tenant_limit: return {"TENANT_LIMIT", 429, resource_exhausted};
    case ErrorCode::headers_too_large: return {"HEADERS_TOO_LARGE", 431, invalid_argument};
    case ErrorCode::internal: return {"INTERNAL", 500, internal};
    case ErrorCode::outcome_unknown: return {"OUTCOME_UNKNOWN", 503, unknown};
    case ErrorCode::unavailable: return {"UNAVAILABLE", 503, unavailable};
  }
  ensure(false);
  return {};
}

void write_violations(json::Writer& writer, const std::vector<Violation>& violations) {
  writer.key("violations").begin_array();
  for (const Violation& each : violations)
    writer.begin_object().string("pointer", each.pointer).string("message", each.what).end_object();
  writer.end_array();
}

void write_pointers(json::Writer& writer, const std::vector<std::string>& pointers) {
  writer.key("pointers").begin_array();
  for (const std::string& pointer : pointers) writer.string(pointer);
  writer.end_array();
}

}  // namespace

std::string_view name_of(GrpcStatus status) {
  static constexpr std::array<std::string_view, 17> names{
      "OK",        "CANCELLED",      "UNKNOWN",           "INVALID_ARGUMENT",   "DEADLINE_EXCEEDED",
      "NOT_FOUND", "ALREADY_EXISTS", "PERMISSION_DENIED", "RESOURCE_EXHAUSTED", "FAILED_PRECONDITION",
      "ABORTED",   "OUT_OF_RANGE",   "UNIMPLEMENTED",     "INTERNAL",           "UNAVAILABLE",
      "DATA_LOSS", "UNAUTHENTICATED"};
  return names.at(static_cast<std::size_t>(status));
}

std::string_view wire_name(ErrorCode code) { return entry_of(code).name; }
int http_status(ErrorCode code) { return entry_of(code).status; }
GrpcStatus grpc_status(ErrorCode code) { return entry_of(code).grpc; }
bool may_come_again(ErrorCode code) { return http_status(code) == 503 || http_status(code) == 429; }

std::string encode_error(const Error& error) { return encode_refused(refusal_of(error)); }

std::string encode_refused(const Refusal& refusal) {
  json::Writer writer;
  writer.begin_object().key("error").begin_object();
  writer.string("code", wire_name(refusal.code)).string("message", refusal.message);
  if (!refusal.violations.empty()) write_violations(writer, refusal.violations);
  if (refusal.pointers) write_pointers(writer, *refusal.pointers);
  if (refusal.existing) writer.string("existing_execution_id", refusal.existing->text());
  if (refusal.status) writer.string("status", name_of(*refusal.status));
  if (refusal.completed_at) writer.string("completed_at", to_rfc3339(*refusal.completed_at));
  if (refusal.closed_at) writer.string("closed_at", to_rfc3339(*refusal.closed_at));
  if (refusal.result_expired) writer.boolean("result_expired", true);
  if (refusal.result) writer.raw("result", *refusal.result);
  if (refusal.error) writer.raw("error", *refusal.error);
  return writer.end_object().end_object().take();
}

}  // namespace semel::codec
