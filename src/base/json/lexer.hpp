#pragma once
#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/json/reader.hpp"
#include "base/result.hpp"

namespace semel::json {

/// A string as written between its quotes: checked for grammar and UTF-8, escapes not yet decoded.
struct StringToken {
  std::string_view raw;
  std::size_t offset = 0;  // of `raw` in the text
  bool escaped = false;    // `raw` has at least one backslash

  /// With its quotes.
  std::string_view quoted() const { return {raw.data() - 1, raw.size() + 2}; }
};

/// Takes a JSON text apart; private to base/json. A function that returns bool returns false after it has
/// stored why: the hot path then carries no error objects, and whoever owns the lexer asks for error() once.
/// Scan functions expect to stand on the first character of their token, so look at peek() first.
class Lexer {
 public:
  explicit Lexer(std::string_view text, std::size_t position = 0) : text_(text), position_(position) {}

  std::size_t position() const { return position_; }
  bool at_end() const { return position_ == text_.size(); }
  /// The next character; NUL at the end (a NUL in the text is refused everywhere, so the two need no telling
  /// apart).
  char peek() const { return at_end() ? '\0' : text_[position_]; }
  std::string_view text_from(std::size_t begin) const { return text_.substr(begin, position_ - begin); }

  void skip_space() {
    while (position_ < text_.size() && is_space(text_[position_])) ++position_;
  }
  bool take(char wanted) {
    if (peek() != wanted) return false;
    ++position_;
    return true;
  }

  /// The type of the value that begins here, by its first character.
  std::optional<Type> type() const;
  bool scan_string(StringToken& token);
  bool scan_number(std::string_view& token);
  bool scan_literal();

  /// "expected {wanted} at byte …, found …", for the place where the lexer stands.
  bool unexpected(std::string_view wanted);
  template <typename... Args>
  bool fail(fmt::format_string<Args...> text, Args&&... args) {
    error_ = Error{ErrorCode::bad_request, fmt::format(text, std::forward<Args>(args)...)};
    return false;
  }
  /// The refusal, after a function has returned false.
  tl::unexpected<Error> error() { return pass_on(std::move(error_)); }

 private:
  static bool is_space(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }
  bool skip_escape();
  bool skip_digits();

  std::string_view text_;
  std::size_t position_;
  Error error_;
};

}  // namespace semel::json
