#include <fmt/format.h>
#include <gtest/gtest.h>

#include <atomic>
#include <map>
#include <mutex>
#include <random>
#include <set>
#include <thread>

#include "tests/e2e/server_process.hpp"
#include "tests/support/database.hpp"
#include "tests/support/sanitized.hpp"
#include "tests/support/temp_dir.hpp"

namespace semel::test {
namespace {

constexpr int rush_rounds = is_sanitized ? 3 : 10;
constexpr int workers = 32;
constexpr int tasks_a_round = 2'000;
constexpr int lease_ms = 3'600'000;  // no lease ends during the test

Json result_of(const std::string& attempt_id) { return {{"by", attempt_id}}; }

/// What workers were given and what they were told, over all rounds. Callable from any thread.
class WorkLedger {
 public:
  /// A task is leased once: there is one attempt, and its lease does not end here.
  void lease(const std::string& attempt_id, const std::string& task_uuid) {
    const std::lock_guard lock(mutex_);
    const bool is_new = attempt_of_.emplace(task_uuid, attempt_id).second;
    if (!is_new) ADD_FAILURE() << task_uuid << " was leased twice";
  }
  void completed(const std::string& task_uuid) {
    const std::lock_guard lock(mutex_);
    completed_.insert(task_uuid);
  }

  // For when the round is over.
  const std::map<std::string, std::string>& leases() const { return attempt_of_; }
  bool is_completed(const std::string& task_uuid) const { return completed_.contains(task_uuid); }

 private:
  std::mutex mutex_;  // guards all below
  std::map<std::string, std::string> attempt_of_;
  std::set<std::string> completed_;
};

Json poll_body(int max) { return {{"worker_id", "w"}, {"queues", {"default"}}, {"max", max}, {"lease_ms", lease_ms}}; }

/// Workers that claim and complete as fast as they can, until one of them kills the server at the n-th
/// completion.
class Rush {
 public:
  Rush(ServerProcess& server, WorkLedger& ledger, int round, int completions_max)
      : server_(server), ledger_(ledger), round_(round), completions_max_(completions_max) {}

  void run() {
    std::vector<std::thread> threads;
    for (int i = 0; i < workers; ++i) threads.emplace_back([this, i] { work_until_killed(i); });
    for (std::thread& thread : threads) thread.join();
    server_.process().signal(SIGKILL);  // it is dead already, unless a worker has failed in another way
    EXPECT_EQ(server_.process().wait(), -SIGKILL);
    EXPECT_GE(completions_, completions_max_);
  }

 private:
  void work_until_killed(int worker) {
    std::mt19937 random(static_cast<unsigned>(round_ * 1000 + worker));
    try {
      RestClient connection = server_.connect();
      while (true) {
        const Reply polled = connection.post("/v1/worker/poll", poll_body(1 + static_cast<int>(random() % 8)));
        const Json& leases = polled.body.at("leases");
        for (const Json& lease : leases) ledger_.lease(lease.at("attempt_id"), lease.at("task_uuid"));
        if (leases.empty()) return;
        if (leases.size() > 4) complete_together(connection, leases);
        else complete_each(connection, leases);
      }
    } catch (const Json::exception& exception) {
      ADD_FAILURE() << exception.what();
    } catch (const std::runtime_error&) {  // the connection is lost: the server has been killed
    }
  }

  void complete_each(RestClient& connection, const Json& leases) {
    for (const Json& lease : leases) {
      const std::string attempt = lease.at("attempt_id");
      const Reply reply = connection.post("/v1/attempts/" + attempt + "/complete", {{"result", result_of(attempt)}});
      completed(lease, reply.status, reply.body);
    }
  }

  void complete_together(RestClient& connection, const Json& leases) {
    Json outcomes = Json::array();
    for (const Json& lease : leases) {
      const std::string attempt = lease.at("attempt_id");
      outcomes.push_back({{"attempt_id", attempt}, {"complete", {{"result", result_of(attempt)}}}});
    }
    const Reply reply = connection.post("/v1/attempts:batch", {{"outcomes", outcomes}});
    for (std::size_t i = 0; i < leases.size(); ++i) {
      const Json& each = reply.body.at("results").at(i);
      completed(leases[i], each.at("status").get<int>(), each.at("body"));
    }
  }

