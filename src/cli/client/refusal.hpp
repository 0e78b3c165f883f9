#pragma once
#include <string>

#include "cli/client/transport.hpp"

namespace semel::cli {

/// Why there is no good answer, and what could be done about it: one line that can be shown.
std::string explain_refusal(const Result<HttpReply>& reply);

}  // namespace semel::cli
