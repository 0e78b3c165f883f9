#include <fmt/format.h>
#include <gtest/gtest.h>

#include <atomic>
#include <map>
#include <thread>

#include "tests/e2e/chaos.hpp"
#include "tests/support/http_herd.hpp"
#include "tests/support/postgres_database.hpp"
#include "tests/support/sanitized.hpp"

/// Three servers on one PostgreSQL: it must not matter which of them is asked, or which of them dies.
namespace semel::test {
namespace {

std::size_t count_of(const PostgresDatabase& database, const std::string& query) {
  return std::stoul(database.open()->execute("SELECT count(*) AS n FROM " + query).text(0, "n"));
}

class Fleet : public testing::Test {
 protected:
  Fleet() {
    for (std::size_t i = 0; i < 3; ++i) servers_.push_back(make());
  }

  std::unique_ptr<ServerProcess> make() const {
    return std::make_unique<ServerProcess>(StoreUrl{database_.url()}, std::vector<std::string>{"--log-level", "warn"});
  }
  void kill(std::size_t number) {
    servers_[number]->process().signal(SIGKILL);
    servers_[number]->process().wait();
  }
  RestClient client(std::size_t number) const { return servers_[number]->connect(); }

  static Json task_of(const std::string& queue, Json more = Json::object()) {
    Json task{{"handler", "a"}, {"queue", queue}, {"max_attempts", 1}};
    task.update(more);
    return task;
  }
  void put_queue(const std::string& name, const Json& settings) const {
    const HttpAnswer put =
        client(0).raw().ask({.method = "PUT", .target = "/v1/queues/" + name, .body = settings.dump()});
    EXPECT_LT(put.status, 300) << put.body;
  }
  std::string create(std::size_t number, const Json& task) const {
    const Reply reply = client(number).post("/v1/tasks", task);
    EXPECT_EQ(reply.status, 201) << reply.body;
    return reply.body.value("task_uuid", "");
  }
  Json lease(std::size_t number, const std::string& queue, int wait_ms = 30'000, int lease_ms = 30'000) const {
    const Json poll{{"worker_id", "w"}, {"queues", {queue}}, {"max", 1}, {"wait_ms", wait_ms}, {"lease_ms", lease_ms}};
    return client(number).post("/v1/worker/poll", poll).body["leases"];
  }

