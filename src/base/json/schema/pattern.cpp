#include "base/json/schema/pattern.hpp"

#include <re2/re2.h>

namespace semel::json {

Result<Pattern> Pattern::parse(const std::string& text) {
  RE2::Options options;
  options.set_log_errors(false);
  auto expression = std::make_shared<const RE2>(text, options);
  if (!expression->ok()) return bad_request("the pattern is refused: {}", expression->error());
  Pattern pattern;
  pattern.expression_ = std::move(expression);
  return pattern;
}

bool Pattern::is_in(std::string_view utf8) const {
  return RE2::PartialMatch(re2::StringPiece(utf8.data(), utf8.size()), *expression_);
}

const std::string& Pattern::text() const { return expression_->pattern(); }

}  // namespace semel::json
