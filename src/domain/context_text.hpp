#pragma once
#include <string>
#include <string_view>

#include "base/json/pointer.hpp"

namespace semel::domain {

/// A text to look for in a context, at a place in it.
struct ContextText {
  json::Pointer path;  // "" is everywhere
  std::string text;

  bool operator==(const ContextText&) const = default;
};

/// Whether the value that the path leads to has the text in it: a string by its characters, however it was escaped; a
/// number, true, false and null as they were written; an object or an array when any such value in it has, however
/// deep. Names of members are not looked at, and case matters.
bool has_text(std::string_view context, const ContextText& wanted);

}  // namespace semel::domain
