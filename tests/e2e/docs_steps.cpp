#include "tests/e2e/docs_steps.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string_view>
#include <utility>

#include "tests/e2e/server_process.hpp"

namespace semel::test {
namespace {

constexpr std::string_view anything = "…";
constexpr std::string_view answer_mark = "# → ";

constexpr std::string_view before_mark = "<!-- before";
constexpr std::string_view output_mark = "<!-- output of: ";
constexpr std::string_view comment_end = " -->";

/// Reads line by line; keeps where it is in the document.
class StepReader {
 public:
  void read(const std::string& line) {
    ++line_;
    if (line == "<!-- tour -->" || line == "<!-- /tour -->") in_tour_ = line == "<!-- tour -->";
    else if (line.starts_with("```")) read_fence(line);
    else if (in_ == In::code) read_code(line);
    else if (in_ == In::output) steps_.back().pattern->append(steps_.back().pattern->empty() ? "" : "\n").append(line);
    else if (in_ == In::hidden) read_hidden(line);
    else if (in_tour_) read_text(line);
  }
  std::vector<DocStep> take() && { return std::move(steps_); }

 private:
  enum class In { text, code, output, hidden, other };

  void read_text(const std::string& line) {
    is_for_others_ = line.starts_with("<!-- run by ") || line.starts_with("<!-- not run: ");
    if (line == before_mark) in_ = In::hidden;
    else if (line.starts_with(output_mark) && line.ends_with(comment_end))
      output_of_ = line.substr(output_mark.size(), line.size() - output_mark.size() - comment_end.size());
  }

  void read_hidden(const std::string& line) {
    if (line != "-->") command_ += line + "\n";
    else end_block();
  }

  void read_fence(const std::string& line) {
    if (in_ != In::text) return end_block();
    in_ = In::other;
    if (!in_tour_ || std::exchange(is_for_others_, false)) return;
    if (!output_of_.empty()) {
      steps_.push_back({line_, std::exchange(output_of_, {}) + " 2>&1\n", std::nullopt, ""});
      in_ = In::output;
    } else if (line == "```sh") {
      in_ = In::code;
    }
  }
  void end_block() {
    in_ = In::text;
    after_answer_ = false;
    if (!command_.empty()) steps_.push_back({line_, std::exchange(command_, {})});
  }

  void read_code(const std::string& line) {
    if (line.starts_with(answer_mark)) {
      const std::string answer = line.substr(answer_mark.size());
      steps_.push_back({line_, std::exchange(command_, {}), std::stoi(answer), answer.substr(answer.find(' ') + 1)});
      after_answer_ = true;
    } else if (after_answer_ && line.starts_with("#  ")) {
      *steps_.back().pattern += line.substr(line.find_first_not_of(' ', 1));
    } else {
      after_answer_ = false;
      command_ += line + "\n";
    }
  }

  int line_ = 0;
  bool in_tour_ = false;
  In in_ = In::text;
  bool is_for_others_ = false;  // the block that follows
  bool after_answer_ = false;
  std::string command_;
  std::string output_of_;
  std::vector<DocStep> steps_;
};

}  // namespace

std::vector<DocStep> read_steps(const std::string& markdown) {
  StepReader reader;
  std::istringstream lines(markdown);
  for (std::string line; std::getline(lines, line);) reader.read(line);
  return std::move(reader).take();
}

std::vector<DocBlock> read_blocks(const std::string& markdown) {
  std::vector<DocBlock> blocks;
  std::istringstream lines(markdown);
  std::string before;
  bool is_inside = false;
  int number = 0;
  for (std::string line; std::getline(lines, line); before = line) {
    ++number;
    const bool is_fence = line.starts_with("```");
    if (is_fence && !is_inside) blocks.push_back({number, line.substr(3), before});
    else if (is_inside && !is_fence) blocks.back().text += line + "\n";
    if (is_fence) is_inside = !is_inside;
  }
  return blocks;
}

std::vector<std::string> documentation_pages() {
  namespace fs = std::filesystem;
  std::vector<std::string> pages{"README.md"};
  for (const char* folder : {"docs", "examples"}) {
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(source_folder() / folder)) {
      const fs::path page = fs::relative(entry.path(), source_folder());
      const bool is_decision = page.string().starts_with("docs/adr/");
      if (page.extension() == ".md" && !is_decision) pages.push_back(page.string());
    }
  }
  std::sort(pages.begin(), pages.end());
  return pages;
}

std::string read_page(const std::string& page) {
  const std::ifstream stream(source_folder() / page);
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
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
