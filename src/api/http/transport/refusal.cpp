#include "api/http/transport/refusal.hpp"

#include <fmt/format.h>

#include <utility>

namespace semel::http {

Refusal bad_request_refusal(std::string message) { return {400, "BAD_REQUEST", std::move(message)}; }

Refusal forbidden_refusal(std::string message) { return {403, "FORBIDDEN", std::move(message)}; }

Refusal timeout_refusal(std::string message) { return {408, "REQUEST_TIMEOUT", std::move(message)}; }

Refusal headers_too_large_refusal(std::size_t bytes_max) {
  return {431, "HEADERS_TOO_LARGE",
          fmt::format("the request line and headers are over {} bytes: send fewer or shorter headers", bytes_max)};
}

Refusal payload_too_large_refusal(std::size_t bytes_max) {
  return {413, "PAYLOAD_TOO_LARGE",
          fmt::format("the body is over the {} bytes that this path takes: send a smaller one", bytes_max)};
}

Refusal unsupported_coding_refusal() {
  return {501, "BAD_REQUEST", "the only Transfer-Encoding that is understood is chunked, once, on HTTP/1.1"};
}

Refusal unmet_expectation_refusal() {
  return {417, "BAD_REQUEST", "the only Expect that is understood is 100-continue"};
}

Refusal overloaded_refusal(std::size_t connections_max) {
  return {503, "UNAVAILABLE",
          fmt::format("all {} connections are taken: try again later, or reuse connections", connections_max)};
}

Refusal internal_refusal() {
  return {500, "INTERNAL", "the server failed on this request: its log tells more under the request id"};
}

Response to_response(const Refusal& refusal) {
  Response response;
  response.status = refusal.status;
  response.body = fmt::format(R"({{"error":{{"code":"{}","message":"{}"}}}})", refusal.code, refusal.message);
  if (refusal.status == 503) response.headers.emplace_back("Retry-After", "1");
  return response;
}

}  // namespace semel::http