  PostgresDatabase database_;
  std::vector<std::unique_ptr<ServerProcess>> servers_;
};

TEST_F(Fleet, CreatesOneTaskHoweverManyAskAllServersAtOnce) {
  const std::size_t each = is_sanitized ? 30 : 334;
  std::vector<std::unique_ptr<HttpHerd>> herds;
  for (const auto& server : servers_) herds.push_back(std::make_unique<HttpHerd>(server->address(), each));

  for (int round = 0; round < 20; ++round) {
    const Json task = task_of("herd", {{"idempotency_key", fmt::format("round-{}", round)}});
    const std::vector<HttpRequest> requests{{.method = "POST", .target = "/v1/tasks", .body = task.dump()}};
    for (const auto& herd : herds) herd->send_all(requests);
    std::map<int, std::size_t> statuses;
    for (const auto& herd : herds) {
      for (const HttpAnswer& answer : herd->read_all()) ++statuses[answer.status];
    }
    EXPECT_EQ(statuses, (std::map<int, std::size_t>{{201, 1}, {409, 3 * each - 1}}));
  }

  EXPECT_EQ(count_of(database_, "executions"), 20u);
  EXPECT_EQ(count_of(database_, "identities"), 20u);
}

TEST_F(Fleet, WakesAWorkerOfAnotherServer) {
  RestClient worker = client(0);
  const Json poll{{"worker_id", "w"}, {"queues", {"q"}}, {"max", 1}, {"wait_ms", 60'000}};
  worker.raw().send({.method = "POST", .target = "/v1/worker/poll", .body = poll.dump()});

  const std::string id = create(1, task_of("q"));

  const Json leases = worker.raw().read().json()["leases"];
  ASSERT_EQ(leases.size(), 1u);
  EXPECT_EQ(leases[0]["task_uuid"], id);
}

TEST_F(Fleet, AnswersWhoWaitsAtAnotherServer) {
  const std::string id = create(0, task_of("q"));
  RestClient waiting = client(2);
  waiting.raw().send({.target = "/v1/tasks/" + id + "/result?wait=60s"});

  const Json leases = lease(1, "q");
  ASSERT_EQ(leases.size(), 1u);
  const std::string attempt = leases[0]["attempt_id"];
  EXPECT_EQ(client(0).post("/v1/attempts/" + attempt + "/complete", {{"result", 17}}).status, 200);

  const HttpAnswer answer = waiting.raw().read();
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.json()["result"], 17);
}

TEST_F(Fleet, AnswersWhoWaitsAtAnotherServerAlsoWhereNothingIsKept) {
  put_queue("brief", {{"retention", "0"}});
  const std::string id = create(0, task_of("brief"));
  RestClient waiting = client(2);
  waiting.raw().send({.target = "/v1/tasks/" + id + "/result?wait=60s"});

  const Json leases = lease(1, "brief");
  ASSERT_EQ(leases.size(), 1u);
  const std::string attempt = leases[0]["attempt_id"];
  EXPECT_EQ(client(1).post("/v1/attempts/" + attempt + "/complete", {{"result", 17}}).status, 200);

  const HttpAnswer answer = waiting.raw().read();
  EXPECT_EQ(answer.status, 200) << answer.body;
  EXPECT_EQ(answer.json()["result"], 17);
  EXPECT_EQ(client(0).get("/v1/tasks/" + id).status, 404);
}

/// By the database's clock, which has stamped each attempt: over no time, short or long, do the servers together begin
/// more than the limit allows. How near to it they come depends on the machine, and is only told.
TEST_F(Fleet, ARateLimitHoldsForAllServersTogether) {
  constexpr int tasks = 240;
  constexpr double per_ms = 0.12;  // 120/sec
  put_queue("slow", {{"rate_limit", "120/sec"}});
  for (int i = 0; i < tasks; ++i) create(static_cast<std::size_t>(i % 3), task_of("slow"));
  std::atomic<int> left = tasks;
  std::vector<std::thread> workers;
  for (std::size_t number = 0; number < 3; ++number) {
    workers.emplace_back([&, number] {
      while (left > 0) {
        const Json poll{{"worker_id", fmt::format("w{}", number)}, {"queues", {"slow"}}, {"max", 20}, {"wait_ms", 500}};
        const Json leases = client(number).post("/v1/worker/poll", poll).body["leases"];
        left -= static_cast<int>(leases.size());
      }
    });
  }
  for (std::thread& worker : workers) worker.join();

  std::vector<double> begun;
  const auto rows = database_.open()->execute("SELECT started_at FROM attempts ORDER BY started_at");
  for (int row = 0; row < rows.count(); ++row) begun.push_back(std::stod(rows.text(row, "started_at")));
  ASSERT_EQ(begun.size(), static_cast<std::size_t>(tasks));
  constexpr double burst = 12;  // a tenth of a second
  for (std::size_t i = 0; i < begun.size(); ++i) {
    for (std::size_t j = i; j < begun.size(); ++j) {
      EXPECT_LE(static_cast<double>(j - i + 1), burst + (begun[j] - begun[i]) * per_ms + 1) << i << " to " << j;
    }
  }
  RecordProperty("begun_of_what_the_limit_allows",
                 fmt::format("{:.3f}", (tasks - burst) / ((begun.back() - begun.front()) * per_ms)));
}

TEST_F(Fleet, KnowsATemplateThatAnotherServerWasGiven) {
  const Json document{{"namespace", "shop"}, {"name", "charge"}, {"version", "1.0.0"}};
  for (int i = 0; i < 10; ++i) {
    Json next = document;
    next["name"] = fmt::format("charge-{}", i);
    const HttpAnswer put = client(0).raw().ask({.method = "PUT", .target = "/v1/templates", .body = next.dump()});
    ASSERT_LT(put.status, 300) << put.body;
    EXPECT_EQ(client(1).post("/v1/tasks", {{"namespace", "shop"}, {"name", next["name"]}}).status, 201);
  }
}

TEST_F(Fleet, EndsLeasesAlsoWhenTheServerThatDidItHasDied) {
  const std::string id = create(2, task_of("q"));
  ASSERT_EQ(lease(2, "q", 0, 1'000).size(), 1u);

  kill(0);
  kill(1);

  const Reply reply = client(2).get("/v1/tasks/" + id + "/result?wait=60s");
  EXPECT_EQ(reply.status, 200);
  EXPECT_EQ(reply.body["status"], "timed_out");
}

TEST_F(Fleet, FiresAScheduleOnce) {
  const std::string now = database_.open()
                              ->execute(
                                  "SELECT to_char(to_timestamp(now_ms() / 1000 + 2) AT TIME ZONE 'UTC',"
                                  " 'YYYY-MM-DD\"T\"HH24:MI:SS\"Z\"') AS t")
                              .text(0, "t");
  const Json schedule{{"at", now}, {"task", task_of("timed")}};
  const HttpAnswer put =
      client(1).raw().ask({.method = "PUT", .target = "/v1/schedules/once", .body = schedule.dump()});
  ASSERT_LT(put.status, 300) << put.body;

  EXPECT_EQ(lease(2, "timed").size(), 1u);

  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(servers_[i]->stop(), 0);
  EXPECT_EQ(count_of(database_, "executions"), 1u);
  EXPECT_EQ(count_of(database_, "schedules WHERE submitted = 1"), 1u);
}

void expect_all_done_once_in(const PostgresDatabase& database, const ChaosRun& chaos) {
  EXPECT_EQ(count_of(database, "executions"), chaos.tasks());
  EXPECT_EQ(count_of(database, "executions WHERE state <> 3"), 0u) << "a task is not completed";
  EXPECT_EQ(count_of(database,
                     "(SELECT 1 FROM attempts WHERE outcome = 1 GROUP BY tenant, execution_id"
                     " HAVING count(*) > 1) twice"),
            0u)
      << "a task was completed twice";
  EXPECT_EQ(count_of(database,
                     "executions e WHERE NOT EXISTS (SELECT 1 FROM attempts a WHERE a.execution_id = e.id"
                     " AND a.outcome = 1 AND a.number = e.attempt"
                     " AND a.id::text = e.result::json ->> 'attempt')"),
            0u)
      << "a result is not that of the last attempt";
  const auto completed = database.open()->execute("SELECT id::text AS id FROM attempts WHERE outcome = 1");
  std::set<std::string> known;
  for (int row = 0; row < completed.count(); ++row) known.insert(completed.text(row, "id"));
  for (const std::string& attempt : chaos.accepted()) {
    EXPECT_TRUE(known.contains(attempt)) << "the result of " << attempt << " was accepted, and did not count";
  }
  EXPECT_GT(count_of(database, "attempts WHERE outcome <> 1"), 0u);  // there was some chaos
}

void expect_every_task_completes_once_on_postgres(int tasks, int kills) {
  const PostgresDatabase database;
  ChaosRun chaos(tasks, kills, 3, [&] { return std::make_unique<ServerProcess>(StoreUrl{database.url()}); });

  chaos.run();

  expect_all_done_once_in(database, chaos);
}

TEST(FleetChaos, EveryTaskCompletesOnceWhoeverIsKilled) {
  expect_every_task_completes_once_on_postgres(is_sanitized ? 300 : 2'000, is_sanitized ? 10 : 40);
}

TEST(FleetChaosLong, EveryTaskCompletesOnceWhoeverIsKilled) {
  expect_every_task_completes_once_on_postgres(20'000, 400);
}

}  // namespace
}  // namespace semel::test
