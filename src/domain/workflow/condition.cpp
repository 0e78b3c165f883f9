#include "domain/workflow/condition.hpp"

#include <array>

#include "base/ensure.hpp"
#include "base/json/decimal.hpp"
#include "base/json/reader.hpp"

namespace semel::domain {
namespace {

constexpr std::array all_comparisons{Comparison::equals,  Comparison::not_equals,   Comparison::less_than,
                                     Comparison::at_most, Comparison::greater_than, Comparison::at_least,
                                     Comparison::in,      Comparison::exists};

/// Negative, zero or positive; nothing where the two have no order.
std::optional<int> order_of(std::string_view left, std::string_view right) {
  json::Reader reads_left(left);
  json::Reader reads_right(right);
  const json::Type type = reads_left.peek().value();
  if (type != reads_right.peek().value()) return std::nullopt;
  if (type == json::Type::number)
    return json::compare(json::Decimal::parse(left).value(), json::Decimal::parse(right).value());
  if (type == json::Type::string) return reads_left.read_string().value().compare(reads_right.read_string().value());
  return std::nullopt;
}

bool is_in(std::string_view array, std::string_view found) {
  json::Reader reader(array);
  ensure(reader.begin_array().has_value());
  while (reader.next_element().value()) {
    if (reader.read_raw().value() == found) return true;
  }
  return false;
}

}  // namespace

std::string_view name_of(Comparison comparison) {
  switch (comparison) {
    case Comparison::equals: return "equals";
    case Comparison::not_equals: return "not_equals";
    case Comparison::less_than: return "less_than";
    case Comparison::at_most: return "at_most";
    case Comparison::greater_than: return "greater_than";
    case Comparison::at_least: return "at_least";
    case Comparison::in: return "in";
    case Comparison::exists: return "exists";
  }
  ensure(false);
  return "";
}

std::optional<Comparison> parse_comparison(std::string_view name) {
  for (const Comparison comparison : all_comparisons) {
    if (name_of(comparison) == name) return comparison;
  }
  return std::nullopt;
}

std::string comparison_names() {
  std::string names;
  for (const Comparison comparison : all_comparisons) {
    if (!names.empty()) names += ", ";
    names += name_of(comparison);
  }
  return names;
}

bool holds(const Condition& condition, std::optional<std::string_view> found) {
  const std::string_view value = condition.value;
  if (condition.comparison == Comparison::exists) return found.has_value() == (value == "true");
  if (!found) return condition.comparison == Comparison::not_equals;
  // Canonical texts are equal where their values are.
  if (condition.comparison == Comparison::equals) return *found == value;
  if (condition.comparison == Comparison::not_equals) return *found != value;
  if (condition.comparison == Comparison::in) return is_in(value, *found);
  const std::optional<int> order = order_of(*found, value);
  if (!order) return false;
  switch (condition.comparison) {
    case Comparison::less_than: return *order < 0;
    case Comparison::at_most: return *order <= 0;
    case Comparison::greater_than: return *order > 0;
    default: return *order >= 0;
  }
}

}  // namespace semel::domain
