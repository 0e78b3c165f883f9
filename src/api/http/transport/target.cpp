#include "api/http/transport/target.hpp"

#include <optional>

#include "base/bytes.hpp"
#include "base/utf8.hpp"

namespace semel::http {
namespace {

enum class Plus { literal, space };

/// The text without its escapes; nothing when an escape is malformed or the result is not clean UTF-8.
std::optional<std::string> decode(std::string_view text, Plus plus) {
  std::string decoded;
  decoded.reserve(text.size());
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '+' && plus == Plus::space) {
      decoded.push_back(' ');
    } else if (text[at] != '%') {
      decoded.push_back(text[at]);
    } else {
      if (text.size() - at < 3) return std::nullopt;
      const int high = hex_value(text[at + 1]);
      const int low = hex_value(text[at + 2]);
      if (high < 0 || low < 0 || high + low == 0) return std::nullopt;
      decoded.push_back(static_cast<char>(high * 16 + low));
      at += 2;
    }
  }
  if (!is_utf8(decoded)) return std::nullopt;
  return decoded;
}

/// Adds the pair `text` ("key=value" or "key") unless it is empty.
bool add_pair(std::string_view text, Target& target) {
  if (text.empty()) return true;
  const std::size_t equals = text.find('=');
  std::optional<std::string> key = decode(text.substr(0, equals), Plus::space);
  std::optional<std::string> value = std::string();
  if (equals != std::string_view::npos) value = decode(text.substr(equals + 1), Plus::space);
  if (!key || !value) return false;
  target.query.emplace_back(*std::move(key), *std::move(value));
  return true;
}

bool add_query(std::string_view text, Target& target) {
  while (!text.empty()) {
    const std::size_t end = text.find('&');
    if (!add_pair(text.substr(0, end), target)) return false;
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 1);
  }
  return true;
}

}  // namespace

Result<Target> parse_target(std::string_view text) {
  if (text.empty() || text[0] != '/') return bad_request("the request target must be a path that begins with '/'");
  const std::size_t mark = text.find('?');
  std::optional<std::string> path = decode(text.substr(0, mark), Plus::literal);
  if (!path) return bad_request("the path must be UTF-8 with every '%' followed by two hex digits, and no %00");
  Target target;
  target.path = *std::move(path);
  if (mark != std::string_view::npos && !add_query(text.substr(mark + 1), target)) {
    return bad_request("the query must be UTF-8 with every '%' followed by two hex digits, and no %00");
  }
  return target;
}

}  // namespace semel::http
