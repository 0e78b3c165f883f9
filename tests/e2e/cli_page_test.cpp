#include <gmock/gmock.h>

#include <fstream>
#include <iterator>
#include <sstream>

#include "tests/e2e/cli.hpp"

namespace semel::test {
namespace {

/// The first words below "Subcommands:".
std::vector<std::string> commands_in(const std::string& help) {
  std::istringstream lines(help.substr(help.find("\nSubcommands:\n") + 1));
  std::vector<std::string> commands;
  std::string line;
  std::getline(lines, line);
  while (std::getline(lines, line) && line.starts_with("  ")) {
    if (line[2] != ' ') commands.push_back(line.substr(2, line.find(' ', 2) - 2));
  }
  return commands;
}

TEST(CliPage, ListsEveryCommand) {
  std::ifstream file(source_folder() / "docs" / "reference" / "cli.md");
  const std::string page{std::istreambuf_iterator<char>(file), {}};

  const std::vector<std::string> commands = commands_in(run_semel({"--help"}).output);

  EXPECT_GT(commands.size(), 20u);
  const std::string table = page.substr(0, page.find("\n## "));
  for (const std::string& command : commands) EXPECT_THAT(table, testing::HasSubstr("`semel " + command));
}

}  // namespace
}  // namespace semel::test
