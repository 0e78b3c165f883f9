#include "base/json/skip.hpp"

#include <vector>

namespace semel::json {
namespace {

/// The arrays and objects that are open at one place of the text.
class Skipper {
 public:
  explicit Skipper(Lexer& lexer) : lexer_(lexer) {}

  bool run() {
    do {
      lexer_.skip_space();
      const char c = lexer_.peek();
      entered_ = false;
      if (c == '{' || c == '[' ? !open() : !skip_scalar(lexer_)) return false;
      if (!entered_ && !close_finished()) return false;
    } while (!open_.empty());
    return true;
  }

 private:
  /// Enters an array or object, up to its first value; an empty one is left again at once.
  bool open() {
    const bool object = lexer_.take('{');
    if (!object) lexer_.take('[');
    lexer_.skip_space();
    if (lexer_.take(object ? '}' : ']')) return true;
    entered_ = true;
    open_.push_back(object);
    return !object || skip_key();
  }

  /// After a value: leaves what ends here, then moves to the next value when there is one.
  bool close_finished() {
    while (!open_.empty()) {
      const bool object = open_.back();
      lexer_.skip_space();
      if (lexer_.take(',')) return !object || skip_key();
      if (!lexer_.take(object ? '}' : ']')) return lexer_.unexpected(object ? "',' or '}'" : "',' or ']'");
      open_.pop_back();
    }
    return true;
  }

  bool skip_key() {
    StringToken key;
    lexer_.skip_space();
    return scan_key(lexer_, key);
  }

  Lexer& lexer_;
  std::vector<bool> open_;  // innermost last; true for an object
  bool entered_ = false;    // the last token opened an array or object that has a first value
};

}  // namespace

bool skip_value(Lexer& lexer) { return Skipper(lexer).run(); }

bool scan_key(Lexer& lexer, StringToken& key) {
  if (lexer.peek() != '"') return lexer.unexpected("a key");
  if (!lexer.scan_string(key)) return false;
  lexer.skip_space();
  return lexer.take(':') || lexer.unexpected("':'");
}

bool skip_scalar(Lexer& lexer) {
  const std::optional<Type> type = lexer.type();
  if (type == Type::string) {
    StringToken token;
    return lexer.scan_string(token);
  }
  if (type == Type::number) {
    std::string_view token;
    return lexer.scan_number(token);
  }
  return lexer.scan_literal();
}

}  // namespace semel::json
