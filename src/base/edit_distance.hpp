#pragma once
#include <cstddef>
#include <string_view>

namespace semel {

/// How many letters must be added, dropped or changed to make one word of the other (Levenshtein).
std::size_t edit_distance(std::string_view left, std::string_view right);

}  // namespace semel
