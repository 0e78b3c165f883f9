#pragma once
#include <string>

#include "base/json/lexer.hpp"

namespace semel::json {

/// Moves past one value, with all the checks of canonicalize(), and appends its canonical form. Depth is
/// counted from this value on.
bool append_canonical(Lexer& lexer, std::string& out);

}  // namespace semel::json
