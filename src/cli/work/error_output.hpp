#pragma once
#include <string_view>

namespace semel::cli::work {

/// Writes bytes to standard error as they are. A reader that went away is not an error of ours.
void write_errors(std::string_view bytes);

}  // namespace semel::cli::work
