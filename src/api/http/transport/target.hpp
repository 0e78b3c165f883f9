#pragma once
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.hpp"

namespace semel::http {

/// The request target in origin form, decoded.
struct Target {
  std::string path;  // begins with '/'
  std::vector<std::pair<std::string, std::string>> query;
};

/// Splits `/path?a=b&c` at the first '?' and decodes both parts; '+' is a space in the query only. Refuses
/// malformed escapes, zero bytes, what is not UTF-8, and any form that does not begin with '/'.
Result<Target> parse_target(std::string_view text);

}  // namespace semel::http
