#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
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

constexpr int rounds = is_sanitized ? 5 : 25;
constexpr int connections = 64;
constexpr int keys_shared = 60;
constexpr std::size_t batch_size = 20;

Json submission_of(const std::string& key) {
  return {{"handler", "charge_card"},
          {"idempotency_key", key},
          {"context", {{"key", key}}},
          {"on_duplicate", "return_existing"}};
}

/// What clients have asked for and been told, over all rounds. Callable from any thread.
class SubmitLedger {
 public:
  void ask(const std::string& key) {
    const std::lock_guard lock(mutex_);
    asked_.insert(key);
  }

  /// A 2xx names the task of a key: always the same one, and created by one answer alone.
  void acknowledge(const std::string& key, int status, const Json& body) {
    const std::lock_guard lock(mutex_);
    const std::string uuid = body.value("task_uuid", "");
    const auto [known, is_new] = acknowledged_.emplace(key, uuid);
    if (known->second != uuid) ADD_FAILURE() << key << " is " << known->second << " and " << uuid;
    if (status == 201 && !created_.insert(key).second) ADD_FAILURE() << key << " was created twice";
    if (status != 200 && status != 201) ADD_FAILURE() << key << ": " << status << " " << body;
  }

  /// Copies, for when the round is over.
  std::map<std::string, std::string> acknowledged() const {
    const std::lock_guard lock(mutex_);
    return acknowledged_;
  }
  std::set<std::string> unacknowledged() const {
    const std::lock_guard lock(mutex_);
    std::set<std::string> left;
    for (const std::string& key : asked_) {
      if (!acknowledged_.contains(key)) left.insert(key);
    }
    return left;
  }
  std::size_t asked_count() const {
    const std::lock_guard lock(mutex_);
    return asked_.size();
  }

 private:
  mutable std::mutex mutex_;  // guards all below
  std::set<std::string> asked_;
  std::set<std::string> created_;
  std::map<std::string, std::string> acknowledged_;  // key → task_uuid
};

/// 64 clients that submit as fast as they can, until one of them kills the server at the n-th
/// acknowledgement.
class Storm {
 public:
  Storm(ServerProcess& server, SubmitLedger& ledger, int round, int acknowledgements_max)
      : server_(server), ledger_(ledger), round_(round), acknowledgements_max_(acknowledgements_max) {}

  void run() {
    std::vector<std::thread> threads;
    for (int i = 0; i < connections; ++i) threads.emplace_back([this, i] { submit_until_killed(i); });
    for (std::thread& thread : threads) thread.join();
    server_.process().signal(SIGKILL);  // it is dead already, unless a client has failed in another way
    EXPECT_EQ(server_.process().wait(), -SIGKILL);
    EXPECT_GE(acknowledgements_, acknowledgements_max_);
  }

 private:
  void submit_until_killed(int client) {
    std::mt19937 random(static_cast<unsigned>(round_ * 1000 + client));
    try {
      RestClient connection = server_.connect();
      for (int i = 0;; ++i) {
        const auto dice = random() % 100;
        const std::string own = fmt::format("r{}-c{}-{}", round_, client, i);
        if (dice < 15) submit_batch(connection, own);
        else if (dice < 35) submit(connection, fmt::format("shared-{}", random() % keys_shared));
        else submit(connection, own);
      }
    } catch (const Json::exception& exception) {
      ADD_FAILURE() << exception.what();
    } catch (const std::runtime_error&) {  // the connection is lost: the server has been killed
    }
  }

  void submit(RestClient& connection, const std::string& key) {
    ledger_.ask(key);
    const Reply reply = connection.post("/v1/tasks", submission_of(key));
    acknowledge(key, reply.status, reply.body);
  }

  /// The last element is the first one once more.
  void submit_batch(RestClient& connection, const std::string& prefix) {
    std::vector<std::string> keys;
    for (std::size_t i = 0; i + 1 < batch_size; ++i) keys.push_back(fmt::format("{}-{}", prefix, i));
    keys.push_back(keys.front());
    Json tasks = Json::array();
    for (const std::string& key : keys) {
      ledger_.ask(key);
      tasks.push_back(submission_of(key));
    }
    const Reply reply = connection.post("/v1/tasks:batch", {{"tasks", tasks}});
    ASSERT_EQ(reply.status, 200) << reply.body;
    for (std::size_t i = 0; i < keys.size(); ++i) {
      const Json& each = reply.body.at("results").at(i);
      acknowledge(keys[i], each.at("status").get<int>(), each.at("body"));
    }
  }

  void acknowledge(const std::string& key, int status, const Json& body) {
    ledger_.acknowledge(key, status, body);
    if (++acknowledgements_ == acknowledgements_max_) server_.process().signal(SIGKILL);
  }

  ServerProcess& server_;
  SubmitLedger& ledger_;
  const int round_;
  const int acknowledgements_max_;
  std::atomic<int> acknowledgements_ = 0;
};

void expect_identities_sound(Database& database) {
  EXPECT_EQ(database.value("PRAGMA integrity_check"), "ok");
  EXPECT_EQ(database.count("SELECT count(*) FROM (SELECT 1 FROM executions WHERE superseded = 0"
                           " GROUP BY tenant_id, hash HAVING count(*) > 1)"),
            0u)
      << "two executions carry one identity";
  EXPECT_EQ(database.count("SELECT count(*) FROM executions WHERE hash IS NULL OR length(hash) <> 32"), 0u)
      << "a task without its identity";
  EXPECT_EQ(database.count("SELECT count(*) FROM identities AS i LEFT JOIN executions AS e ON e.seq = i.seq"
                           " WHERE e.hash IS NOT i.hash"),
            0u)
      << "an identity without its task";
}

