#include "domain/names.hpp"

#include <algorithm>

#include "base/utf8.hpp"

namespace semel::domain {
namespace {

bool is_name_char(char c) {
  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '.' || c == '-';
}

/// C0, DEL, and C1, which UTF-8 writes as C2 80 … C2 9F.
bool has_control_character(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if (byte < 0x20 || byte == 0x7F) return true;
    if (byte == 0xC2 && i + 1 < text.size() && static_cast<unsigned char>(text[i + 1]) < 0xA0) return true;
  }
  return false;
}

}  // namespace

Result<void> check_name(std::string_view what, std::string_view name) {
  const bool fits =
      !name.empty() && name.size() <= limits::name_chars_max && std::all_of(name.begin(), name.end(), is_name_char);
  if (fits) return {};
  return bad_request("{} must be 1 to {} characters of A-Z a-z 0-9 _ . -", what, limits::name_chars_max);
}

Result<void> check_key(std::string_view what, std::string_view key) {
  if (key.empty()) return bad_request("{} must not be empty; leave it out to send none", what);
  if (key.size() > limits::key_bytes_max) {
    return bad_request("{} is {} bytes long; at most {} are allowed", what, key.size(), limits::key_bytes_max);
  }
  if (!is_utf8(key)) return bad_request("{} is not valid UTF-8", what);
  if (has_control_character(key)) return bad_request("{} must not contain control characters", what);
  return {};
}

}  // namespace semel::domain
