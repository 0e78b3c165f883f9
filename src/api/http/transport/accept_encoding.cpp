#include "api/http/transport/accept_encoding.hpp"

#include <optional>

#include "api/http/transport/ascii.hpp"

namespace semel::http {
namespace {

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}

/// Takes the text up to the mark off the front.
std::string_view next_part(std::string_view& text, char mark) {
  const std::size_t at = text.find(mark);
  const std::string_view part = text.substr(0, at);
  text = at == std::string_view::npos ? std::string_view() : text.substr(at + 1);
  return trimmed(part);
}

/// "q=0" and "q=0.000" forbid; every other weight allows.
bool forbids(std::string_view parameter) {
  if (parameter.size() < 3 || !equals_ignoring_case(parameter.substr(0, 2), "q=")) return false;
  return parameter.find_first_not_of("0.", 2) == std::string_view::npos;
}

}  // namespace

bool accepts_gzip(std::string_view accept_encoding) {
  std::optional<bool> gzip;  // what is said of gzip itself counts more than what is said of all
  bool any = false;
  while (!accept_encoding.empty()) {
    std::string_view item = next_part(accept_encoding, ',');
    const std::string_view coding = next_part(item, ';');
    const bool allows = !forbids(trimmed(item));
    if (equals_ignoring_case(coding, "gzip")) gzip = allows;
    if (coding == "*") any = allows;
  }
  return gzip.value_or(any);
}

}  // namespace semel::http
