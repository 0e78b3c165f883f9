#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/json/schema/pattern.hpp"

namespace semel::json {

/// Types as bits, in the order of json::Type; an integer is a number too.
enum SchemaType : std::uint8_t {
  type_null = 1,
  type_boolean = 2,
  type_number = 4,
  type_string = 8,
  type_array = 16,
  type_object = 32,
  type_integer = 64,
};

enum class SchemaFormat : std::uint8_t { date_time, date, uuid };

/// One schema with all its keywords; others are named by their numbers. Private to this folder.
struct SchemaNode {
  bool nothing_fits = false;  // the schema `false`
  std::optional<std::size_t> ref{};

  std::uint8_t types = 0;                            // none = any
  std::optional<std::vector<std::string>> values{};  // of enum; canonical
  std::optional<std::string> constant{};

  std::optional<std::string> minimum{};  // numbers are canonical texts
  std::optional<std::string> maximum{};
  std::optional<std::string> exclusive_minimum{};
  std::optional<std::string> exclusive_maximum{};
  std::optional<std::string> multiple_of{};

  std::optional<std::size_t> min_length{};
  std::optional<std::size_t> max_length{};
  std::optional<Pattern> pattern{};
  std::optional<SchemaFormat> format{};

  std::optional<std::size_t> all_items{};
  std::optional<std::vector<std::size_t>> first_items{};
  std::optional<std::size_t> additional_items{};
  std::optional<std::size_t> contains{};
  std::optional<std::size_t> min_items{};
  std::optional<std::size_t> max_items{};
  bool unique_items = false;

  std::vector<std::string> required{};
  std::map<std::string, std::size_t, std::less<>> properties{};
  std::vector<std::pair<Pattern, std::size_t>> pattern_properties{};
  std::optional<std::size_t> additional_properties{};
  std::optional<std::size_t> property_names{};
  std::optional<std::size_t> min_properties{};
  std::optional<std::size_t> max_properties{};
  std::map<std::string, std::vector<std::string>, std::less<>> needed_with{};  // dependencies that are names
  std::map<std::string, std::size_t, std::less<>> fits_with{};                 // dependencies that are schemas

  std::vector<std::size_t> all_of{};
  std::vector<std::size_t> any_of{};
  std::vector<std::size_t> one_of{};
  std::optional<std::size_t> not_{};
  std::optional<std::size_t> if_{};
  std::optional<std::size_t> then_{};
  std::optional<std::size_t> else_{};
};

}  // namespace semel::json