  void completed(const Json& lease, int status, const Json& body) {
    EXPECT_EQ(status, 200) << body;
    EXPECT_EQ(body.value("status", ""), "completed") << body;
    ledger_.completed(lease.at("task_uuid"));
    if (++completions_ == completions_max_) server_.process().signal(SIGKILL);
  }

  ServerProcess& server_;
  WorkLedger& ledger_;
  const int round_;
  const int completions_max_;
  std::atomic<int> completions_ = 0;
};

void submit_tasks(RestClient& client, int round) {
  for (int begin = 0; begin < tasks_a_round; begin += 500) {
    Json tasks = Json::array();
    for (int i = begin; i < begin + 500; ++i) {
      tasks.push_back({{"handler", "h"}, {"idempotency_key", fmt::format("r{}-{}", round, i)}});
    }
    const Reply reply = client.post("/v1/tasks:batch", {{"tasks", tasks}});
    for (const Json& each : reply.body.at("results")) ASSERT_EQ(each.at("status"), 201) << each;
  }
}

/// What was said to be completed is, with the result of the attempt that was told so.
void expect_completions_are_kept(RestClient& client, const WorkLedger& ledger) {
  for (const auto& [task_uuid, attempt_id] : ledger.leases()) {
    if (!ledger.is_completed(task_uuid)) continue;
    const Reply found = client.get("/v1/tasks/" + task_uuid + "/result");
    EXPECT_EQ(found.status, 200) << task_uuid;
    EXPECT_EQ(found.body.value("status", ""), "completed") << task_uuid;
    EXPECT_EQ(found.body.value("result", Json()), result_of(attempt_id)) << task_uuid;
  }
}

/// A lease outlives the crash: its worker can still complete, and is told so if the lost answer had been a
/// yes.
void finish_open_leases(RestClient& client, WorkLedger& ledger) {
  for (const auto& [task_uuid, attempt_id] : ledger.leases()) {
    if (ledger.is_completed(task_uuid)) continue;
    const bool was_open = client.get("/v1/tasks/" + task_uuid + "/result").status == 202;
    const Reply reply = client.post("/v1/attempts/" + attempt_id + "/complete", {{"result", result_of(attempt_id)}});
    EXPECT_EQ(reply.status, 200) << reply.body;
    EXPECT_EQ(reply.body.value("already_recorded", false), !was_open) << reply.body;
    ledger.completed(task_uuid);
  }
}

void expect_attempts_sound(Database& database) {
  EXPECT_EQ(database.value("PRAGMA integrity_check"), "ok");
  EXPECT_EQ(database.count("SELECT count(*) FROM (SELECT 1 FROM attempts GROUP BY seq HAVING count(*) > 1)"), 0u)
      << "a task has two attempts";
  // 0 pending, 1 running, 3 completed: the numbers of domain::State; an attempt's outcome 0 is running, 1
  // completed.
  EXPECT_EQ(database.count("SELECT count(*) FROM executions AS e LEFT JOIN attempts AS a ON a.seq = e.seq WHERE NOT ("
                           "(e.state = 0 AND a.id IS NULL AND e.closed_at IS NULL) OR"
                           "(e.state = 1 AND a.outcome = 0 AND e.closed_at IS NULL) OR"
                           "(e.state = 3 AND a.outcome = 1 AND e.closed_at IS NOT NULL AND e.result IS NOT NULL))"),
            0u)
      << "a task and its attempt contradict each other";
}

TEST(KilledServer, KeepsCompletionsAndLeasesAndGivesNoLeaseTwice) {
  TempDir folder;
  const std::filesystem::path file = folder / "killed.db";
  WorkLedger ledger;
  std::mt19937 random(20260121);
  auto server = std::make_unique<ServerProcess>(file);
  for (int round = 1; round <= rush_rounds && !testing::Test::HasFailure(); ++round) {
    const int completions_max = 1 + static_cast<int>(random() % (tasks_a_round / 2));
    SCOPED_TRACE(fmt::format("round {}, killed at completion {}", round, completions_max));
    {
      RestClient client = server->connect();
      submit_tasks(client, round);
    }

    Rush(*server, ledger, round, completions_max).run();
    server = std::make_unique<ServerProcess>(file);

    RestClient client = server->connect();
    Database database(file);
    expect_attempts_sound(database);
    expect_completions_are_kept(client, ledger);
    finish_open_leases(client, ledger);
  }

  EXPECT_EQ(server->stop(), 0);
  Database database(file);
  expect_attempts_sound(database);
}

}  // namespace
}  // namespace semel::test
