#include "cli/client/table.hpp"

#include <algorithm>

namespace semel::cli {
namespace {

bool begins_character(char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }

void append_line(std::string& out, const std::vector<Cell>& row, const std::vector<std::size_t>& widths, bool colored) {
  std::string line;
  for (std::size_t i = 0; i < row.size(); ++i) {
    line += paint(row[i].text, row[i].color, colored);
    if (i + 1 < row.size()) line += std::string(widths[i] - width_of(row[i].text) + 2, ' ');
  }
  while (line.ends_with(' ')) line.pop_back();
  out += line + "\n";
}

}  // namespace

std::size_t width_of(std::string_view utf8) {
  return static_cast<std::size_t>(std::count_if(utf8.begin(), utf8.end(), begins_character));
}

std::string shorten(std::string_view utf8, std::size_t width_max) {
  if (width_of(utf8) <= width_max) return std::string(utf8);
  std::size_t end = 0;
  for (std::size_t seen = 0; end < utf8.size(); ++end) {
    if (begins_character(utf8[end]) && ++seen == width_max) break;
  }
  return std::string(utf8.substr(0, end)) + "…";
}

std::string Table::text(bool colored) const {
  std::vector<std::vector<Cell>> lines = rows_;
  if (!titles_.empty()) {
    std::vector<Cell> head;
    for (const std::string& title : titles_) head.emplace_back(title, Color::faint);
    lines.insert(lines.begin(), std::move(head));
  }
  std::vector<std::size_t> widths;
  for (const auto& line : lines) {
    widths.resize(std::max(widths.size(), line.size()));
    for (std::size_t i = 0; i < line.size(); ++i) widths[i] = std::max(widths[i], width_of(line[i].text));
  }
  std::string out;
  for (const auto& line : lines) append_line(out, line, widths, colored);
  return out;
}

}  // namespace semel::cli
