#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/json/pointer.hpp"

namespace semel::domain {

/// A place in what a run knows: in its context, or in the result of a step.
struct Source {
  std::string step{};  // empty = the context
  json::Pointer path{};

  bool operator==(const Source&) const = default;
};

/// How the value at a place is compared. Numbers are stored.
enum class Comparison : std::uint8_t {
  equals = 0,
  not_equals = 1,
  less_than = 2,
  at_most = 3,
  greater_than = 4,
  at_least = 5,
  in = 6,      // one of an array
  exists = 7,  // true or false
};
std::string_view name_of(Comparison comparison);
std::optional<Comparison> parse_comparison(std::string_view name);
/// "equals, not_equals, …", for messages.
std::string comparison_names();

struct Condition {
  Source source{};
  Comparison comparison = Comparison::equals;
  std::string value{};  // canonical JSON

  bool operator==(const Condition&) const = default;
};

/// Whether the value found (canonical JSON; absent = there is none) fulfils the condition. Numbers are compared by
/// their exact decimal values, texts by their characters; only two numbers or two texts are less or greater than each
/// other. A value that is not there equals nothing.
bool holds(const Condition& condition, std::optional<std::string_view> found);

}  // namespace semel::domain
