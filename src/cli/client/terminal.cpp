#include "cli/client/terminal.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

namespace semel::cli {
namespace {

std::string_view code_of(Color color) {
  switch (color) {
    case Color::green: return "32";
    case Color::red: return "31";
    case Color::yellow: return "33";
    case Color::cyan: return "36";
    case Color::faint: return "2";
    case Color::none: break;
  }
  return "0";
}

int percent_of(std::uint64_t done, std::uint64_t total) {
  return total == 0 ? 100 : static_cast<int>(std::min(done, total) * 100 / total);
}

bool is_control(unsigned char c) { return c < 0x20 || c == 0x7F; }

}  // namespace

std::string paint(std::string_view text, Color color, bool colored) {
  if (!colored || color == Color::none) return std::string(text);
  return fmt::format("\x1b[{}m{}\x1b[0m", code_of(color), text);
}

Color color_of_status(std::string_view status) {
  if (status == "completed") return Color::green;
  if (status == "running") return Color::cyan;
  if (status == "cancelled" || status == "blocked") return Color::yellow;
  if (status == "failed" || status == "timed_out") return Color::red;
  return Color::none;
}

bool is_terminal(std::FILE* stream) { return ::isatty(::fileno(stream)) == 1; }

bool wants_color(std::FILE* stream) {
  const char* no_color = std::getenv("NO_COLOR");
  const char* kind = std::getenv("TERM");
  const bool can_not = kind == nullptr || std::string_view(kind) == "dumb";
  return is_terminal(stream) && !can_not && (no_color == nullptr || *no_color == '\0');
}

std::string printable(std::string_view text) {
  std::string shown;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    const bool is_c1 = c == 0xC2 && i + 1 < text.size() && static_cast<unsigned char>(text[i + 1]) < 0xA0;
    if (is_c1) ++i;
    if (is_c1 || is_control(c)) shown += c == '\n' || c == '\t' ? ' ' : '?';
    else shown += text[i];
  }
  return shown;
}

void print(std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
  std::fflush(stdout);
}

void print_error(std::string_view text) { std::fwrite(text.data(), 1, text.size(), stderr); }

Progress::Progress(std::string what) : what_(std::move(what)), shown_(is_terminal(stderr)) {}

Progress::~Progress() {
  if (shown_ && last_percent_ >= 0) print_error("\r\x1b[K");
}

void Progress::show(std::uint64_t done, std::uint64_t total) {
  const int percent = percent_of(done, total);
  if (!shown_ || percent == last_percent_) return;
  last_percent_ = percent;
  print_error(fmt::format("\r{} {}", what_, progress_bar(done, total)));
}

void Progress::tell(std::string_view how_far) {
  if (!shown_) return;
  last_percent_ = 0;
  print_error(fmt::format("\r\x1b[K{} {}", what_, how_far));
}

std::string progress_bar(std::uint64_t done, std::uint64_t total) {
  constexpr int marks = 30;
  const int percent = percent_of(done, total);
  const int full = percent * marks / 100;
  return fmt::format("[{}{}] {:3} %", std::string(static_cast<std::size_t>(full), '#'),
                     std::string(static_cast<std::size_t>(marks - full), '-'), percent);
}

}  // namespace semel::cli
