#include "base/json/text.hpp"

#include <algorithm>

namespace semel::json {
namespace {

bool needs_escape(char c) { return static_cast<unsigned char>(c) < 0x20 || c == '"' || c == '\\'; }

void append_escape(char c, std::string& out) {
  static constexpr char digits[] = "0123456789abcdef";
  out += '\\';
  switch (c) {
    case '"':
    case '\\': out += c; return;
    case '\b': out += 'b'; return;
    case '\f': out += 'f'; return;
    case '\n': out += 'n'; return;
    case '\r': out += 'r'; return;
    case '\t': out += 't'; return;
    default: break;
  }
  out += "u00";
  out += digits[c >> 4];
  out += digits[c & 15];
}

/// The place of a byte in UTF-16's order. It differs from UTF-8's only in that characters beyond U+FFFF (lead
/// bytes F0 to F4), being written with surrogates, come before U+E000 to U+FFFF (lead bytes EE and EF).
int utf16_rank(char c) {
  const int byte = static_cast<unsigned char>(c);
  return byte == 0xEE || byte == 0xEF ? byte + 0x10 : byte;
}

}  // namespace

void append_string(std::string_view utf8, std::string& out) {
  out += '"';
  while (true) {
    const auto special = std::find_if(utf8.begin(), utf8.end(), needs_escape);
    out.append(utf8.begin(), special);
    if (special == utf8.end()) break;
    append_escape(*special, out);
    utf8.remove_prefix(static_cast<std::size_t>(special - utf8.begin()) + 1);
  }
  out += '"';
}

std::string quote(std::string_view utf8) {
  std::string out;
  out.reserve(utf8.size() + 2);
  append_string(utf8, out);
  return out;
}

int compare_utf16(std::string_view left, std::string_view right) {
  const auto [l, r] = std::mismatch(left.begin(), left.end(), right.begin(), right.end());
  if (l == left.end()) return r == right.end() ? 0 : -1;
  if (r == right.end()) return 1;
  return utf16_rank(*l) - utf16_rank(*r);
}

}  // namespace semel::json
