#include "config/setting.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <sstream>

#include "config/print.hpp"
#include "tests/support/json.hpp"
#include "tests/support/places.hpp"
#include "tests/unit/config/config_files.hpp"

namespace semel::config {
namespace {

using testing::HasSubstr;

TEST(Settings, HaveNamesThatFollowFromOne) {
  const Setting& setting = *find_setting("http.connections_max");

  EXPECT_EQ(setting.environment(), "SEMEL_HTTP_CONNECTIONS_MAX");
  EXPECT_EQ(setting.flag(), "--http-connections-max");
  EXPECT_EQ(find_setting("http.connections"), nullptr);
}

TEST(Settings, AreNeverTwoUnderOneName) {
  std::set<std::string> environment;
  std::set<std::string> flags;
  for (const Setting& setting : settings()) {
    environment.insert(setting.environment());
    flags.insert(setting.flag());
  }

  EXPECT_EQ(environment.size(), settings().size());
  EXPECT_EQ(flags.size(), settings().size());
  for (const std::string_view name : foreign_variables()) EXPECT_FALSE(environment.contains(std::string(name)));
}

TEST(Settings, TakeTheirOwnDefaults) {
  for (const Setting& setting : settings()) {
    server::Options options;

    const Result<void> set = setting.set(options, setting.text_in({}));

    EXPECT_TRUE(set) << set.error().message;
    EXPECT_EQ(setting.text_in(options), setting.text_in({})) << setting.name;
  }
}

TEST(Settings, ChangeTheirOwnFieldAndNoOther) {
  for (const Setting& setting : settings()) {
    std::string text = "1025";
    if (setting.form() == Form::boolean) text = "true";
    else if (setting.expected().starts_with("a duration")) text = "77s";
    else if (setting.name == "log_level") text = "off";
    else if (setting.name == "log_format") text = "json";
    else if (setting.name == "migrate") text = "never";
    else if (setting.form() == Form::number) text = std::to_string(setting.min + 1);
    server::Options options;

    const Result<void> set = setting.set(options, text);

    ASSERT_TRUE(set) << set.error().message;
    for (const Setting& other : settings()) {
      const std::string expected = &other == &setting ? text : other.text_in({});
      EXPECT_EQ(other.text_in(options), expected) << setting.name << " " << other.name;
    }
  }
}

TEST(Settings, RefuseWhatIsNoText) {
  server::Options options;

  EXPECT_FALSE(find_setting("listen")->set(options, std::string_view("a\0b", 3)));
  EXPECT_FALSE(find_setting("listen")->set(options, "\xff"));
}

TEST(Print, IsAFileThatCanBeReadAgain) {
  Sources sources;
  sources.flags = {{find_setting("templates"), "a \"b\" \\ c"}, {find_setting("plain_keys"), "true"}};
  const Result<Loaded> loaded = load(sources);
  ASSERT_TRUE(loaded);

  const std::string text = to_toml(*loaded);
  const ConfigFile file(text);
  const Result<Loaded> again = load(file.sources());

  EXPECT_THAT(text, HasSubstr("listen = \"127.0.0.1:7420\""));
  EXPECT_THAT(text, HasSubstr("# default\n"));
  EXPECT_THAT(text, HasSubstr("# --plain-keys\n"));
  ASSERT_TRUE(again) << again.error().message;
  for (const Setting& setting : settings()) {
    EXPECT_EQ(setting.text_in(again->options), setting.text_in(loaded->options));
    EXPECT_THAT(origin_of(*again, setting.name), HasSubstr("semel.toml:"));
  }
}

TEST(Print, IsJsonIfAsked) {
  const Result<Loaded> loaded = load({{}, {{"SEMEL_THREADS", "5"}}, {}});
  ASSERT_TRUE(loaded);

  const nlohmann::json json = nlohmann::json::parse(to_json(*loaded));

  EXPECT_EQ(json.size(), settings().size());
  EXPECT_EQ(json["threads"], (nlohmann::json{{"value", 5}, {"from", "SEMEL_THREADS"}}));
  EXPECT_EQ(json["plain_keys"], (nlohmann::json{{"value", false}, {"from", "default"}}));
  EXPECT_EQ(json["shutdown_grace"], (nlohmann::json{{"value", "10s"}, {"from", "default"}}));
}

TEST(ConfigurationPage, HasTheLineOfEverySettingAndNoOther) {
  std::ostringstream page;
  page << std::ifstream(std::string(semel::test::places::sources) + "/docs/reference/configuration.md").rdbuf();

  for (const Setting& setting : settings()) EXPECT_THAT(page.str(), HasSubstr(to_markdown(setting) + "\n"));
  const std::string text = page.str();
  std::size_t lines = 0;
  for (std::size_t at = text.find("\n| `"); at != std::string::npos; at = text.find("\n| `", at + 1)) ++lines;
  EXPECT_EQ(lines, settings().size());
}

}  // namespace
}  // namespace semel::config
