#include "cli/work/tail.hpp"

#include "base/utf8.hpp"

namespace semel::cli::work {
namespace {

constexpr std::string_view replacement = "\xEF\xBF\xBD";  // U+FFFD

bool is_continuation(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

/// Without the rest of a line, or at least of a character, whose beginning is gone.
std::string_view without_torn_beginning(std::string_view text) {
  const std::size_t end_of_line = text.find('\n');
  if (end_of_line != std::string_view::npos) return text.substr(end_of_line + 1);
  while (!text.empty() && is_continuation(text.front())) text.remove_prefix(1);
  return text;
}

std::string well_formed(std::string_view bytes) {
  std::string text;
  while (!bytes.empty()) {
    const std::size_t length = utf8_length(bytes);
    text += length == 0 ? replacement : bytes.substr(0, length);
    bytes.remove_prefix(length == 0 ? 1 : length);
  }
  return text;
}

}  // namespace

void Tail::add(std::string_view bytes) {
  kept_ += bytes;
  if (kept_.size() <= bytes_max) return;
  kept_.erase(0, kept_.size() - bytes_max);
  is_cut_ = true;
}

std::string Tail::text() const {
  std::string_view text = kept_;
  while (text.ends_with('\n') || text.ends_with('\r')) text.remove_suffix(1);
  if (is_cut_) text = without_torn_beginning(text);
  return well_formed(text);
}

}  // namespace semel::cli::work
