#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "tests/e2e/server_process.hpp"
#include "tests/support/database.hpp"
#include "tests/support/temp_dir.hpp"

namespace semel::test {
namespace {

using testing::HasSubstr;

std::uintmax_t size_or_zero(const std::filesystem::path& file) {
  std::error_code error;
  const std::uintmax_t size = std::filesystem::file_size(file, error);
  return error ? 0 : size;
}

/// A graceful stop, by either signal.
class Stop : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Signals, Stop, testing::Values(SIGTERM, SIGINT),
                         [](const auto& info) { return info.param == SIGTERM ? "SIGTERM" : "SIGINT"; });

TEST_P(Stop, EndsWithZeroAndLeavesEverythingInTheOneFile) {
  TempDir folder;
  const std::filesystem::path file = folder / "stopped.db";
  ServerProcess server(file);
  RestClient client = server.connect();
  for (int i = 0; i < 20; ++i) ASSERT_EQ(client.post("/v1/tasks", {{"handler", "h"}}).status, 201);

  EXPECT_EQ(server.stop(GetParam()), 0);

  EXPECT_EQ(size_or_zero(file.string() + "-wal"), 0u);
  EXPECT_EQ(Database(file).count("SELECT count(*) FROM executions"), 20u);
}

TEST_P(Stop, AnswersWhoeverWaits) {
  TempDir folder;
  ServerProcess server(folder / "stopped.db");
  RestClient client = server.connect();
  const std::string task = client.post("/v1/tasks", {{"handler", "h"}, {"queue", "q"}}).body.at("task_uuid");
  const Json poll{{"worker_id", "w"}, {"queues", {"empty"}}, {"wait_ms", 60'000}};
  RestClient polls = server.connect();
  RestClient waits = server.connect();
  RestClient submits = server.connect();
  polls.raw().send({.method = "POST", .target = "/v1/worker/poll", .body = poll.dump()});
  waits.raw().send({.target = "/v1/tasks/" + task + "/result?wait=60s"});
  const Json with_wait{{"handler", "waited"}, {"queue", "q"}, {"wait", "60s"}};
  submits.raw().send({.method = "POST", .target = "/v1/tasks", .body = with_wait.dump()});
  // The task is leased to us only after it was submitted: then its submitter waits. One worker is enough to
  // know.
  const Json lease{{"worker_id", "w"}, {"queues", {"q"}}, {"handlers", {"waited"}}, {"wait_ms", 60'000}};
  ASSERT_EQ(client.post("/v1/worker/poll", lease).body.at("leases").size(), 1u);

  EXPECT_EQ(server.stop(GetParam()), 0);

  const HttpAnswer polled = polls.raw().read();
  EXPECT_EQ(polled.status, 200);
  EXPECT_EQ(polled.json(), Json::parse(R"({"leases":[]})"));
  const HttpAnswer waited = waits.raw().read();
  EXPECT_EQ(waited.status, 202);
  EXPECT_EQ(waited.json(), Json::parse(R"({"status":"pending"})"));
  const HttpAnswer submitted = submits.raw().read();
  EXPECT_EQ(submitted.status, 201);
  EXPECT_EQ(submitted.json().value("status", ""), "running");
}

TEST_P(Stop, KeepsLeasesForTheNextStart) {
  TempDir folder;
  auto server = std::make_unique<ServerProcess>(folder / "stopped.db");
  server->connect().post("/v1/tasks", {{"handler", "h"}, {"idempotency_key", "k"}});
  const Json poll{{"worker_id", "w"}, {"queues", {"default"}}};
  const std::string attempt = server->connect().post("/v1/worker/poll", poll).body.at("leases").at(0).at("attempt_id");

  EXPECT_EQ(server->stop(GetParam()), 0);
  server = std::make_unique<ServerProcess>(folder / "stopped.db");

  RestClient client = server->connect();
  EXPECT_EQ(client.post("/v1/worker/poll", poll).body.at("leases").size(), 0u);
  EXPECT_EQ(client.post("/v1/attempts/" + attempt + "/complete", {{"result", 7}}).status, 200);
  EXPECT_EQ(client.get("/v1/tasks/by-key?key=k").body.value("result", 0), 7);
}

TEST(Log, IsOneJsonObjectALineWhenAsked) {
  TempDir folder;
  ServerProcess server(folder / "logged.db", {"--log-format", "json", "--log-level", "debug"});
  server.connect().post("/v1/tasks", {{"handler", "h"}});

  EXPECT_EQ(server.stop(), 0);

  std::istringstream lines(server.process().errors());
  int count = 0;
  for (std::string line; std::getline(lines, line); ++count) {
    const Json parsed = Json::parse(line, nullptr, false);
    EXPECT_TRUE(parsed.is_object()) << line;
    for (const char* member : {"time", "level", "message"}) EXPECT_TRUE(parsed.contains(member)) << line;
  }
  EXPECT_GE(count, 2);
}

TEST(Log, TellsInTextThatItStopsAndIsSilentWhenOff) {
  TempDir folder;
  ServerProcess loud(folder / "loud.db");
  ServerProcess silent(folder / "silent.db", {"--log-level", "off"});

  EXPECT_EQ(loud.stop(SIGINT), 0);
  EXPECT_EQ(silent.stop(SIGINT), 0);

  EXPECT_THAT(loud.process().errors(), HasSubstr("stopping on signal 2"));
  EXPECT_THAT(loud.process().errors(), HasSubstr("stopped; everything acknowledged is in the store"));
  EXPECT_EQ(silent.process().errors(), "");
}

}  // namespace
}  // namespace semel::test
