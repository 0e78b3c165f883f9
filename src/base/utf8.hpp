#pragma once
#include <cstddef>
#include <string_view>

namespace semel {

/// Whether the bytes are well-formed UTF-8 (RFC 3629: no overlong forms, no surrogates, at most U+10FFFF).
bool is_utf8(std::string_view bytes);

/// The length of the well-formed character that `bytes` begins with, 1 to 4; 0 when there is none.
std::size_t utf8_length(std::string_view bytes);

/// The beginning of well-formed `text`, at most `bytes_max` bytes, cut between two characters: for messages.
std::string_view utf8_prefix(std::string_view text, std::size_t bytes_max);

}  // namespace semel
