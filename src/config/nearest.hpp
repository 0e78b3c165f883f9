#pragma once
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace semel::config {

/// The candidate that a mistyped text probably meant: the one with the fewest letters to add, drop or change, if they
/// are few.
std::optional<std::string> nearest(std::string_view text, std::span<const std::string> candidates);

}  // namespace semel::config
