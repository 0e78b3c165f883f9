#pragma once
#include <cstddef>
#include <optional>
#include <string_view>

#include "base/json/lexer.hpp"

namespace semel::json {

// Steps through canonical text, which is known to be good: that it is not would be a bug, and stops the
// process.

/// From an object to the value of its member `key`. Returns where the member begins; nothing when there is
/// none.
std::optional<std::size_t> enter_member(Lexer& lexer, std::string_view key);

/// From an array to the element that the token of a pointer names; false when there is none.
bool enter_element(Lexer& lexer, std::string_view token);

/// Moves past a value and returns it.
std::string_view take_value(Lexer& lexer);

/// Moves past `"key":` and returns the decoded key.
std::string take_key(Lexer& lexer);

}  // namespace semel::json
