#pragma once
#include <string>

#include "base/json/lexer.hpp"

namespace semel::json {

/// Appends the string that the token stands for. Fails on a surrogate without its other half: no UTF-8 could
/// stand for it.
bool unescape(Lexer& lexer, const StringToken& token, std::string& out);

}  // namespace semel::json
