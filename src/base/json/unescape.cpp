#include "base/json/unescape.hpp"

#include <charconv>
#include <cstdint>

namespace semel::json {
namespace {

constexpr std::size_t unicode_escape_chars = 6;  // \uXXXX

bool is_high_surrogate(std::uint32_t unit) { return unit >= 0xD800 && unit <= 0xDBFF; }
bool is_low_surrogate(std::uint32_t unit) { return unit >= 0xDC00 && unit <= 0xDFFF; }

/// The code unit of the \uXXXX escape that `raw` begins with; 0 when it begins otherwise, which no caller
/// takes for a surrogate.
std::uint32_t code_unit(std::string_view raw) {
  std::uint32_t unit = 0;
  if (raw.size() < unicode_escape_chars || !raw.starts_with("\\u")) return unit;
  std::from_chars(raw.data() + 2, raw.data() + unicode_escape_chars, unit, 16);
  return unit;
}

void append_code_point(std::uint32_t point, std::string& out) {
  const auto put = [&out](std::uint32_t byte) { out += static_cast<char>(byte); };
  if (point < 0x80) return put(point);
  if (point < 0x800) {
    put(0xC0 | (point >> 6));
  } else if (point < 0x10000) {
    put(0xE0 | (point >> 12));
    put(0x80 | ((point >> 6) & 0x3F));
  } else {
    put(0xF0 | (point >> 18));
    put(0x80 | ((point >> 12) & 0x3F));
    put(0x80 | ((point >> 6) & 0x3F));
  }
  put(0x80 | (point & 0x3F));
}

char short_escape(char kind) {
  switch (kind) {
    case 'b': return '\b';
    case 'f': return '\f';
    case 'n': return '\n';
    case 'r': return '\r';
    case 't': return '\t';
    default: return kind;  // quote, backslash and slash stand for themselves
  }
}

/// Decodes the \u escape, or the pair of them, that `raw` begins with. Returns its length; 0 for half a pair.
std::size_t append_unicode_escape(std::string_view raw, std::string& out) {
  const std::uint32_t unit = code_unit(raw);
  if (is_low_surrogate(unit)) return 0;
  if (!is_high_surrogate(unit)) {
    append_code_point(unit, out);
    return unicode_escape_chars;
  }
  const std::uint32_t low = code_unit(raw.substr(unicode_escape_chars));
  if (!is_low_surrogate(low)) return 0;
  append_code_point(0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00), out);
  return 2 * unicode_escape_chars;
}

}  // namespace

bool unescape(Lexer& lexer, const StringToken& token, std::string& out) {
  std::string_view rest = token.raw;
  while (token.escaped) {
    const std::size_t plain = rest.find('\\');
    if (plain == std::string_view::npos) break;
    out.append(rest.substr(0, plain));
    rest.remove_prefix(plain);
    std::size_t length = 2;
    if (rest[1] != 'u') {
      out += short_escape(rest[1]);
    } else {
      length = append_unicode_escape(rest, out);
      const std::size_t at = token.offset + token.raw.size() - rest.size();
      if (length == 0) return lexer.fail("lone surrogate {} at byte {}", rest.substr(0, unicode_escape_chars), at);
    }
    rest.remove_prefix(length);
  }
  out.append(rest);
  return true;
}

}  // namespace semel::json
