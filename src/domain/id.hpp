#pragma once
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/uuid.hpp"

namespace semel::domain {

/// A UUID that cannot be mistaken for another kind of id.
template <typename Tag>
struct Id {
  Uuid uuid;

  auto operator<=>(const Id&) const = default;
  std::string text() const { return uuid.text(); }
  static std::optional<Id> parse(std::string_view text) {
    const std::optional<Uuid> uuid = Uuid::parse(text);
    if (!uuid) return std::nullopt;
    return Id{*uuid};
  }
};

using ExecutionId = Id<struct ExecutionTag>;
using AttemptId = Id<struct AttemptTag>;
using ScheduleId = Id<struct ScheduleTag>;

/// Evenly spread bits of an id that is random: what is decided by them is the same in every store, and in tests.
template <typename Tag>
std::uint64_t chance_of(const Id<Tag>& id) {
  std::uint64_t bits = 0;
  for (std::size_t i = 8; i < id.uuid.bytes.size(); ++i) bits = (bits << 8) | id.uuid.bytes[i];
  bits =
      (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9;  // the finish of splitmix64: the first of these bits are a constant
  bits = (bits ^ (bits >> 27)) * 0x94d049bb133111eb;
  return bits ^ (bits >> 31);
}

struct IdHasher {
  template <typename Tag>
  std::size_t operator()(const Id<Tag>& id) const noexcept {
    return UuidHasher{}(id.uuid);
  }
};

}  // namespace semel::domain
