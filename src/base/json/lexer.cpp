#include "base/json/lexer.hpp"

#include <bit>
#include <cstdint>
#include <cstring>

#include "base/utf8.hpp"

namespace semel::json {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_hex(char c) { return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }

/// Printable ASCII that stands for itself in a string.
bool is_plain(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte >= 0x20 && byte < 0x80 && byte != '"' && byte != '\\';
}

/// How many of the next eight bytes come before the first that is not plain, all tested at once: the top bit
/// of a byte's lane comes up for a control character, a quote, a backslash, or a byte from 0x80 on. A borrow
/// can wrongly bring up a lane only above one that is rightly up, so the lowest is right.
std::size_t plain_of_eight(const char* bytes) {
  constexpr std::uint64_t ones = 0x0101010101010101;
  std::uint64_t lanes = 0;
  std::memcpy(&lanes, bytes, sizeof lanes);
  if constexpr (std::endian::native == std::endian::big) lanes = __builtin_bswap64(lanes);
  const std::uint64_t quote = lanes ^ (ones * '"');
  const std::uint64_t backslash = lanes ^ (ones * '\\');
  const std::uint64_t special =
      ((lanes - ones * 0x20) & ~lanes) | ((quote - ones) & ~quote) | ((backslash - ones) & ~backslash) | lanes;
  return static_cast<std::size_t>(std::countr_zero(special & (ones * 0x80))) / 8;
}

std::size_t skip_plain(std::string_view text, std::size_t position) {
  while (text.size() - position >= 8) {
    const std::size_t plain = plain_of_eight(text.data() + position);
    position += plain;
    if (plain < 8) return position;
  }
  while (position < text.size() && is_plain(text[position])) ++position;
  return position;
}

std::string describe(char c) {
  if (c >= 0x20 && c < 0x7F) return fmt::format("'{}'", c);
  return fmt::format("byte 0x{:02x}", static_cast<unsigned char>(c));
}

}  // namespace

std::optional<Type> Lexer::type() const {
  const char c = peek();
  if (c == '"') return Type::string;
  if (c == '{') return Type::object;
  if (c == '[') return Type::array;
  if (c == '-' || is_digit(c)) return Type::number;
  if (c == 't' || c == 'f') return Type::boolean;
  if (c == 'n') return Type::null;
  return std::nullopt;
}

bool Lexer::scan_string(StringToken& token) {
  const std::size_t begin = ++position_;
  bool escaped = false;
  while (true) {
    position_ = skip_plain(text_, position_);
    if (at_end()) return fail("the text ends inside the string that begins at byte {}", begin - 1);
    const auto byte = static_cast<unsigned char>(text_[position_]);
    if (byte == '"') break;
    if (byte < 0x20) return fail("control character 0x{:02x} must be escaped in a string, at byte {}", byte, position_);
    if (byte == '\\') {
      escaped = true;
      if (!skip_escape()) return false;
      continue;
    }
    const std::size_t length = utf8_length(text_.substr(position_));
    if (length == 0) return fail("invalid UTF-8 at byte {}", position_);
    position_ += length;
  }
  token = {text_from(begin), begin, escaped};
  ++position_;
  return true;
}

bool Lexer::skip_escape() {
  const std::size_t begin = position_++;
  const char kind = peek();
  if (kind == '\0' || std::string_view("\"\\/bfnrtu").find(kind) == std::string_view::npos) {
    return fail("unknown escape sequence in a string at byte {}", begin);
  }
  ++position_;
  if (kind != 'u') return true;
  for (int i = 0; i < 4; ++i, ++position_) {
    if (!is_hex(peek())) return fail("\\u must be followed by four hexadecimal digits, at byte {}", begin);
  }
  return true;
}

bool Lexer::skip_digits() {
  if (!is_digit(peek())) return unexpected("a digit");
  while (is_digit(peek())) ++position_;
  return true;
}

bool Lexer::scan_number(std::string_view& token) {
  const std::size_t begin = position_;
  take('-');
  const bool zero_first = peek() == '0';
  const std::size_t whole = position_;
  if (!skip_digits()) return false;
  if (zero_first && position_ - whole > 1) return fail("number with a leading zero at byte {}", begin);
  if (take('.') && !skip_digits()) return false;
  if (take('e') || take('E')) {
    if (!take('+')) take('-');
    if (!skip_digits()) return false;
  }
  token = text_from(begin);
  return true;
}

bool Lexer::scan_literal() {
  for (const std::string_view literal : {"true", "false", "null"}) {
    if (text_.substr(position_, literal.size()) != literal) continue;
    position_ += literal.size();
    return true;
  }
  return unexpected("a value");
}

bool Lexer::unexpected(std::string_view wanted) {
  if (at_end()) return fail("expected {} at byte {}, but the text ends there", wanted, position_);
  return fail("expected {} at byte {}, found {}", wanted, position_, describe(text_[position_]));
}

}  // namespace semel::json
