#pragma once
#include <exception>
#include <string>

namespace semel::sdk {

/// What an exception of the user's code is as an error: a JSON object {"type", "message", …}. A Failure says its type,
/// what was waited for keeps its own, and all others are "exception".
std::string failure_text(const std::exception& error);

}  // namespace semel::sdk
