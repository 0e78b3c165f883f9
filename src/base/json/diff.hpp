#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace semel::json {

/// The JSON Pointers at which two canonical texts differ, each below `prefix`, in document order, at most `max`:
/// the deepest places that tell (a member that only one side has, an array element beyond the other's end, values
/// that differ in type or text). Never any values.
std::vector<std::string> diff(std::string_view left, std::string_view right, std::size_t max,
                              std::string_view prefix = "");

}  // namespace semel::json
