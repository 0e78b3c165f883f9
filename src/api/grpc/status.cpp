#include "api/grpc/status.hpp"

#include "api/codec/error.hpp"
#include "api/grpc/values.hpp"
#include "base/utf8.hpp"

namespace semel::rpc {
namespace {

// Clients take 8 KiB of headers unless told otherwise; details travel in base64, beside the message.
constexpr std::size_t detail_bytes_max = 4'000;
constexpr std::size_t message_bytes_max = 600;

/// Leaves out what is largest first: a payload, then what there are many of, from the last.
void shorten(v1::Error& error) {
  if (error.ByteSizeLong() <= detail_bytes_max) return;
  error.set_shortened(true);
  error.clear_result();
  error.clear_error();
  while (error.ByteSizeLong() > detail_bytes_max && error.pointers_size() > 0) error.mutable_pointers()->RemoveLast();
  while (error.ByteSizeLong() > detail_bytes_max && error.violations_size() > 0)
    error.mutable_violations()->RemoveLast();
  if (error.ByteSizeLong() > detail_bytes_max)
    error.set_message(std::string(utf8_prefix(error.message(), message_bytes_max)));
}

std::string details_of(const codec::Refusal& refusal, std::string_view message) {
  v1::StatusDetails details;
  details.set_code(static_cast<int>(codec::grpc_status(refusal.code)));
  details.set_message(std::string(message));
  v1::Error error;
  write_error(error, refusal);
  shorten(error);
  details.add_details()->PackFrom(error);
  if (codec::may_come_again(refusal.code)) {
    v1::RetryInfo retry;
    retry.mutable_retry_delay()->set_seconds(codec::come_again_seconds);
    google::protobuf::Any* any = details.add_details();
    any->set_type_url("type.googleapis.com/google.rpc.RetryInfo");
    retry.SerializeToString(any->mutable_value());
  }
  return details.SerializeAsString();
}

}  // namespace

void write_error(v1::Error& to, const codec::Refusal& refusal) {
  to.set_code(std::string(codec::wire_name(refusal.code)));
  to.set_message(refusal.message);
  to.set_grpc_status(static_cast<int>(codec::grpc_status(refusal.code)));
  for (const Violation& each : refusal.violations) {
    v1::Violation* violation = to.add_violations();
    violation->set_pointer(each.pointer);
    violation->set_message(each.what);
  }
  if (refusal.pointers) {
    for (const std::string& pointer : *refusal.pointers) to.add_pointers(pointer);
  }
  if (refusal.existing) to.set_existing_execution_id(refusal.existing->text());
  if (refusal.status) to.set_status(to_wire(*refusal.status));
  if (refusal.completed_at) set_time(to.mutable_completed_at(), *refusal.completed_at);
  if (refusal.closed_at) set_time(to.mutable_closed_at(), *refusal.closed_at);
  if (refusal.result) to.set_result(*refusal.result);
  if (refusal.error) to.set_error(*refusal.error);
  if (refusal.result_expired) to.set_result_expired(true);
}

grpc::Status status_of(const codec::Refusal& refusal) {
  const auto code = static_cast<grpc::StatusCode>(codec::grpc_status(refusal.code));
  const std::string message(utf8_prefix(refusal.message, message_bytes_max));
  return {code, message, details_of(refusal, message)};
}

grpc::Status status_of(const Error& error) { return status_of(codec::refusal_of(error)); }

}  // namespace semel::rpc
