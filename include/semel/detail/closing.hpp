#pragma once
#include <optional>
#include <string>

#include "semel/status.hpp"

namespace semel::detail {

/// How something that was waited for has ended.
struct Closing {
  Status status = Status::completed;
  std::optional<std::string> result{};  // JSON text; absent = nothing
  std::string error{};                  // JSON text, unless it is completed
};

}  // namespace semel::detail
