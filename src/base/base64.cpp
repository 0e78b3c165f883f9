#include "base/base64.hpp"

#include <cstdint>

namespace semel {
namespace {

constexpr std::string_view standard = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::string_view for_urls = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

std::string encode(std::string_view bytes, std::string_view alphabet) {
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  std::uint32_t bits = 0;
  int count = 0;
  for (const char byte : bytes) {
    bits = (bits << 8) | static_cast<std::uint8_t>(byte);
    for (count += 8; count >= 6;) text += alphabet[(bits >> (count -= 6)) & 63];
  }
  if (count > 0) text += alphabet[(bits << (6 - count)) & 63];
  return text;
}

/// Without padding.
std::optional<std::string> decode(std::string_view text, std::string_view alphabet) {
  if (text.size() % 4 == 1) return std::nullopt;
  std::string bytes;
  bytes.reserve(text.size() / 4 * 3 + 2);
  std::uint32_t bits = 0;
  int count = 0;
  for (const char c : text) {
    const std::size_t value = alphabet.find(c);
    if (value == std::string_view::npos) return std::nullopt;
    bits = (bits << 6) | static_cast<std::uint32_t>(value);
    count += 6;
    if (count >= 8) bytes += static_cast<char>((bits >> (count -= 8)) & 255);
  }
  if ((bits & ((1U << count) - 1)) != 0) return std::nullopt;
  return bytes;
}

}  // namespace

std::string to_base64(std::string_view bytes) {
  std::string text = encode(bytes, standard);
  while (text.size() % 4 != 0) text += '=';
  return text;
}

std::string to_base64url(std::string_view bytes) { return encode(bytes, for_urls); }

std::optional<std::string> from_base64(std::string_view text) {
  if (text.size() % 4 != 0) return std::nullopt;
  for (int padding = 0; padding < 2 && text.ends_with('='); ++padding) text.remove_suffix(1);
  return decode(text, standard);
}

std::optional<std::string> from_base64url(std::string_view text) { return decode(text, for_urls); }

}  // namespace semel
