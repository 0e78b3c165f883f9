#pragma once
#include <compare>
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

struct IdHasher {
  template <typename Tag>
  std::size_t operator()(const Id<Tag>& id) const noexcept {
    return UuidHasher{}(id.uuid);
  }
};

}  // namespace semel::domain
