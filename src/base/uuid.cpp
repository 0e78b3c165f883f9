#include "base/uuid.hpp"

#include <openssl/sha.h>

#include <algorithm>

#include "base/bytes.hpp"

namespace semel {
namespace {

constexpr std::array<std::size_t, 4> dash_positions{8, 13, 18, 23};

bool is_dash_position(std::size_t i) {
  return std::find(dash_positions.begin(), dash_positions.end(), i) != dash_positions.end();
}

}  // namespace

std::string Uuid::text() const {
  static constexpr char digits[] = "0123456789abcdef";
  std::string text(36, '-');
  std::size_t at = 0;
  for (const std::uint8_t byte : bytes) {
    if (is_dash_position(at)) ++at;
    text[at++] = digits[byte >> 4];
    text[at++] = digits[byte & 15];
  }
  return text;
}

std::optional<Uuid> Uuid::parse(std::string_view text) {
  if (text.size() != 36) return std::nullopt;
  Uuid uuid;
  std::size_t digit = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (is_dash_position(i)) {
      if (text[i] != '-') return std::nullopt;
      continue;
    }
    const int value = hex_value(text[i]);
    if (value < 0) return std::nullopt;
    auto& byte = uuid.bytes[digit / 2];
    byte = static_cast<std::uint8_t>(digit % 2 == 0 ? value << 4 : byte | value);
    ++digit;
  }
  return uuid;
}

Uuid Uuid::v5(const Uuid& space, std::string_view name) {
  std::string message(space.view());
  message.append(name);
  std::array<std::uint8_t, SHA_DIGEST_LENGTH> digest{};
  SHA1(reinterpret_cast<const unsigned char*>(message.data()), message.size(), digest.data());
  Uuid uuid;
  std::copy_n(digest.begin(), uuid.bytes.size(), uuid.bytes.begin());
  uuid.bytes[6] = static_cast<std::uint8_t>((uuid.bytes[6] & 0x0F) | 0x50);
  uuid.bytes[8] = static_cast<std::uint8_t>((uuid.bytes[8] & 0x3F) | 0x80);
  return uuid;
}

Uuid uuid_namespace_dns() { return *Uuid::parse("6ba7b810-9dad-11d1-80b4-00c04fd430c8"); }

}  // namespace semel
