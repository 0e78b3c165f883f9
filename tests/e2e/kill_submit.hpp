#pragma once
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <random>
#include <set>
#include <thread>

#include "tests/e2e/server_process.hpp"

/// A server is killed while 64 clients submit, over and over: what was acknowledged is there, and nothing is there
/// twice.
namespace semel::test {

inline constexpr int kill_connections = 64;
inline constexpr int kill_keys_shared = 60;
inline constexpr std::size_t kill_batch_size = 20;

inline Json submission_of(const std::string& key) {
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
    for (int i = 0; i < kill_connections; ++i) threads.emplace_back([this, i] { submit_until_killed(i); });
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
        else if (dice < 35) submit(connection, fmt::format("shared-{}", random() % kill_keys_shared));
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
    for (std::size_t i = 0; i + 1 < kill_batch_size; ++i) keys.push_back(fmt::format("{}-{}", prefix, i));
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

/// The store that outlives the servers.
class KilledStore {
 public:
  virtual ~KilledStore() = default;
  virtual std::unique_ptr<ServerProcess> start() const = 0;
  virtual void expect_sound() const = 0;
  /// The task of each key, as the store itself has it: key → uuid.
  virtual std::map<std::string, std::string> stored() const = 0;
};

inline std::string by_key(const std::string& key) { return "/v1/tasks/by-key?key=" + key; }

/// Submits all of them again, many at a time; gives each its answer.
inline void resubmit(RestClient& client, const std::vector<std::string>& keys, const auto& judge) {
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

/// Every task that was acknowledged, in this round or before, is there; those of this round are asked for by
/// key and submitted again, and meet themselves.
inline void expect_acknowledged_is_kept(RestClient& client, const std::map<std::string, std::string>& stored,
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
inline void expect_the_rest_is_whole_or_absent(RestClient& client, const std::map<std::string, std::string>& stored,
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

inline void expect_nothing_lost_in(const KilledStore& store, int rounds, unsigned seed) {
  SubmitLedger ledger;
  std::mt19937 random(seed);
  auto server = store.start();
  for (int round = 1; round <= rounds && !testing::Test::HasFailure(); ++round) {
    const int acknowledgements_max = 1 + static_cast<int>(random() % 1500);
    SCOPED_TRACE(fmt::format("seed {}, round {}, killed at acknowledgement {}", seed, round, acknowledgements_max));

    Storm(*server, ledger, round, acknowledgements_max).run();
    server = store.start();

    RestClient client = server->connect();
    store.expect_sound();
    const std::map<std::string, std::string> stored = store.stored();
    expect_acknowledged_is_kept(client, stored, ledger.acknowledged(), fmt::format("r{}-", round));
    expect_the_rest_is_whole_or_absent(client, stored, ledger);
  }
  {
    RestClient client = server->connect();
    expect_acknowledged_is_kept(client, store.stored(), ledger.acknowledged(), "r");
  }

  EXPECT_EQ(server->stop(), 0);
  store.expect_sound();
  EXPECT_EQ(store.stored().size(), ledger.asked_count());
}

}  // namespace semel::test
