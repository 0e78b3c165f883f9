#pragma once
#include <string>
#include <string_view>

#include "api/http/transport/message.hpp"

namespace semel::http {

/// What the transport answers by itself, without asking the handler.
struct Refusal {
  int status = 400;
  std::string_view code;  // a wire name of docs/errors/README.md
  std::string message;    // says what to change; never holds the client's text, so nothing has to be escaped
};

Refusal bad_request_refusal(std::string message);
Refusal forbidden_refusal(std::string message);
Refusal timeout_refusal(std::string message);
Refusal headers_too_large_refusal(std::size_t bytes_max);
Refusal payload_too_large_refusal(std::size_t bytes_max);
Refusal unsupported_coding_refusal();
Refusal unmet_expectation_refusal();
Refusal overloaded_refusal(std::size_t connections_max);
Refusal internal_refusal();

/// `{"error":{"code":"…","message":"…"}}`
Response to_response(const Refusal& refusal);

}  // namespace semel::http
