#include "server/template_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "store/memory/memory_store.hpp"
#include "tests/support/manual_clock.hpp"
#include "tests/support/temp_dir.hpp"

namespace semel::server {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class TemplateFolder : public testing::Test {
 protected:
  void write(const std::string& path, const std::string& text) {
    const std::filesystem::path file = folder_ / path;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text;
  }
  std::vector<domain::Template> read() {
    Result<std::vector<domain::Template>> templates = read_template_folder(folder_.path());
    EXPECT_TRUE(templates) << templates.error().message;
    return templates ? *std::move(templates) : std::vector<domain::Template>{};
  }
  /// The lines of the refusal, without the folder.
  std::vector<std::string> problems() {
    const Result<std::vector<domain::Template>> templates = read_template_folder(folder_.path());
    std::vector<std::string> lines;
    if (templates) return lines;
    std::istringstream text(templates.error().message);
    const std::string folder = folder_.path().string() + "/";
    for (std::string line; std::getline(text, line);) {
      EXPECT_TRUE(line.starts_with(folder)) << line;
      lines.push_back(line.substr(std::min(folder.size(), line.size())));
    }
    return lines;
  }

  test::TempDir folder_;
};

TEST_F(TemplateFolder, GivesItsTemplatesInTheOrderOfTheirNames) {
  write("shop/b.yml", "namespace: shop\nname: b\nversion: 1.0.0\n");
  write("shop/a.yaml", "namespace: shop\nname: a\nversion: 2.0.0\nqueue: fast\n");
  write("mail/send.json", R"({"namespace": "mail", "name": "send", "version": "1.0.0"})");

  const std::vector<domain::Template> templates = read();

  ASSERT_EQ(templates.size(), 3u);
  EXPECT_EQ(templates[0].namespace_, "mail");
  EXPECT_EQ(templates[1].name, "a");
  EXPECT_EQ(templates[1].queue, "fast");
  EXPECT_EQ(templates[2].name, "b");
}

TEST_F(TemplateFolder, FillsNamespaceAndNameFromThePath) {
  write("shop/block.yaml", "version: 1.0.0\nidentity:\n  strategy: strict\n");
  write("shop/flow.yaml", "{version: 1.0.0, name: flow}\n");
  write("shop/object.json", "{\n\"version\": \"1.0.0\"}");

  const std::vector<domain::Template> templates = read();

  ASSERT_EQ(templates.size(), 3u);
  for (const domain::Template& template_ : templates) EXPECT_EQ(template_.namespace_, "shop");
  EXPECT_EQ(templates[0].name, "block");
  EXPECT_EQ(templates[0].handler, "block");
  EXPECT_EQ(templates[0].document,
            R"({"identity":{"strategy":"strict"},"name":"block","namespace":"shop","version":"1.0.0"})");
  EXPECT_EQ(templates[1].document, R"({"name":"flow","namespace":"shop","version":"1.0.0"})");
  EXPECT_EQ(templates[2].document, R"({"name":"object","namespace":"shop","version":"1.0.0"})");
}

TEST_F(TemplateFolder, LeavesOtherFilesAlone) {
  write("README.md", "templates");
  write(".git/config.yaml", "not: a template");
  write("shop/notes.txt", "none");
  write("shop/.a.yaml.swp", "none");
  write("shop/a.yaml", "version: 1.0.0\n");

  EXPECT_EQ(read().size(), 1u);
}

TEST_F(TemplateFolder, ListsAllProblemsWithFileAndLine) {
  write("loose.yaml", "version: 1.0.0\n");
  write("shop/color.yaml", "version: 1.0.0\n\ncolor: red\n");
  write("shop/empty.yaml", "");
  write("shop/filled.yaml", "version: 1.0.0\nidentity:\n  period: 1x\n");
  write("shop/good.yaml", "version: 1.0.0\n");
  write("shop/inner/a.yaml", "version: 1.0.0\n");
  write("shop/no_version.yaml", "queue: a\n");
  write("shop/syntax.yaml", "version: 1.0.0\nname: [\n");

  EXPECT_THAT(problems(),
              ElementsAre("loose.yaml: put it into a folder that has the name of its namespace",
                          HasSubstr("shop/color.yaml: line 3: unknown field 'color'"), HasSubstr("shop/empty.yaml: "),
                          HasSubstr("shop/filled.yaml: line 3: identity.period must be"),
                          "shop/inner: a namespace has no folders in it, only files",
                          "shop/no_version.yaml: version is required", HasSubstr("shop/syntax.yaml: line ")));
}

TEST_F(TemplateFolder, NamesTheLineInJsonToo) {
  write("shop/color.json", "{\n  \"version\": \"1.0.0\",\n  \"color\": \"red\"\n}");
  write("shop/period.json", "{\n\t\"version\": \"1.0.0\",\n\n\t\"identity\": {\n\t\t\"period\": \"1x\"}\n}");
  write("shop/syntax.json", "{\n\"version\": 1.0.0\n}");

  EXPECT_THAT(problems(), ElementsAre(HasSubstr("shop/color.json: line 3: unknown field 'color'"),
                                      HasSubstr("shop/period.json: line 5: identity.period must be"),
                                      HasSubstr("shop/syntax.json: line 2: ")));
}

TEST_F(TemplateFolder, WantsPathAndDocumentToAgree) {
  write("shop/a.yaml", "namespace: shop\nname: b\nversion: 1.0.0\n");
  write("shop/c.json", R"({"namespace": "mail", "version": "1.0.0"})");

  EXPECT_THAT(problems(), ElementsAre("shop/a.yaml: its name is 'b', and its file is 'a.yaml': make them agree",
                                      "shop/c.json: its namespace is 'mail', and its folder 'shop': make them agree"));
}

TEST_F(TemplateFolder, WantsEachVersionOnce) {
  write("shop/a.json", R"({"version": "1.0.0"})");
  write("shop/a.yaml", "version: 1.0.0\n");
  write("shop/b.json", R"({"version": "1.0.0"})");
  write("shop/b.yaml", "version: 2.0.0\n");

  const std::vector<std::string> found = problems();

  ASSERT_EQ(found.size(), 1u);
  EXPECT_THAT(found[0], HasSubstr("shop/a.json is the same template and version"));
}

TEST_F(TemplateFolder, MustBeThere) {
  const Result<std::vector<domain::Template>> none = read_template_folder(folder_ / "none");

  ASSERT_FALSE(none);
  EXPECT_THAT(none.error().message, HasSubstr("none: is not a folder of templates"));
}

TEST_F(TemplateFolder, IsPutIntoTheDefaultTenant) {
  write("shop/a.yaml", "version: 1.0.0\n");
  write("shop/b.yaml", "version: 1.0.0\n");
  const test::ManualClock clock;
  store::MemoryStore store(clock);
  engine::Engine engine(store, {});

  const Result<void> put = put_templates(engine, read());

  ASSERT_TRUE(put) << put.error().message;
  const domain::Principal anyone{"default", "open", domain::all_permissions};
  EXPECT_TRUE(engine.template_versions(anyone, "shop", "a"));
  EXPECT_TRUE(engine.template_versions(anyone, "shop", "b"));
  EXPECT_EQ(store.templates().size(), 2u);
}

}  // namespace
}  // namespace semel::server
