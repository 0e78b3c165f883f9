#pragma once
#include <optional>
#include <string>
#include <vector>

namespace semel::test {

/// A command of the documentation, with the answer that is written below it.
struct DocStep {
  int line = 0;  // where the answer stands
  std::string command;
  std::optional<int> status{};           // nothing: it is not written
  std::optional<std::string> pattern{};  // of the body; … stands for anything; nothing: it is not written
};

/// The ```sh blocks between <!-- tour --> and <!-- /tour --> of a Markdown text, cut after each answer: a line
/// `# → STATUS BODY`, and the lines after it that begin with `#` and at least two spaces. The status is curl's, or the
/// exit code of `semel`; the body is what they print. Blocks below `<!-- run by FILE -->` or `<!-- not run: WHY -->`
/// are left out. Two things more are in tours and not seen by readers: commands between the lines `<!-- before` and
/// `-->`, and `<!-- output of: COMMAND -->`, which gives the command whose output, with its errors, is the block after
/// it.
std::vector<DocStep> read_steps(const std::string& markdown);

/// A fenced block of a page.
struct DocBlock {
  int line = 0;            // of its first fence
  std::string language{};  // "toml"
  std::string mark{};      // the line before it
  std::string text{};
};
std::vector<DocBlock> read_blocks(const std::string& markdown);

/// The README and all pages with examples: of docs, without decisions, and of examples. From the root of the
/// repository.
std::vector<std::string> documentation_pages();
std::string read_page(const std::string& page);

/// Whether the text fits the pattern.
bool fits(const std::string& pattern, const std::string& text);

}  // namespace semel::test
