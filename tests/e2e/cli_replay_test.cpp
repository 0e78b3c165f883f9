#include <gmock/gmock.h>

#include "tests/e2e/cli.hpp"
#include "tests/support/places.hpp"

/// `semel workflow replay`: the history is of a workflow that a program has really done, on the store that the server
/// opens after it.
namespace semel::test {
namespace {

using testing::ContainsRegex;
using testing::EndsWith;
using testing::HasSubstr;

class CliReplay : public testing::Test {
 protected:
  CliReplay() {
    const Finished done = run_to_end({places::doomed_worker, store(), "1"});
    EXPECT_EQ(done.code, 0) << done.errors;
    server_.emplace(folder_ / "semel.db");
  }
  std::string store() const { return (folder_ / "semel.db").string(); }
  Finished workflow(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "workflow");
    return run_client(server_->address(), std::move(arguments));
  }
  std::filesystem::path save_history() {
    const Finished history = workflow({"history", "--workflow-id", "five-0", "--json"});
    EXPECT_EQ(history.code, 0) << history.errors;
    write_file(folder_ / "five-0.json", history.output);
    return folder_ / "five-0.json";
  }

  TempDir folder_;
  std::optional<ServerProcess> server_;
};

TEST_F(CliReplay, TheWholeHistoryIsAFileThatSaysWhoseItIs) {
  const Json history = Json::parse(workflow({"history", "--workflow-id", "five-0", "--json"}).output);

  EXPECT_EQ(history["workflow_id"], "five-0");
  EXPECT_EQ(history["kind"], "five_steps");
  EXPECT_EQ(history["input"], 0);
  EXPECT_EQ(history["events"].size(), 18u) << history;
  EXPECT_EQ(history["events"].back()["kind"], "run_completed");
}

TEST_F(CliReplay, AHistoryOfManyPagesIsOneFile) {
  RestClient client = server_->connect();
  const Json started = client.post("/v1/workflows", {{"kind", "idle"}, {"workflow_id", "long"}}).body;
  const std::string id = started["workflow_execution_id"];
  for (int i = 0; i < 1'005; ++i)
    ASSERT_EQ(client.post("/v1/workflows/" + id + "/signal", {{"name", "n"}, {"value", i}}).status, 200);

  const Json history = Json::parse(workflow({"history", id, "--json"}).output);
  const Json page = Json::parse(workflow({"history", id, "--json", "--limit", "10"}).output);

  ASSERT_EQ(history["events"].size(), 1'006u);
  EXPECT_EQ(history["events"].back()["sequence"], 1'006);
  EXPECT_EQ(page["events"].size(), 10u);
}

TEST_F(CliReplay, TheCodeThatMadeAHistoryFitsIt) {
  const Finished fetched = workflow({"replay", "--workflow-id", "five-0", "--with", places::replayer});
  const Finished stored = workflow({"replay", "--history", save_history(), "--with", places::replayer});

  EXPECT_EQ(fetched.code, 0) << fetched.output << fetched.errors;
  EXPECT_THAT(fetched.output, EndsWith("five_steps five-0: fits\n"));
  EXPECT_EQ(stored.code, 0);
  EXPECT_EQ(stored.output, save_history().string() + ": five_steps five-0: fits\n");
}

TEST_F(CliReplay, CodeThatDoesNotFitSaysWhatWasExpectedAndFound) {
  const Finished done = workflow({"replay", "--workflow-id", "five-0", "--with", places::replayer, "changed"});

  EXPECT_EQ(done.code, 1);
  EXPECT_THAT(done.output, HasSubstr("command 1: the history has task 'step', the code asks for task 'another_step'"));
}

TEST_F(CliReplay, WhatCannotBeReplayedIsAnotherExitCode) {
  EXPECT_EQ(workflow({"replay", "--history", "/nowhere.json", "--with", places::replayer}).code, 2);
  EXPECT_EQ(workflow({"replay", "--workflow-id", "five-0"}).code, 2);
  EXPECT_EQ(workflow({"replay", "--with", places::replayer}).code, 2);
  EXPECT_EQ(workflow({"replay", "--workflow-id", "nobody", "--with", places::replayer}).code, 4);
  const Finished missing = workflow({"replay", "--workflow-id", "five-0", "--with", "/no/such/program"});
  EXPECT_EQ(missing.code, 2);
  EXPECT_THAT(missing.errors, ContainsRegex("/no/such/program cannot be run: No such file"));
}

}  // namespace
}  // namespace semel::test
