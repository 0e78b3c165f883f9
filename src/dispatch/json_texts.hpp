#pragma once
#include <map>
#include <string>
#include <string_view>

namespace semel::dispatch {

/// The members of an object that are strings, and numbers as they are written. Empty when it is no JSON object.
std::map<std::string, std::string> texts_of(std::string_view json);

}  // namespace semel::dispatch
