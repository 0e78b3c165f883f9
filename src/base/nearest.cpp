#include "base/nearest.hpp"

#include <algorithm>

#include "base/edit_distance.hpp"

namespace semel {
namespace {

constexpr std::size_t looked_at_max = 64;  // no name is longer, and the work grows with both lengths

/// How many changes are still a slip of the fingers. Two swapped letters are two changes.
std::size_t slips_max(std::size_t letters) { return letters < 4 ? 1 : std::max<std::size_t>(2, letters / 3); }

bool is_word_of(std::string_view word, std::string_view name) {
  if (word.size() < 2 || word.size() >= name.size()) return false;
  const std::string_view end = name.substr(name.size() - word.size());
  return (name.starts_with(word) && name[word.size()] == '_') ||
         (end == word && name[name.size() - word.size() - 1] == '_');
}

}  // namespace

std::optional<std::string_view> nearest(std::string_view wrong, std::span<const std::string_view> known) {
  if (wrong.size() > looked_at_max) return std::nullopt;
  std::optional<std::string_view> best;
  // Where nothing would be left of what was written, it is no slip.
  std::size_t least = std::min(slips_max(wrong.size()) + 1, wrong.size());
  for (const std::string_view name : known) {
    const std::size_t changes = edit_distance(wrong, name);
    if (changes >= least) continue;
    least = changes;
    best = name;
  }
  if (best) return best;
  const auto shares_a_word = [&](std::string_view name) { return is_word_of(wrong, name) || is_word_of(name, wrong); };
  const auto found = std::ranges::find_if(known, shares_a_word);
  if (found == known.end()) return std::nullopt;
  return *found;
}

}  // namespace semel