std::string by_key(const std::string& key) { return "/v1/tasks/by-key?key=" + key; }

/// Submits all of them again, many at a time; gives each its answer.
void resubmit(RestClient& client, const std::vector<std::string>& keys, const auto& judge) {
  for (std::size_t begin = 0; begin < keys.size(); begin += 500) {
    const std::size_t end = std::min(keys.size(), begin + 500);
    Json tasks = Json::array();
    for (std::size_t i = begin; i < end; ++i) tasks.push_back(submission_of(keys[i]));
    const Reply reply = client.post("/v1/tasks:batch", {{"tasks", tasks}});
    ASSERT_EQ(reply.status, 200) << reply.body;
    for (std::size_t i = begin; i < end; ++i) {
      const Json& each = reply.body.at("results").at(i - begin);
      judge(keys[i], each.at("status").get<int>(), each.at("body"));
    }
  }
}

/// The task of each key, as the file has it: key → uuid.
std::map<std::string, std::string> stored_tasks(Database& database) {
  std::map<std::string, std::string> tasks;
  for (const std::string& row : database.column("SELECT lower(hex(id)) || key FROM executions")) {
    const std::string hex = row.substr(0, 32);
    const std::string uuid = fmt::format("{}-{}-{}-{}-{}", hex.substr(0, 8), hex.substr(8, 4), hex.substr(12, 4),
                                         hex.substr(16, 4), hex.substr(20));
    const bool is_new = tasks.emplace(row.substr(32), uuid).second;
    EXPECT_TRUE(is_new) << row.substr(32) << " has two tasks";
  }
  return tasks;
}

/// Every task that was acknowledged, in this round or before, is there; those of this round are asked for by
/// key and submitted again, and meet themselves.
void expect_acknowledged_is_kept(RestClient& client, const std::map<std::string, std::string>& stored,
                                 const std::map<std::string, std::string>& acknowledged,
                                 const std::string& this_round) {
  std::vector<std::string> keys;
  for (const auto& [key, uuid] : acknowledged) {
    const auto found = stored.find(key);
    EXPECT_TRUE(found != stored.end() && found->second == uuid) << key << " was acknowledged as " << uuid;
    if (!key.starts_with(this_round) && !key.starts_with("shared")) continue;
    keys.push_back(key);
    const Reply by_its_key = client.get(by_key(key));
    EXPECT_EQ(by_its_key.status, 200) << key;
    EXPECT_EQ(by_its_key.body.value("task_uuid", ""), uuid) << key;
    EXPECT_TRUE(by_its_key.body.value("held", false)) << key;
  }
  resubmit(client, keys, [&](const std::string& key, int status, const Json& body) {
    EXPECT_EQ(status, 200) << key << " " << body;
    EXPECT_EQ(body.value("task_uuid", ""), acknowledged.at(key));
  });
}

/// What was not acknowledged is there with row and identity, or with neither; asking again brings it into
/// being.
void expect_the_rest_is_whole_or_absent(RestClient& client, const std::map<std::string, std::string>& stored,
                                        SubmitLedger& ledger) {
  const std::set<std::string> asked = ledger.unacknowledged();
  for (const std::string& key : asked) {
    EXPECT_EQ(client.get(by_key(key)).status, stored.contains(key) ? 200 : 404) << key;
  }
  resubmit(client, {asked.begin(), asked.end()}, [&](const std::string& key, int status, const Json& body) {
    EXPECT_EQ(status, stored.contains(key) ? 200 : 201) << key << " " << body;
    ledger.acknowledge(key, status, body);
  });
}

TEST(KilledServer, HasLostNothingThatItAcknowledgedAndHasMadeNothingTwice) {
  TempDir folder;
  const std::filesystem::path file = folder / "killed.db";
  SubmitLedger ledger;
  std::mt19937 random(20260120);
  auto server = std::make_unique<ServerProcess>(file);
  for (int round = 1; round <= rounds && !testing::Test::HasFailure(); ++round) {
    const int acknowledgements_max = 1 + static_cast<int>(random() % 1500);
    SCOPED_TRACE(fmt::format("round {}, killed at acknowledgement {}", round, acknowledgements_max));

    Storm(*server, ledger, round, acknowledgements_max).run();
    server = std::make_unique<ServerProcess>(file);

    RestClient client = server->connect();
    Database database(file);
    expect_identities_sound(database);
    const std::map<std::string, std::string> stored = stored_tasks(database);
    expect_acknowledged_is_kept(client, stored, ledger.acknowledged(), fmt::format("r{}-", round));
    expect_the_rest_is_whole_or_absent(client, stored, ledger);
  }
  {
    RestClient client = server->connect();
    Database database(file);
    expect_acknowledged_is_kept(client, stored_tasks(database), ledger.acknowledged(), "r");
  }

  EXPECT_EQ(server->stop(), 0);
  Database database(file);
  expect_identities_sound(database);
  EXPECT_EQ(database.count("SELECT count(*) FROM executions"), ledger.asked_count());
}

}  // namespace
}  // namespace semel::test
