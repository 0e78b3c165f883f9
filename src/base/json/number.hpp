#pragma once
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace semel::json {

/// Appends the canonical form of a number token that fits JSON's grammar: its exact decimal value (zeros and
/// exponent normalised), laid out as ECMAScript lays numbers out. `100`, `100.0` and `1e2` → `100`; `-0` → `0`.
/// Refuses tokens that are too long or whose exponent is out of range (see canonical.hpp).
Result<void> append_canonical_number(std::string_view token, std::string& out);

}  // namespace semel::json
