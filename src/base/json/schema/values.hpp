#pragma once
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json/reader.hpp"

/// Canonical values taken apart one level; private to this folder.
namespace semel::json {

inline Type type_of(std::string_view canonical) { return Reader(canonical).peek().value(); }

inline std::string string_of(std::string_view canonical) { return Reader(canonical).read_string().value(); }

inline std::vector<std::string_view> elements_of(std::string_view canonical) {
  std::vector<std::string_view> elements;
  Reader reader(canonical);
  static_cast<void>(reader.begin_array());
  while (reader.next_element().value()) elements.push_back(reader.read_raw().value());
  return elements;
}

inline std::vector<std::pair<std::string, std::string_view>> members_of(std::string_view canonical) {
  std::vector<std::pair<std::string, std::string_view>> members;
  Reader reader(canonical);
  static_cast<void>(reader.begin_object());
  while (auto key = reader.next_member().value()) members.emplace_back(*std::move(key), reader.read_raw().value());
  return members;
}

}  // namespace semel::json
