#pragma once
#include <optional>
#include <string>
#include <vector>

namespace semel::test {

/// A command of the documentation, with the answer that is written below it.
struct DocStep {
  int line = 0;  // where the answer stands
  std::string command;
  std::optional<int> status;  // nothing: there is no answer written
  std::string pattern;        // of the body; … stands for anything
};

/// The ```sh blocks between <!-- tour --> and <!-- /tour --> of a Markdown text, cut after each answer: a line
/// `# → STATUS BODY`, and the lines after it that begin with `#` and at least two spaces. The status is curl's, or the
/// exit code of `semel`; the body is what they print.
std::vector<DocStep> read_steps(const std::string& markdown);

/// Whether the text fits the pattern.
bool fits(const std::string& pattern, const std::string& text);

}  // namespace semel::test
