#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <vector>

#include "tests/support/places.hpp"
#include "tests/unit/codec/templates.hpp"

namespace semel::codec {
namespace {

/// The blocks of docs/reference/templates.md that are fenced as `language`.
std::vector<std::string> examples_in(const std::string& language) {
  std::ifstream file(std::string(semel::test::places::sources) + "/docs/reference/templates.md");
  std::vector<std::string> blocks;
  bool inside = false;
  for (std::string line; std::getline(file, line);) {
    const bool fence = line.starts_with("```");
    if (fence && !inside && line == "```" + language) {
      inside = true;
      blocks.emplace_back();
    } else if (fence) {
      inside = false;
    } else if (inside) {
      blocks.back() += line + "\n";
    }
  }
  return blocks;
}

TEST(TemplateReference, ShowsOnlyTemplatesThatAreTaken) {
  const std::vector<std::string> yaml = examples_in("yaml");
  const std::vector<std::string> json = examples_in("json");

  EXPECT_GE(yaml.size(), 4u);
  EXPECT_GE(json.size(), 1u);
  for (const std::string& example : yaml) EXPECT_EQ(test::refused_yaml(example), "") << example;
  for (const std::string& example : json) EXPECT_EQ(test::refused_json(example), "") << example;
}

}  // namespace
}  // namespace semel::codec
