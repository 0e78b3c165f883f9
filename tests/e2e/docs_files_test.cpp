#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "tests/e2e/cli.hpp"
#include "tests/e2e/docs_steps.hpp"

namespace semel::test {
namespace {

/// Examples of the documentation that are no commands, wherever they stand: files that somebody would copy, and lines
/// that start a server. script/tidy sees to it that there are no others that nothing runs.
class DocumentedFiles : public testing::Test {
 protected:
  struct Example {
    std::string where;  // "docs/scale.md:50"
    std::string text;
  };

  static std::vector<Example> examples_in(const std::string& language) {
    std::vector<Example> found;
    for (const std::string& page : documentation_pages()) {
      for (const DocBlock& block : read_blocks(read_page(page))) {
        if (block.language == language && !block.mark.starts_with("<!-- not run: "))
          found.push_back({page + ":" + std::to_string(block.line), block.text});
      }
    }
    return found;
  }

  std::string file_with(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name) << text;
    return (folder_ / name).string();
  }

  TempDir folder_;
};

TEST_F(DocumentedFiles, AreConfigurationsThatAServerTakes) {
  const std::vector<Example> examples = examples_in("toml");

  EXPECT_GE(examples.size(), 5u);
  for (const Example& example : examples) {
    const Finished ran = run_semel({"config", "print", "--config", file_with("semel.toml", example.text)});
    EXPECT_EQ(ran.code, 0) << example.where << "\n" << ran.errors;
  }
}

TEST_F(DocumentedFiles, AreTemplatesThatAServerTakes) {
  const std::vector<Example> examples = examples_in("yaml");
  std::vector<std::string> command{"template", "validate"};
  for (const Example& example : examples) {
    std::string name = example.where + ".yaml";
    std::replace(name.begin(), name.end(), '/', '-');
    command.push_back(file_with(name, example.text));
  }

  const Finished ran = run_semel(command);

  EXPECT_GE(examples.size(), 5u);
  EXPECT_EQ(ran.code, 0) << ran.errors;
}

TEST_F(DocumentedFiles, AreJson) {
  const std::vector<Example> examples = examples_in("json");

  EXPECT_GE(examples.size(), 8u);
  for (const Example& example : examples) EXPECT_TRUE(Json::accept(example.text)) << example.where;
}

/// Only what is left of "# …" and right of "semel server", with the paths of the page below a folder of the test's own.
std::string arguments_in(const std::string& line, const std::filesystem::path& folder) {
  const std::string word = "semel server";
  std::string arguments = line.substr(line.find(word) + word.size());
  arguments = arguments.substr(0, arguments.find(" #"));
  const std::string settings = "/etc/semel/";
  if (const std::size_t at = arguments.find(settings); at != std::string::npos)
    arguments.replace(at, settings.size(), folder.string() + "/");
  return arguments;
}

/// With the environment that stands before it, if any.
TEST_F(DocumentedFiles, StartServersWithOptionsThatThereAre) {
  file_with("semel.toml", "");
  std::size_t count = 0;
  for (const char* language : {"sh", "ini"}) {
    for (const Example& example : examples_in(language)) {
      std::istringstream lines(example.text);
      for (std::string line; std::getline(lines, line);) {
        const std::size_t at = line.find("semel server");
        if (at == std::string::npos || line.starts_with("semel server &")) continue;
        ++count;
        const std::string before = line.starts_with("SEMEL_") ? line.substr(0, at) : "";
        Process shell(
            {"bash", "-c", before + "'" + semel_program() + "' config check" + arguments_in(line, folder_.path())});
        EXPECT_EQ(shell.wait(), 0) << example.where << "\n" << line << "\n" << shell.errors();
      }
    }
  }
  EXPECT_GE(count, 6u);
}

}  // namespace
}  // namespace semel::test
