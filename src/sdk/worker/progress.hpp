#pragma once
#include <optional>
#include <string>

namespace semel::sdk {

/// What a handler said about how far it is.
struct SaidProgress {
  std::optional<double> done{};  // 0 to 1
  std::string message{};         // empty = none
};

/// A number from 0 to 1 says how much is done; any other value is shown as it is written, in as much room as there is.
SaidProgress read_progress(const std::string& json);

}  // namespace semel::sdk
