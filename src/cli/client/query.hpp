#pragma once
#include <optional>
#include <string>
#include <string_view>

namespace semel::cli {

/// Escapes what may not stand in a part of a path or a query.
std::string percent_encode(std::string_view text);

/// The query of a target: "" or "?a=1&b=2".
class Query {
 public:
  /// Left out when there is no value.
  Query& add(std::string_view name, const std::optional<std::string>& value);
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

}  // namespace semel::cli
