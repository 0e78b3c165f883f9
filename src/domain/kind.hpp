#pragma once
#include <cstdint>
#include <optional>
#include <string_view>

namespace semel::domain {

/// What an execution is.
enum class Kind : std::uint8_t { task = 0, workflow = 1, promise = 2 };  // numbers are stored
std::string_view name_of(Kind kind);
std::optional<Kind> parse_kind(std::string_view name);

}  // namespace semel::domain
