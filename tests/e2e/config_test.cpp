#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "tests/e2e/server_process.hpp"
#include "tests/support/places.hpp"
#include "tests/support/temp_dir.hpp"

namespace semel::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

/// The real binary, run in a folder of its own with these variables.
class Configuration : public testing::Test {
 protected:
  void write(const std::string& path, const std::string& text) {
    std::filesystem::create_directories((folder_ / path).parent_path());
    std::ofstream(folder_ / path) << text;
  }
  std::vector<std::string> command(std::vector<std::string> variables, const std::vector<std::string>& arguments) {
    std::vector<std::string> command{"env", "-C", folder_.path().string()};
    command.insert(command.end(), variables.begin(), variables.end());
    command.push_back(places::semel);
    command.insert(command.end(), arguments.begin(), arguments.end());
    return command;
  }
  Finished run(const std::vector<std::string>& arguments, const std::vector<std::string>& variables = {}) {
    return run_to_end(command(variables, arguments));
  }

  TempDir folder_;
};

TEST_F(Configuration, IsPrintedWithWhereEachValueCameFrom) {
  write("semel.toml", "threads = 2\nlog_format = \"json\"\nlog_level = \"warn\"\n");

  const Finished text = run({"config", "print", "--log-level", "off"}, {"SEMEL_LOG_FORMAT=text"});
  const Finished json = run({"config", "print", "--json", "--plain-keys"});

  EXPECT_EQ(text.code, 0) << text.errors;
  EXPECT_THAT(text.output, testing::ContainsRegex("threads = 2 +# semel.toml:1\n"));
  EXPECT_THAT(text.output, testing::ContainsRegex("log_format = \"text\" +# SEMEL_LOG_FORMAT\n"));
  EXPECT_THAT(text.output, testing::ContainsRegex("log_level = \"off\" +# --log-level\n"));
  EXPECT_THAT(text.output, testing::ContainsRegex("shutdown_grace = \"10s\" +# default\n"));
  EXPECT_EQ(json.code, 0) << json.errors;
  EXPECT_EQ(Json::parse(json.output)["plain_keys"], (Json{{"value", true}, {"from", "--plain-keys"}}));
  EXPECT_EQ(Json::parse(json.output)["log_level"], (Json{{"value", "warn"}, {"from", "semel.toml:3"}}));
}

TEST_F(Configuration, IsCheckedWithoutStartingAnything) {
  write("good.toml", "listen = \"127.0.0.1:0\"\n");
  write("bad.toml", "listen = \"here\"\nstore = \"there\"\n");

  const Finished good = run({"config", "check", "--config", "good.toml"});
  const Finished bad = run({"config", "check", "--config", "bad.toml"});
  const Finished none = run({"config", "check", "--config", "none.toml"});

  EXPECT_EQ(good.code, 0) << good.errors;
  EXPECT_EQ(bad.code, 1);
  EXPECT_THAT(bad.errors, AllOf(HasSubstr("semel: bad.toml:1: 'here' is not an address"),
                                HasSubstr("\nsemel: bad.toml:2: 'there' is not a store")));
  EXPECT_EQ(none.code, 1);
  EXPECT_FALSE(std::filesystem::exists(folder_ / "semel.db"));
}

TEST_F(Configuration, OfAServerIsReadFromTheFileInItsFolder) {
  write("semel.toml", "listen = \"127.0.0.1:0\"\ngrpc_listen = \"off\"\nstore = \"sqlite:mine.db\"\n");
  Process server(command({}, {"server"}));

  const std::string ready = server.read_line().value_or("");
  server.signal(SIGTERM);

  EXPECT_THAT(ready, testing::EndsWith(" store=sqlite:mine.db"));
  EXPECT_EQ(server.wait(), 0) << server.errors();
}

TEST_F(Configuration, WithAProblemKeepsTheServerFromStarting) {
  write("semel.toml", "listen = \"127.0.0.1:0\"\nport = 1\n");

  const Finished server = run({"server"}, {"SEMEL_STOER=sqlite:a.db"});

  EXPECT_EQ(server.code, 1);
  EXPECT_EQ(server.output, "");
  EXPECT_THAT(server.errors, AllOf(HasSubstr("semel: semel.toml:2: 'port' is no setting"),
                                   HasSubstr("semel: SEMEL_STOER is no setting; did you mean SEMEL_STORE?")));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "semel.db"));
}

TEST_F(Configuration, CanNameAFolderOfTemplatesWhoseChangesMakeRevisions) {
  write("templates/shop/charge.yaml", "version: 1.0.0\nqueue: pay\n");

  for (const int revision : {1, 1, 2}) {
    if (revision == 2) write("templates/shop/charge.yaml", "version: 1.0.0\nqueue: fast\n");
    ServerProcess server(folder_ / "a.db", {"--templates", (folder_ / "templates").string()});

    const Reply reply = server.connect().get("/v1/templates/shop/charge/1.0.0");

    EXPECT_EQ(reply.status, 200);
    EXPECT_EQ(reply.body.value("queue", ""), revision == 1 ? "pay" : "fast");
    EXPECT_EQ(reply.body.value("revision", 0), revision);
    EXPECT_EQ(server.stop(), 0);
  }
}

TEST_F(Configuration, OfBadTemplatesListsThemAllAndStoresNone) {
  write("templates/shop/a.yaml", "version: 1.0.0\n");
  write("templates/shop/b.yaml", "version: 1.0.0\ncolor: red\n");
  write("templates/shop/c.yaml", "name: d\nversion: 1.0.0\n");
  const std::vector<std::string> arguments{"server",      "--listen",    "127.0.0.1:0", "--store",
                                           "sqlite:a.db", "--templates", "templates"};

  const Finished refused = run(arguments);

  EXPECT_EQ(refused.code, 1);
  EXPECT_EQ(refused.output, "");
  EXPECT_THAT(refused.errors, HasSubstr("semel: templates/shop/b.yaml: line 2: unknown field 'color'"));
  EXPECT_THAT(refused.errors, HasSubstr("semel: templates/shop/c.yaml: its name is 'd'"));
  EXPECT_THAT(refused.errors, Not(HasSubstr("a.yaml:")));
  ServerProcess server(folder_ / "a.db");
  EXPECT_EQ(server.connect().get("/v1/templates/shop/a").status, 404);
}

}  // namespace
}  // namespace semel::test
