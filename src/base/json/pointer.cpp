#include "base/json/pointer.hpp"

#include <algorithm>

#include "base/json/text.hpp"
#include "base/json/walk.hpp"
#include "base/utf8.hpp"

namespace semel::json {
namespace {

/// Decodes one token, which has no slash.
Result<std::string> unescape_token(std::string_view token) {
  std::string decoded;
  decoded.reserve(token.size());
  for (std::size_t i = 0; i < token.size(); ++i) {
    if (token[i] != '~') {
      decoded += token[i];
      continue;
    }
    const char kind = ++i < token.size() ? token[i] : '\0';
    if (kind != '0' && kind != '1') return bad_request("'~' in a JSON Pointer must be written as ~0, and '/' as ~1");
    decoded += kind == '0' ? '~' : '/';
  }
  return decoded;
}

}  // namespace

Result<Pointer> Pointer::parse(std::string_view text) {
  if (!is_utf8(text)) return bad_request("a JSON Pointer must be valid UTF-8");
  Pointer pointer;
  pointer.text_ = text;
  if (!text.empty() && text[0] != '/') return bad_request("a JSON Pointer must be empty or begin with '/'");
  while (!text.empty()) {
    text.remove_prefix(1);
    const std::size_t length = std::min(text.find('/'), text.size());
    Result<std::string> token = unescape_token(text.substr(0, length));
    if (!token) return pass_on(std::move(token).error());
    pointer.tokens_.push_back(*std::move(token));
    text.remove_prefix(length);
  }
  return pointer;
}

std::string escape_token(std::string_view token) {
  std::string escaped;
  escaped.reserve(token.size());
  for (const char c : token) {
    if (c == '~') {
      escaped += "~0";
    } else if (c == '/') {
      escaped += "~1";
    } else {
      escaped += c;
    }
  }
  return escaped;
}

std::optional<std::string_view> find(std::string_view canonical, const Pointer& pointer) {
  Lexer lexer(canonical);
  for (const std::string& token : pointer.tokens()) {
    const bool entered = lexer.peek() == '{'   ? enter_member(lexer, token).has_value()
                         : lexer.peek() == '[' ? enter_element(lexer, token)
                                               : false;
    if (!entered) return std::nullopt;
  }
  return take_value(lexer);
}

std::string select(std::string_view canonical, std::span<const Pointer> pointers) {
  std::vector<const Pointer*> sorted;
  for (const Pointer& pointer : pointers) sorted.push_back(&pointer);
  std::sort(sorted.begin(), sorted.end(),
            [](const Pointer* left, const Pointer* right) { return compare_utf16(left->text(), right->text()) < 0; });
  const auto same = [](const Pointer* left, const Pointer* right) { return *left == *right; };
  sorted.erase(std::unique(sorted.begin(), sorted.end(), same), sorted.end());

  std::string selected = "{";
  for (const Pointer* pointer : sorted) {
    const std::optional<std::string_view> value = find(canonical, *pointer);
    if (!value) continue;
    if (selected.size() > 1) selected += ',';
    append_string(pointer->text(), selected);
    selected += ':';
    selected += *value;
  }
  return selected + '}';
}

}  // namespace semel::json
