#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "cli/client/terminal.hpp"

namespace semel::cli {

struct Cell {
  std::string text;
  Color color = Color::none;

  Cell(std::string shown = {}, Color in = Color::none)
      : text(printable(shown)), color(in) {}             // NOLINT: "text" is a cell
  Cell(const char* shown) : Cell(std::string(shown)) {}  // NOLINT
};

/// Columns as wide as their widest cell, two spaces between. Without titles: a list of facts, a name and a value a
/// line.
class Table {
 public:
  explicit Table(std::vector<std::string> titles = {}) : titles_(std::move(titles)) {}

  void add(std::vector<Cell> row) { rows_.push_back(std::move(row)); }
  bool empty() const { return rows_.empty(); }
  std::string text(bool colored) const;

 private:
  std::vector<std::string> titles_;
  std::vector<std::vector<Cell>> rows_;
};

/// How many characters it is (not bytes).
std::size_t width_of(std::string_view utf8);

/// At most so many characters, with … for what was cut.
std::string shorten(std::string_view utf8, std::size_t width_max);

}  // namespace semel::cli
