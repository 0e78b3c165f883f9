#include "domain/schedule/nearest_name.hpp"

#include <algorithm>
#include <numeric>

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

/// How many characters must be put in, taken out or replaced to make one of the other (Levenshtein's distance).
std::size_t edit_distance(std::string_view from, std::string_view to) {
  std::vector<std::size_t> row(to.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= from.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= to.size(); ++j) {
      const std::size_t replaced = diagonal + (from[i - 1] == to[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({replaced, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row[to.size()];
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
    if (name.find('/') == std::string::npos) continue;  // "EDT" does not mean "EET"
    const std::size_t distance = std::min(edit_distance(wanted, candidate), edit_distance(wanted, city_of(candidate)));
    if (distance >= best_distance) continue;
    best = &name;
    best_distance = distance;
  }
  if (best == nullptr) return std::nullopt;
  return *best;
}

}  // namespace semel::domain
