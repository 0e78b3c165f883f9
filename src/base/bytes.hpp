#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

namespace semel {

/// A SHA-256 digest.
using Hash32 = std::array<std::uint8_t, 32>;

/// Digests are uniformly distributed already: their first bytes are a good hash.
struct Hash32Hasher {
  std::size_t operator()(const Hash32& hash) const noexcept {
    std::size_t value = 0;
    std::memcpy(&value, hash.data(), sizeof value);
    return value;
  }
};

/// What a hexadecimal digit of either case stands for, -1 for any other character.
int hex_value(char digit);

/// Lower-case hexadecimal.
std::string to_hex(const std::uint8_t* data, std::size_t size);
inline std::string to_hex(const Hash32& hash) { return to_hex(hash.data(), hash.size()); }

/// The digest written as 64 hexadecimal digits of either case; nothing for any other text.
std::optional<Hash32> hash_from_hex(std::string_view text);

inline std::string_view as_text(const Hash32& hash) {
  return {reinterpret_cast<const char*>(hash.data()), hash.size()};
}

}  // namespace semel
