#include "config/nearest.hpp"

#include <algorithm>

#include "base/edit_distance.hpp"

namespace semel::config {

std::optional<std::string> nearest(std::string_view text, std::span<const std::string> candidates) {
  std::optional<std::string> best;
  std::size_t least = std::max<std::size_t>(2, text.size() / 3) + 1;
  for (const std::string& candidate : candidates) {
    const std::size_t steps = edit_distance(text, candidate);
    if (steps >= least) continue;
    least = steps;
    best = candidate;
  }
  return best;
}

}  // namespace semel::config
