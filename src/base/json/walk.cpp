#include "base/json/walk.hpp"

#include <charconv>

#include "base/ensure.hpp"
#include "base/json/skip.hpp"
#include "base/json/unescape.hpp"

namespace semel::json {
namespace {

/// RFC 6901, section 4: digits without leading zeros. "-", the element after the last, never exists.
std::optional<std::size_t> index_of(std::string_view token) {
  if (token.empty() || token[0] < '0' || token[0] > '9') return std::nullopt;
  if (token[0] == '0' && token.size() > 1) return std::nullopt;
  std::size_t index = 0;
  const char* const end = token.data() + token.size();
  const auto parsed = std::from_chars(token.data(), end, index);
  if (parsed.ec != std::errc() || parsed.ptr != end) return std::nullopt;
  return index;
}

}  // namespace

std::optional<std::size_t> enter_member(Lexer& lexer, std::string_view key) {
  lexer.take('{');
  while (lexer.peek() == '"') {
    const std::size_t begin = lexer.position();
    if (take_key(lexer) == key) return begin;
    take_value(lexer);
    lexer.take(',');
  }
  return std::nullopt;
}

bool enter_element(Lexer& lexer, std::string_view token) {
  const std::optional<std::size_t> index = index_of(token);
  lexer.take('[');
  if (!index || lexer.peek() == ']') return false;
  for (std::size_t i = 0; i < *index; ++i) {
    take_value(lexer);
    if (!lexer.take(',')) return false;
  }
  return true;
}

std::string_view take_value(Lexer& lexer) {
  const std::size_t begin = lexer.position();
  ensure(skip_value(lexer));
  return lexer.text_from(begin);
}

std::string take_key(Lexer& lexer) {
  StringToken token;
  std::string key;
  ensure(scan_key(lexer, token) && unescape(lexer, token, key));
  return key;
}

}  // namespace semel::json
