#pragma once
#include <string>
#include <string_view>

#include "base/json/reader.hpp"
#include "base/result.hpp"

namespace semel::codec {

/// Why something failed, {"type", "message", "details"?}, as canonical JSON.
Result<std::string> read_error(json::Reader& reader, std::string_view field);

}  // namespace semel::codec
