#include "domain/context_text.hpp"

#include <charconv>
#include <span>

#include "base/json/reader.hpp"

namespace semel::domain {
namespace {

using json::Reader;
using json::Type;

/// Goes as deep as the value, which is as deep as a context may be: that was checked when it was taken. What cannot be
/// read has nothing in it, here and below.
bool has_below(Reader& reader, std::string_view text);

bool has_in_object(Reader& reader, std::string_view text) {
  if (!reader.begin_object()) return false;
  for (auto member = reader.next_member(); member && *member; member = reader.next_member()) {
    if (has_below(reader, text)) return true;
  }
  return false;
}

bool has_in_array(Reader& reader, std::string_view text) {
  if (!reader.begin_array()) return false;
  for (auto more = reader.next_element(); more && *more; more = reader.next_element()) {
    if (has_below(reader, text)) return true;
  }
  return false;
}

bool has_below(Reader& reader, std::string_view text) {
  const Result<Type> type = reader.peek();
  if (!type) return false;
  if (*type == Type::object) return has_in_object(reader, text);
  if (*type == Type::array) return has_in_array(reader, text);
  if (*type == Type::string) {
    const Result<std::string> value = reader.read_string();
    return value && value->find(text) != std::string::npos;
  }
  const Result<std::string_view> value = reader.read_raw();
  return value && value->find(text) != std::string_view::npos;
}

bool enter_object(Reader& reader, std::string_view name) {
  if (!reader.begin_object()) return false;
  for (auto member = reader.next_member(); member && *member; member = reader.next_member()) {
    if (**member == name) return true;
    if (!reader.read_raw()) return false;
  }
  return false;
}

bool enter_array(Reader& reader, std::string_view token) {
  std::size_t index = 0;
  const auto [end, error] = std::from_chars(token.data(), token.data() + token.size(), index);
  if (error != std::errc{} || end != token.data() + token.size() || (token.size() > 1 && token[0] == '0')) return false;
  if (!reader.begin_array()) return false;
  for (auto more = reader.next_element(); more && *more; more = reader.next_element()) {
    if (index-- == 0) return true;
    if (!reader.read_raw()) return false;
  }
  return false;
}

bool enter(Reader& reader, std::string_view token) {
  const Result<Type> type = reader.peek();
  if (type && *type == Type::object) return enter_object(reader, token);
  return type && *type == Type::array && enter_array(reader, token);
}

}  // namespace

bool has_text(std::string_view context, const ContextText& wanted) {
  Reader reader(context);
  for (const std::string& token : wanted.path.tokens()) {
    if (!enter(reader, token)) return false;
  }
  return has_below(reader, wanted.text);
}

}  // namespace semel::domain
