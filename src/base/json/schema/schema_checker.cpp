#include "base/json/schema/schema_checker.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "base/json/decimal.hpp"
#include "base/json/pointer.hpp"
#include "base/json/schema/values.hpp"
#include "base/json/text.hpp"
#include "base/time.hpp"
#include "base/utf8.hpp"
#include "base/uuid.hpp"

namespace semel::json {
namespace {

// A schema can be small and yet ask for years of work, and go deeper than a stack is.
constexpr std::size_t effort_max = 1'000'000;
constexpr int schema_depth_max = 600;

bool is_integer(const Decimal& number) { return number.zero() || number.point() >= number.digits(); }

bool has_type(std::uint8_t types, std::string_view value) {
  const Type type = type_of(value);
  if (types & (1 << static_cast<int>(type))) return true;
  return type == Type::number && (types & type_integer) && is_integer(Decimal::parse(value).value());
}

std::string names_of_types(std::uint8_t types) {
  constexpr std::pair<std::uint8_t, std::string_view> named[] = {
      {type_null, "null"},       {type_boolean, "a boolean"}, {type_number, "a number"}, {type_integer, "an integer"},
      {type_string, "a string"}, {type_array, "an array"},    {type_object, "an object"}};
  std::vector<std::string_view> names;
  for (const auto& [bit, name] : named) {
    if (types & bit) names.push_back(name);
  }
  return fmt::format("{}", fmt::join(names, " or "));
}

int compare_numbers(std::string_view left, std::string_view right) {
  return compare(Decimal::parse(left).value(), Decimal::parse(right).value());
}

std::uint64_t power_of_ten(std::int64_t exponent, std::uint64_t modulus) {
  unsigned __int128 result = 1 % modulus;
  unsigned __int128 base = 10 % modulus;
  for (; exponent > 0; exponent /= 2) {
    if (exponent % 2 == 1) result = result * base % modulus;
    base = base * base % modulus;
  }
  return static_cast<std::uint64_t>(result);
}

/// Both as digits × 10^n, the digits ending with no zero: when the divisor's n is greater, it would have to divide by
/// ten what ends with no zero.
bool is_multiple(std::string_view value, std::string_view divisor) {
  const Decimal number = Decimal::parse(value).value();
  const Decimal by = Decimal::parse(divisor).value();
  if (number.zero()) return true;
  const std::int64_t exponent = (number.point() - number.digits()) - (by.point() - by.digits());
  if (exponent < 0) return false;
  std::string digits;
  by.append_digits(0, by.digits(), digits);
  const std::uint64_t modulus = std::stoull(digits);
  digits.clear();
  number.append_digits(0, number.digits(), digits);
  unsigned __int128 rest = 0;
  for (const char digit : digits) rest = (rest * 10 + static_cast<unsigned>(digit - '0')) % modulus;
  return rest * power_of_ten(exponent, modulus) % modulus == 0;
}

std::size_t characters_in(std::string_view utf8) {
  return static_cast<std::size_t>(
      std::count_if(utf8.begin(), utf8.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

bool has_format(SchemaFormat format, const std::string& text) {
  switch (format) {
    case SchemaFormat::date_time: return parse_rfc3339(text).has_value();
    case SchemaFormat::date: return parse_rfc3339(text + "T00:00:00Z").has_value();
    case SchemaFormat::uuid: return Uuid::parse(text).has_value();
  }
  return false;
}

std::string_view name_of(SchemaFormat format) {
  switch (format) {
    case SchemaFormat::date_time: return "an RFC 3339 time such as \"2026-01-20T12:30:00Z\"";
    case SchemaFormat::date: return "a date such as \"2026-01-20\"";
    case SchemaFormat::uuid: return "a UUID";
  }
  return "";
}

std::string_view shown_text(std::string_view text) { return utf8_prefix(text, 100); }

}  // namespace

std::vector<Violation> SchemaChecker::check(std::string_view value) {
  fits(0, value);
  if (is_exhausted_) return {{"", "takes too long to check against the schema"}};
  return std::move(found_);
}

bool SchemaChecker::wrong(std::string what) {
  if (quiet_ == 0 && found_.size() < max_) found_.push_back({pointer_, std::move(what)});
  return false;
}

bool SchemaChecker::fits(std::size_t schema, std::string_view value) {
  if (++effort_ > effort_max || depth_ >= schema_depth_max) is_exhausted_ = true;
  if (is_exhausted_) return false;
  const SchemaNode& node = nodes_[schema];
  if (node.nothing_fits) return wrong("is not allowed");
  ++depth_;
  bool all = fits_general(node, value);
  switch (type_of(value)) {
    case Type::number: all &= fits_number(node, value); break;
    case Type::string: all &= fits_string(node, value); break;
    case Type::array: all &= fits_array(node, value); break;
    case Type::object: all &= fits_object(node, value); break;
    default: break;
  }
  all &= fits_combined(node, value);
  --depth_;
  return all;
}

bool SchemaChecker::fits_quietly(std::size_t schema, std::string_view value) {
  ++quiet_;
  const bool all = fits(schema, value);
  --quiet_;
  return all;
}

bool SchemaChecker::part_fits(std::size_t schema, std::string_view token, std::string_view value) {
  const std::size_t length = pointer_.size();
  pointer_.append("/").append(escape_token(token));
  const bool all = fits(schema, value);
  pointer_.resize(length);
  return all;
}

bool SchemaChecker::fits_general(const SchemaNode& node, std::string_view value) {
  if (node.types != 0 && !has_type(node.types, value)) return wrong("must be " + names_of_types(node.types));
  if (node.constant && *node.constant != value) return wrong(fmt::format("must be {}", shown_text(*node.constant)));
  if (node.values && std::find(node.values->begin(), node.values->end(), value) == node.values->end())
    return wrong(fmt::format("must be one of {}", shown_text(fmt::format("{}", fmt::join(*node.values, ", ")))));
  return true;
}

bool SchemaChecker::fits_number(const SchemaNode& node, std::string_view value) {
  bool all = true;
  if (node.minimum && compare_numbers(value, *node.minimum) < 0)
    all = wrong(fmt::format("must be at least {}", *node.minimum));
  if (node.maximum && compare_numbers(value, *node.maximum) > 0)
    all = wrong(fmt::format("must be at most {}", *node.maximum));
  if (node.exclusive_minimum && compare_numbers(value, *node.exclusive_minimum) <= 0)
    all = wrong(fmt::format("must be greater than {}", *node.exclusive_minimum));
  if (node.exclusive_maximum && compare_numbers(value, *node.exclusive_maximum) >= 0)
    all = wrong(fmt::format("must be less than {}", *node.exclusive_maximum));
  if (node.multiple_of && !is_multiple(value, *node.multiple_of))
    all = wrong(fmt::format("must be a multiple of {}", *node.multiple_of));
  return all;
}

bool SchemaChecker::fits_string(const SchemaNode& node, std::string_view value) {
  if (!node.min_length && !node.max_length && !node.pattern && !node.format) return true;
  const std::string text = string_of(value);
  const std::size_t length = characters_in(text);
  bool all = true;
  if (node.min_length && length < *node.min_length)
    all = wrong(fmt::format("must have at least {} characters", *node.min_length));
  if (node.max_length && length > *node.max_length)
    all = wrong(fmt::format("must have at most {} characters", *node.max_length));
  if (node.pattern && !node.pattern->is_in(text))
    all = wrong(fmt::format("must match {}", shown_text(node.pattern->text())));
  if (node.format && !has_format(*node.format, text)) all = wrong(fmt::format("must be {}", name_of(*node.format)));
  return all;
}

bool SchemaChecker::fits_array(const SchemaNode& node, std::string_view value) {
  const std::vector<std::string_view> elements = elements_of(value);
  bool all = true;
  if (node.min_items && elements.size() < *node.min_items)
    all = wrong(fmt::format("must have at least {} items", *node.min_items));
  if (node.max_items && elements.size() > *node.max_items)
    all = wrong(fmt::format("must have at most {} items", *node.max_items));
  const std::size_t first = node.first_items ? std::min(node.first_items->size(), elements.size()) : 0;
  for (std::size_t i = 0; i < first; ++i) all &= part_fits((*node.first_items)[i], std::to_string(i), elements[i]);
  const auto& rest = node.first_items ? node.additional_items : node.all_items;
  for (std::size_t i = first; rest && i < elements.size() && !is_exhausted_; ++i)
    all &= part_fits(*rest, std::to_string(i), elements[i]);
  if (node.contains && std::none_of(elements.begin(), elements.end(),
                                    [&](std::string_view each) { return fits_quietly(*node.contains, each); }))
    all = wrong("has no item that fits contains");
  if (node.unique_items && std::set(elements.begin(), elements.end()).size() < elements.size())
    all = wrong("must have no item twice");
  return all;
}

bool SchemaChecker::fits_property(const SchemaNode& node, const std::string& name, std::string_view value) {
  bool all = true;
  bool is_named = false;
  if (const auto found = node.properties.find(name); found != node.properties.end()) {
    is_named = true;
    all &= part_fits(found->second, name, value);
  }
  for (const auto& [names, schema] : node.pattern_properties) {
    if (!names.is_in(name)) continue;
    is_named = true;
    all &= part_fits(schema, name, value);
  }
  if (!is_named && node.additional_properties) all &= part_fits(*node.additional_properties, name, value);
  return all;
}

bool SchemaChecker::fits_object(const SchemaNode& node, std::string_view value) {
  const auto members = members_of(value);
  std::set<std::string_view> names;
  bool all = true;
  for (const auto& [name, text] : members) {
    names.insert(name);
    all &= fits_property(node, name, text);
    if (node.property_names && !fits_quietly(*node.property_names, quote(name)))
      all = wrong(fmt::format("has a member '{}', and such names are not allowed", shown_text(name)));
  }
  if (node.min_properties && members.size() < *node.min_properties)
    all = wrong(fmt::format("must have at least {} members", *node.min_properties));
  if (node.max_properties && members.size() > *node.max_properties)
    all = wrong(fmt::format("must have at most {} members", *node.max_properties));
  for (const std::string& name : node.required) {
    if (!names.contains(name)) all = wrong(fmt::format("must have '{}'", shown_text(name)));
  }
  for (const auto& [name, needed] : node.needed_with) {
    for (const std::string& each : needed) {
      if (names.contains(name) && !names.contains(each))
        all = wrong(fmt::format("must have '{}', because it has '{}'", shown_text(each), shown_text(name)));
    }
  }
  for (const auto& [name, schema] : node.fits_with) {
    if (names.contains(name)) all &= fits(schema, value);
  }
  return all;
}

bool SchemaChecker::fits_combined(const SchemaNode& node, std::string_view value) {
  const auto tried = [&](std::size_t schema) { return fits_quietly(schema, value); };
  bool all = true;
  if (node.ref) all &= fits(*node.ref, value);
  for (const std::size_t schema : node.all_of) all &= fits(schema, value);
  if (!node.any_of.empty() && std::none_of(node.any_of.begin(), node.any_of.end(), tried))
    all = wrong(fmt::format("must fit one of the {} schemas of anyOf", node.any_of.size()));
  if (!node.one_of.empty()) {
    const auto count = std::count_if(node.one_of.begin(), node.one_of.end(), tried);
    if (count != 1)
      all = wrong(fmt::format("must fit one of the {} schemas of oneOf, and fits {}", node.one_of.size(), count));
  }
  if (node.not_ && tried(*node.not_)) all = wrong("must not fit the schema of not");
  if (node.if_) {
    const auto& then = tried(*node.if_) ? node.then_ : node.else_;
    if (then) all &= fits(*then, value);
  }
  return all;
}

}  // namespace semel::json
