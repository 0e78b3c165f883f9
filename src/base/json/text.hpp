#pragma once
#include <string>
#include <string_view>

namespace semel::json {

/// Appends a JSON string with RFC 8785's minimal escapes: \" \\ \b \f \n \r \t and \u00xx (lower case) for
/// other control characters; everything else as it is. The input must be valid UTF-8.
void append_string(std::string_view utf8, std::string& out);
std::string quote(std::string_view utf8);

/// Orders UTF-8 strings as their UTF-16 code units would be ordered (RFC 8785, section 3.2.3).
/// Negative, zero or positive, like std::string_view::compare.
int compare_utf16(std::string_view left, std::string_view right);

}  // namespace semel::json
