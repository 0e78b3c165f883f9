#include <algorithm>
#include <cctype>
#include <charconv>

#include "domain/workflow/facts.hpp"
#include "domain/workflow/step.hpp"

namespace semel::domain {
namespace {

// In the order of the enumerators. Stored: never change one.
constexpr std::string_view phase_letters = "oxtc";
constexpr std::string_view step_letters = "wsbcrftxkudn";
constexpr std::string_view item_letters = "hscftxa";

template <typename Enum>
char letter_of(std::string_view letters, Enum value) {
  return letters[static_cast<std::size_t>(value)];
}

template <typename Enum>
std::optional<Enum> value_of(std::string_view letters, char letter) {
  const std::size_t found = letters.find(letter);
  if (found == std::string_view::npos) return std::nullopt;
  return static_cast<Enum>(found);
}

void append_items(const std::vector<ItemState>& items, std::string& out) {
  for (auto begin = items.begin(); begin != items.end();) {
    const auto end = std::find_if(begin, items.end(), [&](ItemState each) { return each != *begin; });
    out.append(std::to_string(end - begin)) += letter_of(item_letters, *begin);
    begin = end;
  }
}

/// Takes a number off the front; nothing when there is none, or one that nobody would have written.
std::optional<std::size_t> take_number(std::string_view& text) {
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || (text.front() == '0' && end != text.data() + 1)) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return number;
}

/// ";1:500c3s497h" → the items of step 1.
bool take_fan_out(std::string_view& text, RunFacts& facts) {
  if (!text.starts_with(';')) return false;
  text.remove_prefix(1);
  const auto step = take_number(text);
  if (!step || *step >= facts.steps.size() || !text.starts_with(':')) return false;
  text.remove_prefix(1);
  std::vector<ItemState>& items = facts.steps[*step].items;
  if (!items.empty()) return false;
  while (!text.empty() && text.front() != ';') {
    const auto count = take_number(text);
    if (!count || *count == 0 || text.empty() || *count > limits::fan_out_max - items.size()) return false;
    const auto state = value_of<ItemState>(item_letters, text.front());
    if (!state || (!items.empty() && items.back() == *state)) return false;
    text.remove_prefix(1);
    items.insert(items.end(), *count, *state);
  }
  return !items.empty();
}

}  // namespace

std::string encode_facts(const RunFacts& facts) {
  std::string out;
  out += letter_of(phase_letters, facts.phase);
  for (const StepFacts& step : facts.steps) {
    const char letter = letter_of(step_letters, step.state);
    out += step.made ? static_cast<char>(std::toupper(letter)) : letter;
  }
  for (std::size_t i = 0; i < facts.steps.size(); ++i) {
    if (facts.steps[i].items.empty()) continue;
    out.append(";").append(std::to_string(i)) += ':';
    append_items(facts.steps[i].items, out);
  }
  return out;
}

std::optional<RunFacts> decode_facts(std::string_view text) {
  if (text.empty()) return std::nullopt;
  const auto phase = value_of<RunPhase>(phase_letters, text.front());
  if (!phase) return std::nullopt;
  RunFacts facts{*phase, {}};
  text.remove_prefix(1);
  for (; !text.empty() && text.front() != ';'; text.remove_prefix(1)) {
    const bool made = text.front() >= 'A' && text.front() <= 'Z';
    const char letter = made ? static_cast<char>(text.front() - 'A' + 'a') : text.front();
    const auto state = value_of<StepState>(step_letters, letter);
    if (!state) return std::nullopt;
    facts.steps.push_back({*state, made, {}});
  }
  while (!text.empty()) {
    if (!take_fan_out(text, facts)) return std::nullopt;
  }
  return facts;
}

}  // namespace semel::domain
