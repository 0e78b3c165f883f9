#include "tests/e2e/docs_steps.hpp"

#include <sstream>
#include <string_view>
#include <utility>

namespace semel::test {
namespace {

constexpr std::string_view anything = "…";
constexpr std::string_view answer_mark = "# → ";

/// Reads line by line; keeps where it is in the document.
class StepReader {
 public:
  void read(const std::string& line) {
    ++line_;
    if (line == "<!-- tour -->" || line == "<!-- /tour -->") in_tour_ = line == "<!-- tour -->";
    else if (line.starts_with("```")) read_fence(line);
    else if (in_block_) read_code(line);
  }
  std::vector<DocStep> take() && { return std::move(steps_); }

 private:
  void read_fence(const std::string& line) {
    in_block_ = in_tour_ && line == "```sh";
    after_answer_ = false;
    if (!in_block_ && !command_.empty()) steps_.push_back({line_, std::exchange(command_, {}), std::nullopt, ""});
  }

  void read_code(const std::string& line) {
    if (line.starts_with(answer_mark)) {
      const std::string answer = line.substr(answer_mark.size());
      steps_.push_back({line_, std::exchange(command_, {}), std::stoi(answer), answer.substr(answer.find(' ') + 1)});
      after_answer_ = true;
    } else if (after_answer_ && line.starts_with("#  ")) {
      steps_.back().pattern += line.substr(line.find_first_not_of(' ', 1));
    } else {
      after_answer_ = false;
      command_ += line + "\n";
    }
  }

  int line_ = 0;
  bool in_tour_ = false;
  bool in_block_ = false;
  bool after_answer_ = false;
  std::string command_;
  std::vector<DocStep> steps_;
};

}  // namespace

std::vector<DocStep> read_steps(const std::string& markdown) {
  StepReader reader;
  std::istringstream lines(markdown);
  for (std::string line; std::getline(lines, line);) reader.read(line);
  return std::move(reader).take();
}

bool fits(const std::string& pattern, const std::string& text) {
  std::size_t at = 0;  // in the text
  bool is_first = true;
  std::string_view left = pattern;
  while (true) {
    const std::size_t gap = left.find(anything);
    const std::string_view piece = left.substr(0, gap);
    const bool is_last = gap == std::string_view::npos;
    if (is_last && !is_first) return text.size() >= at + piece.size() && std::string_view(text).ends_with(piece);
    if (is_last) return text == piece;
    const std::size_t found = text.find(piece, at);
    if (found == std::string::npos || (is_first && found != 0)) return false;
    at = found + piece.size();
    left.remove_prefix(gap + anything.size());
    is_first = false;
  }
}

}  // namespace semel::test
