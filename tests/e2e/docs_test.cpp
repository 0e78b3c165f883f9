#include <gtest/gtest.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "tests/e2e/docs_steps.hpp"
#include "tests/e2e/server_process.hpp"
#include "tests/support/temp_dir.hpp"

namespace semel::test {
namespace {

std::string replace_all(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
  return text;
}

constexpr const char* status_mark = "@status ";
constexpr const char* end_mark = "@end";

/// All commands as one shell script, in which curl also tells the status, `semel` is the program under test, knows the
/// server and tells its exit code, and each step ends with a mark.
std::string script_of(const std::vector<DocStep>& steps, const std::string& port) {
  std::string script = std::string("curl() { command curl -sS -w '\\n") + status_mark + "%{http_code}\\n' \"$@\"; }\n";
  script += "semel() { '" + semel_program() + "' \"$@\"; printf '\\n" + status_mark + "%s\\n' $?; }\n";
  script += "export SEMEL_URL=http://localhost:7420\n";
  for (const DocStep& step : steps) script += step.command + "echo " + end_mark + "\n";
  return replace_all(script, "localhost:7420", "localhost:" + port);
}

/// What the last call of a step has answered, and how those before it have ended.
struct Shown {
  std::optional<int> status{};
  std::string body{};
  std::vector<int> before{};
};

bool is_good(int status) { return status == 0 || (status >= 200 && status < 300); }

Shown read_shown(Process& shell) {
  Shown shown;
  std::string body;
  while (const std::optional<std::string> line = shell.read_line()) {
    if (*line == end_mark) break;
    if (line->starts_with(status_mark)) {
      while (body.ends_with('\n')) body.pop_back();
      if (shown.status) shown.before.push_back(*shown.status);
      shown.status = std::stoi(line->substr(std::string(status_mark).size()));
      shown.body = std::exchange(body, {});
    } else {
      body += body.empty() ? *line : "\n" + *line;
    }
  }
  if (!shown.status) shown.body = std::move(body);
  return shown;
}

/// Those that have something to run.
std::vector<std::string> pages_with_tours() {
  std::vector<std::string> pages = documentation_pages();
  std::erase_if(pages, [](const std::string& page) { return read_steps(read_page(page)).empty(); });
  return pages;
}

class Documentation : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Pages, Documentation, testing::ValuesIn(pages_with_tours()));

TEST_P(Documentation, ShowsCommandsThatAreAnsweredAsItSays) {
  const std::vector<DocStep> steps = read_steps(read_page(GetParam()));
  TempDir folder;
  ServerProcess server(folder / "semel.db");
  const std::string script = "cd " + folder.path().string() + "\n" + script_of(steps, server.port());

  Process shell({"bash", "-u", "-c", script});

  for (const DocStep& step : steps) {
    const Shown shown = read_shown(shell);
    const std::string where = GetParam() + ":" + std::to_string(step.line) + "\n";
    for (const int status : shown.before) EXPECT_TRUE(is_good(status)) << where << step.command << status;
    if (step.status) {
      EXPECT_EQ(shown.status, step.status) << where << shown.body;
    } else if (!step.pattern) {
      EXPECT_TRUE(is_good(shown.status.value_or(0))) << where << shown.body;
    }
    if (!step.pattern) continue;
    EXPECT_TRUE(fits(*step.pattern, shown.body)) << where << step.command << "answered\n"
                                                 << shown.body << "\nand not\n"
                                                 << *step.pattern;
  }
  EXPECT_EQ(shell.wait(), 0) << shell.errors();
  EXPECT_EQ(server.stop(), 0);
}

TEST(DocumentationSteps, AreCutAfterEachAnswer) {
  const std::string page =
      "```sh\nnot me\n```\n<!-- tour -->\ntext\n```sh\na\nb\n# → 200 {x,\n#    y}\n\n# a comment\nc\n# → 409 "
      "z\n```\n"
      "```json\nnor me\n```\n```sh\nd\n```\n<!-- /tour -->\n```sh\nnor me\n```\n";

  const std::vector<DocStep> steps = read_steps(page);

  ASSERT_EQ(steps.size(), 3u);
  EXPECT_EQ(steps[0].command, "a\nb\n");
  EXPECT_EQ(steps[0].pattern, "{x,y}");
  EXPECT_EQ(steps[1].command, "\n# a comment\nc\n");
  EXPECT_EQ(steps[1].status, 409);
  EXPECT_EQ(steps[2].command, "d\n");
  EXPECT_EQ(steps[2].status, std::nullopt);
}

TEST(DocumentationSteps, AreAlsoWhatReadersDoNotSee) {
  const std::vector<DocStep> steps = read_steps(
      "<!-- before\nnot me\n-->\n<!-- tour -->\n<!-- before\na\nb\n-->\n```toml\nnor me\n```\n"
      "<!-- run by a.py -->\n```sh\nnor me\n```\n<!-- not run: it costs money -->\n```sh\nnor me\n```\n"
      "<!-- output of: c -->\n```\nx\n…\n```\n<!-- /tour -->\n<!-- output of: d -->\n```\nnor me\n```\n");

  ASSERT_EQ(steps.size(), 2u);
  EXPECT_EQ(steps[0].command, "a\nb\n");
  EXPECT_EQ(steps[0].pattern, std::nullopt);
  EXPECT_EQ(steps[1].command, "c 2>&1\n");
  EXPECT_EQ(steps[1].status, std::nullopt);
  EXPECT_EQ(steps[1].pattern, "x\n…");
}

TEST(DocumentationSteps, TakeExitCodesOfAnyLengthForAStatus) {
  const std::vector<DocStep> steps =
      read_steps("<!-- tour -->\n```sh\na\n# → 0 good\nb\n# → 12 \n```\n<!-- /tour -->\n");

  ASSERT_EQ(steps.size(), 2u);
  EXPECT_EQ(steps[0].status, 0);
  EXPECT_EQ(steps[0].pattern, "good");
  EXPECT_EQ(steps[1].status, 12);
  EXPECT_EQ(steps[1].pattern, "");
}

TEST(DocumentationSteps, FitWhereADotsCharacterStandsForAnything) {
  EXPECT_TRUE(fits("abc", "abc"));
  EXPECT_TRUE(fits("a…c", "ac"));
  EXPECT_TRUE(fits("a…c…", "abbbcd"));
  EXPECT_TRUE(fits("…c", "abc"));
  EXPECT_TRUE(fits("…", ""));
  EXPECT_FALSE(fits("abc", "abcd"));
  EXPECT_FALSE(fits("a…c", "abcd"));
  EXPECT_FALSE(fits("b…", "abc"));
  EXPECT_FALSE(fits("ab…bc", "abc"));
  EXPECT_FALSE(fits("a…x…c", "abc"));
}

}  // namespace
}  // namespace semel::test
