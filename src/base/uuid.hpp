#pragma once
#include <array>
#include <compare>
#include <cstdint>
#include <cstring>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace semel {

/// 16 bytes in network order, so that bytewise order of v7 ids is the order of their times.
struct Uuid {
  std::array<std::uint8_t, 16> bytes{};

  auto operator<=>(const Uuid&) const = default;

  /// The 36-character form in lower case.
  std::string text() const;
  /// Reads the 36-character form in either case; nothing else (no braces, no "urn:").
  static std::optional<Uuid> parse(std::string_view text);
  /// RFC 9562 version 5: SHA-1 of namespace and name.
  static Uuid v5(const Uuid& space, std::string_view name);

  int version() const { return bytes[6] >> 4; }
  bool is_rfc_variant() const { return (bytes[8] & 0xC0) == 0x80; }
  std::string_view view() const { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }
};

/// RFC 9562's namespace for domain names.
Uuid uuid_namespace_dns();

struct UuidHasher {
  std::size_t operator()(const Uuid& uuid) const noexcept {
    std::uint64_t tail = 0;
    std::memcpy(&tail, uuid.bytes.data() + 8, sizeof tail);
    std::uint64_t head = 0;
    std::memcpy(&head, uuid.bytes.data(), sizeof head);
    return static_cast<std::size_t>((head ^ tail) * 0x9E3779B97F4A7C15ULL);
  }
};

}  // namespace semel
