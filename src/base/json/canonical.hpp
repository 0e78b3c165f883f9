#pragma once
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace semel::json {

namespace limits {
inline constexpr int depth_max = 128;
inline constexpr std::size_t number_chars_max = 1000;
inline constexpr std::int64_t exponent_max = 999'999'999;
}  // namespace limits

/// The canonical form of one JSON value: RFC 8785's layout, but numbers keep their exact decimal value and
/// never become doubles (docs/adr/0002). Keys sort by UTF-16 code units; strings are escaped minimally.
///
/// Refused (bad_request, with the byte offset): text that is not JSON, invalid UTF-8, lone surrogates,
/// duplicate keys (also when written with different escapes), more than `depth_max` nested arrays and
/// objects, a number token over `number_chars_max` characters, a decimal exponent beyond ±`exponent_max`
/// once normalised, and anything but white space after the value.
///
/// Streams over the bytes; no tree is built. Recursion is bounded by `depth_max`.
Result<std::string> canonicalize(std::string_view text);

}  // namespace semel::json
