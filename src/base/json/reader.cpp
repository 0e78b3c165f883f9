#include "base/json/reader.hpp"

#include <limits>

#include "base/json/canonicalizer.hpp"
#include "base/json/decimal.hpp"
#include "base/json/lexer.hpp"
#include "base/json/skip.hpp"
#include "base/json/unescape.hpp"

namespace semel::json {
namespace {

/// Moves to the next value and refuses it unless it has the wanted type.
bool expect(Lexer& lexer, Type wanted) {
  lexer.skip_space();
  const std::optional<Type> found = lexer.type();
  if (!found) return lexer.unexpected(name_of(wanted));
  if (*found == wanted) return true;
  return lexer.fail("expected {} at byte {}, found {}", name_of(wanted), lexer.position(), name_of(*found));
}

bool expect_end_of(Lexer& lexer) {
  lexer.skip_space();
  return lexer.at_end() || lexer.fail("unexpected data after the value, at byte {}", lexer.position());
}

/// The value of a decimal that is an integer and fits; nothing otherwise.
std::optional<std::int64_t> integer_of(const Decimal& value) {
  constexpr std::int64_t digits_max = 19;  // of an int64_t; any such number fits a uint64_t
  if (value.zero()) return 0;
  if (value.point() > digits_max || value.digits() > value.point()) return std::nullopt;
  std::string digits;
  value.append_digits(0, value.digits(), digits);
  digits.resize(static_cast<std::size_t>(value.point()), '0');
  std::uint64_t magnitude = 0;
  for (const char digit : digits) magnitude = magnitude * 10 + static_cast<std::uint64_t>(digit - '0');

  constexpr std::uint64_t max = std::numeric_limits<std::int64_t>::max();
  if (magnitude > max + (value.negative() ? 1 : 0)) return std::nullopt;
  return static_cast<std::int64_t>(value.negative() ? -magnitude : magnitude);  // two's complement: also for -2^63
}

}  // namespace

std::string_view name_of(Type type) {
  switch (type) {
    case Type::null: return "null";
    case Type::boolean: return "a boolean";
    case Type::number: return "a number";
    case Type::string: return "a string";
    case Type::array: return "an array";
    case Type::object: return "an object";
  }
  return "";
}

Result<void> check_grammar(std::string_view text) {
  Lexer lexer(text);
  if (!skip_value(lexer) || !expect_end_of(lexer)) return lexer.error();
  return {};
}

Result<Type> Reader::peek() {
  Lexer lexer(text_, position_);
  lexer.skip_space();
  const std::optional<Type> type = lexer.type();
  if (!type) {
    lexer.unexpected("a value");
    return lexer.error();
  }
  position_ = lexer.position();
  return *type;
}

Result<void> Reader::begin_object() {
  Lexer lexer(text_, position_);
  if (!expect(lexer, Type::object)) return lexer.error();
  position_ = lexer.position() + 1;
  first_ = true;
  return {};
}

Result<std::optional<std::string>> Reader::next_member() {
  Lexer lexer(text_, position_);
  const bool first = std::exchange(first_, false);
  lexer.skip_space();
  if (lexer.take('}')) {
    position_ = lexer.position();
    return std::nullopt;
  }
  if (!first && !lexer.take(',')) {
    lexer.unexpected("',' or '}'");
    return lexer.error();
  }
  lexer.skip_space();
  StringToken token;
  std::string key;
  if (!scan_key(lexer, token) || !unescape(lexer, token, key)) return lexer.error();
  position_ = lexer.position();
  return key;
}

Result<void> Reader::begin_array() {
  Lexer lexer(text_, position_);
  if (!expect(lexer, Type::array)) return lexer.error();
  position_ = lexer.position() + 1;
  first_ = true;
  return {};
}

Result<bool> Reader::next_element() {
  Lexer lexer(text_, position_);
  const bool first = std::exchange(first_, false);
  lexer.skip_space();
  const bool ended = lexer.take(']');
  if (!ended && !first && !lexer.take(',')) {
    lexer.unexpected("',' or ']'");
    return lexer.error();
  }
  position_ = lexer.position();
  return !ended;
}

Result<std::string> Reader::read_string() {
  Lexer lexer(text_, position_);
  StringToken token;
  std::string value;
  if (!expect(lexer, Type::string) || !lexer.scan_string(token) || !unescape(lexer, token, value)) {
    return lexer.error();
  }
  position_ = lexer.position();
  return value;
}

Result<std::int64_t> Reader::read_integer() {
  Lexer lexer(text_, position_);
  std::string_view token;
  if (!expect(lexer, Type::number) || !lexer.scan_number(token)) return lexer.error();
  const std::size_t at = lexer.position() - token.size();
  const Result<Decimal> value = Decimal::parse(token);
  if (!value) return bad_request("{} at byte {}", value.error().message, at);
  const std::optional<std::int64_t> integer = integer_of(*value);
  if (!integer) return bad_request("expected an integer of at most 64 bits at byte {}", at);
  position_ = lexer.position();
  return *integer;
}

Result<bool> Reader::read_boolean() {
  Lexer lexer(text_, position_);
  if (!expect(lexer, Type::boolean)) return lexer.error();
  const bool value = lexer.peek() == 't';
  if (!lexer.scan_literal()) return lexer.error();
  position_ = lexer.position();
  return value;
}

Result<void> Reader::read_null() {
  Lexer lexer(text_, position_);
  if (!expect(lexer, Type::null) || !lexer.scan_literal()) return lexer.error();
  position_ = lexer.position();
  return {};
}

Result<std::string_view> Reader::read_raw() {
  Lexer lexer(text_, position_);
  lexer.skip_space();
  const std::size_t begin = lexer.position();
  if (!skip_value(lexer)) return lexer.error();
  position_ = lexer.position();
  return lexer.text_from(begin);
}

Result<std::string_view> Reader::read_canonical(std::string& canonical) {
  Lexer lexer(text_, position_);
  lexer.skip_space();
  const std::size_t begin = lexer.position();
  if (!append_canonical(lexer, canonical)) return lexer.error();
  position_ = lexer.position();
  return lexer.text_from(begin);
}

Result<void> Reader::expect_end() {
  Lexer lexer(text_, position_);
  if (!expect_end_of(lexer)) return lexer.error();
  position_ = lexer.position();
  return {};
}

}  // namespace semel::json
