#pragma once
#include <optional>
#include <span>
#include <string_view>

namespace semel {

/// The known name that a wrong one probably meant: the one with the fewest letters to add, drop or change, if they are
/// few ("handlr" is handler); else one of which it is a whole word, or the reverse ("wait" is wait_ms). Nothing when
/// that would be a guess. The view is one of `known`.
std::optional<std::string_view> nearest(std::string_view wrong, std::span<const std::string_view> known);

}  // namespace semel
