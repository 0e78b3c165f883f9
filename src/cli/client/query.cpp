#include "cli/client/query.hpp"

#include <fmt/format.h>

namespace semel::cli {

std::string percent_encode(std::string_view text) {
  constexpr std::string_view plain = "-._~";
  std::string encoded;
  for (const char c : text) {
    const bool is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                          plain.find(c) != std::string_view::npos;
    if (is_plain) encoded += c;
    else encoded += fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return encoded;
}

Query& Query::add(std::string_view name, const std::optional<std::string>& value) {
  if (!value) return *this;
  text_ += text_.empty() ? '?' : '&';
  text_ += percent_encode(name) + "=" + percent_encode(*value);
  return *this;
}

}  // namespace semel::cli
