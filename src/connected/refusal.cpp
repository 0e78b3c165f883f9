#include "connected/refusal.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

namespace semel::connected {
namespace {

/// Codes of the server after which the same may be asked again.
constexpr std::array<std::string_view, 3> codes_to_repeat{"UNAVAILABLE", "OUTCOME_UNKNOWN", "TENANT_LIMIT"};

bool has_any(const std::string& text, std::initializer_list<std::string_view> parts) {
  return std::any_of(parts.begin(), parts.end(),
                     [&](std::string_view part) { return text.find(part) != std::string::npos; });
}

/// The server's own words, which are among the details of a status; nothing where it was not the server that spoke.
std::optional<v1::Error> error_in(const grpc::Status& status) {
  v1::StatusDetails details;
  if (!details.ParseFromString(status.error_details())) return std::nullopt;
  for (const google::protobuf::Any& any : details.details()) {
    v1::Error error;
    if (any.UnpackTo(&error)) return error;
  }
  return std::nullopt;
}

/// What gRPC's message about a connection that cannot be made means for whoever wrote the address.
std::string advice(const std::string& says, const Address& address) {
  if (has_any(says, {"wrong version number", "WRONG_VERSION_NUMBER", "packet length too long"}))
    return "It does not speak TLS there: leave out the TLS options, or give the server a certificate.";
  if (has_any(says, {"certificate verify failed", "CERTIFICATE_VERIFY_FAILED", "unable to get local issuer"}))
    return "Its certificate is not signed by anybody who is trusted here: name that in "
           "ConnectOptions().tls_ca_file(…).";
  if (has_any(says, {"Hostname Verification", "Peer name"}))
    return "Its certificate has another name: connect to that, or say it in ConnectOptions().tls_server_name(…).";
  if (has_any(says, {"http1", "HTTP/1", "expected SETTINGS frame", "Expected SETTINGS frame"}))
    return "That is not gRPC: REST has another port. The server says both when it starts; gRPC's is 7421 by default.";
  if (has_any(says, {"DNS", "Domain name", "name resolution"})) return "Is the name of the host right?";
  if (has_any(says, {"Connection refused", "refused"}))
    return "Is the server running, and is that its address for gRPC (--grpc-listen)?";
  if (!address.tls && has_any(says, {"Socket closed", "Connection reset", "Broken pipe", "closed"}))
    return "It went away, or it speaks TLS: then say ConnectOptions().tls(), or tls_ca_file(…).";
  return "Is the server running, and can it be reached from here?";
}

}  // namespace

sdk::Refusal refusal_of(const v1::Error& error) {
  const bool again = std::find(codes_to_repeat.begin(), codes_to_repeat.end(), error.code()) != codes_to_repeat.end();
  return {error.code(), error.message(), again};
}

sdk::Refusal refusal_of(const grpc::Status& status, const Address& address) {
  if (const std::optional<v1::Error> error = error_in(status)) {
    sdk::Refusal refusal = refusal_of(*error);
    if (refusal.code == "UNAUTHORIZED") refusal.message += "; the key is ConnectOptions().api_key(…)";
    return refusal;
  }
  const std::string& says = status.error_message();
  switch (status.error_code()) {
    case grpc::StatusCode::UNIMPLEMENTED:
      return {"UNIMPLEMENTED",
              fmt::format("{} does not know this call ({}). It is older than this program, or no Semel server: upgrade "
                          "servers before the programs that use them.",
                          address.target, says),
              false};
    case grpc::StatusCode::DEADLINE_EXCEEDED:
      return {"UNAVAILABLE", fmt::format("{} did not answer in time ({}).", address.target, says), true};
    case grpc::StatusCode::RESOURCE_EXHAUSTED: return {"PAYLOAD_TOO_LARGE", says, false};
    default:
      return {"UNAVAILABLE",
              fmt::format("cannot reach {}{}: {}. {}", address.target, address.tls ? " over TLS" : "", says,
                          advice(says, address)),
              true};
  }
}

sdk::Refusal broken_off(const grpc::Status& status, const Address& address) {
  if (status.ok()) return {"UNAVAILABLE", address.target + " has ended the stream", true};
  sdk::Refusal refusal = refusal_of(status, address);
  refusal.may_be_asked_again = true;
  return refusal;
}

}  // namespace semel::connected
