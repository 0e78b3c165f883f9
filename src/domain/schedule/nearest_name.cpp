#include "domain/schedule/nearest_name.hpp"

#include <algorithm>

#include "base/edit_distance.hpp"

namespace semel::domain {
namespace {

/// In lower case, and with the separator that the database uses: people write "new york".
std::string folded(std::string_view name) {
  std::string text(name);
  for (char& c : text) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    if (c == ' ' || c == '-') c = '_';
  }
  return text;
}

/// "CEST" is short for a time, and one letter away from the city of Australia/West: what was meant is not to be
/// guessed.
bool is_abbreviation(std::string_view name) {
  return name.size() <= 5 && std::ranges::all_of(name, [](char c) { return c >= 'A' && c <= 'Z'; });
}

std::string_view city_of(std::string_view name) { return name.substr(name.rfind('/') + 1); }

}  // namespace

std::optional<std::string> nearest_name(std::string_view wrong, const std::vector<std::string>& known) {
  const std::string wanted = folded(wrong);
  const std::string* best = nullptr;
  std::size_t best_distance = std::max<std::size_t>(1, wanted.size() / 3) + 1;  // further away is a guess
  for (const std::string& name : known) {
    const std::string candidate = folded(name);
    if (candidate == wanted) return name;
    if (name.find('/') == std::string::npos || is_abbreviation(wrong)) continue;  // "EDT" does not mean "EET"
    const std::size_t distance = std::min(edit_distance(wanted, candidate), edit_distance(wanted, city_of(candidate)));
    if (distance >= best_distance) continue;
    best = &name;
    best_distance = distance;
  }
  if (best == nullptr) return std::nullopt;
  return *best;
}

}  // namespace semel::domain
