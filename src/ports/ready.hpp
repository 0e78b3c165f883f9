#pragma once
#include <compare>
#include <string>

namespace semel {

/// Pending tasks of the queue, with that handler, may be claimed from now on.
struct Ready {
  std::string tenant{};
  std::string queue{};
  std::string handler{};

  auto operator<=>(const Ready&) const = default;
};

}  // namespace semel
