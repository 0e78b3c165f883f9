#pragma once
#include <memory>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace re2 {
class RE2;
}

namespace semel::json {

/// A regular expression that is matched in time proportional to the text, whatever both are.
class Pattern {
 public:
  static Result<Pattern> parse(const std::string& text);

  /// Whether it matches anywhere in the text.
  bool is_in(std::string_view utf8) const;
  const std::string& text() const;

 private:
  std::shared_ptr<const re2::RE2> expression_;
};

}  // namespace semel::json
