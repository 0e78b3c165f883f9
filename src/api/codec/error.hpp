#pragma once
#include <string>
#include <string_view>

#include "base/error.hpp"

namespace semel::codec {

/// The wire name and HTTP status of a code; docs/errors/README.md lists them.
std::string_view wire_name(ErrorCode code);
int http_status(ErrorCode code);

/// {"error": {"code", "message", "violations"?}}
std::string encode_error(const Error& error);

}  // namespace semel::codec
