#include <gmock/gmock.h>

#include "tests/e2e/cli.hpp"
#include "tests/support/postgres_database.hpp"
#include "tests/support/redis_server.hpp"

/// The dedup cache as an operator meets it: the real binary with its flags.
namespace semel::test {
namespace {

using testing::HasSubstr;
using testing::Not;

class CliDedupCache : public testing::Test {
 protected:
  PostgresDatabase database_;
  RedisServer redis_;
};

TEST_F(CliDedupCache, IsUsedByAServerThatIsToldOfIt) {
  const ServerProcess server(StoreUrl{database_.url()}, {"--dedup-cache", redis_.url(), "--log-level", "warn"});
  RestClient client = server.connect();
  const Json task{{"handler", "a"}, {"idempotency_key", "k"}, {"on_duplicate", "return_existing"}};
  ASSERT_EQ(client.post("/v1/tasks", task).status, 201);
  const Json leases = client.post("/v1/worker/poll", {{"worker_id", "w"}, {"queues", {"default"}}}).body["leases"];
  client.post("/v1/attempts/" + leases[0]["attempt_id"].get<std::string>() + "/complete", {{"result", 17}});

  while (redis_.keys().empty()) ASSERT_EQ(client.post("/v1/tasks", task).body["result"], 17);

  EXPECT_THAT(redis_.keys().at(0), testing::StartsWith("semel:dedup:"));
  EXPECT_EQ(client.post("/v1/tasks", task).body["result"], 17);
}

TEST_F(CliDedupCache, StartsWithoutItAndSaysSo) {
  redis_.kill();

  ServerProcess server(StoreUrl{database_.url()}, {"--dedup-cache", redis_.url()});
  RestClient client = server.connect();

  EXPECT_EQ(client.post("/v1/tasks", {{"handler", "a"}, {"idempotency_key", "k"}}).status, 201);
  while (server.process().errors().find("the dedup cache is left alone") == std::string::npos)
    ASSERT_EQ(client.post("/v1/tasks", {{"handler", "a"}, {"idempotency_key", "k"}}).status, 409);
  EXPECT_EQ(server.stop(), 0);
}

TEST_F(CliDedupCache, IsRefusedBesideAFile) {
  const TempDir folder;
  const std::string file = "sqlite:" + (folder / "semel.db").string();

  const Finished done = run_semel({"server", "--store", file, "--dedup-cache", redis_.url()});

  EXPECT_NE(done.code, 0);
  EXPECT_THAT(done.errors, HasSubstr("dedup_cache is for servers on PostgreSQL"));
}

TEST_F(CliDedupCache, IsLookedAtByTheDoctor) {
  const Finished well = run_semel({"doctor", "--dedup-cache", redis_.url()});
  redis_.kill();
  const Finished ill = run_semel({"doctor", "--dedup-cache", redis_.url()});
  const Finished wrong = run_semel({"doctor", "--dedup-cache", "redis://:s3cret@"});

  EXPECT_EQ(well.code, 0) << well.output;
  EXPECT_THAT(well.output, HasSubstr("answers, Redis"));
  EXPECT_EQ(ill.code, 1);
  EXPECT_THAT(ill.output, HasSubstr("servers ask PostgreSQL meanwhile"));
  EXPECT_NE(wrong.code, 0);
  EXPECT_THAT(wrong.errors, Not(HasSubstr("s3cret")));
}

TEST_F(CliDedupCache, IsMeasuredByTheBenchmark) {
  const Finished done = run_semel({"bench", "duplicates", "--store", database_.url(), "--dedup-cache", redis_.url(),
                                   "--seconds", "0.5", "--in-flight", "8", "--json"});

  EXPECT_EQ(done.code, 0) << done.errors;
  const Json report = Json::parse(done.output, nullptr, false);
  EXPECT_EQ(report["refused"], 0);
  EXPECT_GT(report["tasks"].get<int>(), 0);
}

}  // namespace
}  // namespace semel::test
