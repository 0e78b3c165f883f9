#pragma once
#include "base/json/lexer.hpp"

namespace semel::json {

/// Moves past one value of any depth, checking its grammar and UTF-8 only. Iterative: what it walks over may
/// be hostile, and only canonicalize() limits depth.
bool skip_value(Lexer& lexer);

/// Moves past `"key" :` and gives the key.
bool scan_key(Lexer& lexer, StringToken& key);

/// Moves past a string, number or literal.
bool skip_scalar(Lexer& lexer);

}  // namespace semel::json
