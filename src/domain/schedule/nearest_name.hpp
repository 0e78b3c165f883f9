#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace semel::domain {

/// The known zone that was probably meant: the same but for upper and lower case, or the one that takes the fewest
/// changes, to its whole name ("Europe/Berln") or to its city ("berlin"). Nothing when all are far away.
std::optional<std::string> nearest_name(std::string_view wrong, const std::vector<std::string>& known);

}  // namespace semel::domain
