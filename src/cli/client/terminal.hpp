#pragma once
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

namespace semel::cli {

enum class Color : std::uint8_t { none, green, red, yellow, cyan, faint };

/// The text in a colour, or as it is.
std::string paint(std::string_view text, Color color, bool colored);
/// The colour of a task in this state.
Color color_of_status(std::string_view status);

bool is_terminal(std::FILE* stream);
/// Only a terminal that knows colours gets them, and only if NO_COLOR is not set (no-color.org).
bool wants_color(std::FILE* stream);

/// Text of others as it can be shown: without what would move the cursor or change colours.
std::string printable(std::string_view text);

/// Writes to standard output or standard error. A reader that went away is not an error of ours.
void print(std::string_view text);
void print_error(std::string_view text);

/// A line on standard error that shows how far something has come; nothing when that is not a terminal.
class Progress {
 public:
  explicit Progress(std::string what);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void show(std::uint64_t done, std::uint64_t total);
  /// Where nobody knows how much there is.
  void tell(std::string_view how_far);

 private:
  const std::string what_;
  const bool shown_;
  int last_percent_ = -1;
};

/// "[#####-----]  50 %"
std::string progress_bar(std::uint64_t done, std::uint64_t total);

}  // namespace semel::cli
