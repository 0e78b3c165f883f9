#pragma once
#include <gtest/gtest.h>

#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "server/instance.hpp"
#include "tests/support/http_client.hpp"
#include "tests/support/manual_clock.hpp"
#include "tests/support/temp_dir.hpp"
#include "tests/support/test_keys.hpp"

namespace semel::test {

using domain::State;

/// A whole server in this process on a free port, with a clock that stands and the keys of TestKeys, and what
/// tests do with it through HTTP. Everything but what is said to be otherwise is done on one connection.
class ServerFixture : public testing::Test {
 protected:
  ServerFixture() {
    options_.store.target.place = store_file();
    options_.http.port = 0;
    options_.retry.max_attempts = 1;  // most tests want to see what one attempt does
  }
  void SetUp() override { start(); }
  /// The connection goes first: a server that stops would wait for it.
  void TearDown() override { stop(); }

  void start() {
    if (own_keys_) instance_.emplace(options_, clock_);
    else instance_.emplace(options_, clock_, keys_);
    client_.emplace(instance_->address());
  }
  void stop() {
    client_.reset();
    instance_.reset();
  }
  /// Stops the server, hands over its store, and starts it again.
  void restart(const std::function<void(Store&)>& between = [](Store&) {});
  /// What retention will do: deletes closed executions, which leaves tombstones while identity or id are
  /// held.
  void remove(const std::string& tenant, const std::string& task_uuid);

  std::filesystem::path store_file() const { return folder_ / "semel.db"; }
  server::Instance& instance() { return *instance_; }
  HttpClient connect() { return HttpClient(instance_->address()); }

  /// Keeps the store from taking changes as long as the returned object lives.
  std::shared_ptr<void> stall_commits();

  // ---- requests

  HttpAnswer ask(const HttpRequest& request) { return client_->ask(request); }
  HttpAnswer get(const std::string& key, const std::string& target) { return ask({"GET", target, key}); }
  HttpAnswer post(const std::string& key, const std::string& target, const Json& body) {
    return ask({"POST", target, key, body.dump()});
  }
  HttpAnswer submit(const std::string& key, const Json& submission) { return post(key, "/v1/tasks", submission); }
  /// Submits, expects a new task, and gives its task_uuid.
  std::string create(const std::string& key, const Json& submission);
  /// Registers a template {namespace "shop", version "1.0.0"} + `settings`.
  void put_template(const std::string& name, const Json& settings = Json::object());
  Json task(const std::string& task_uuid) { return get("admin", "/v1/tasks/" + task_uuid).json(); }

  // ---- work

  /// Leases the next task of the queue to a worker; null when there is none.
  Json lease(const std::string& queue, const std::string& key = "admin");
  HttpAnswer complete(const std::string& attempt_id, const Json& body) {
    return post("admin", "/v1/attempts/" + attempt_id + "/complete", body);
  }
  HttpAnswer fail(const std::string& attempt_id) {
    return post("admin", "/v1/attempts/" + attempt_id + "/fail", {{"error", failure}});
  }
  HttpAnswer cancel(const std::string& task_uuid) {
    return post("admin", "/v1/tasks/" + task_uuid + "/cancel", Json::object());
  }
  /// Ends expired leases, makes due tasks ready, flushes counts; returns when that is committed.
  void maintain();
  /// Brings a pending task, the only one of its queue, to the state, by what workers and clients do.
  void bring_to(State state, const std::string& task_uuid, const std::string& queue);

  static inline const Json result = {{"receipt", 17}};
  static inline const Json failure = {{"message", "card declined"}, {"type", "DECLINED"}};

  ManualClock clock_;
  TestKeys keys_;
  TempDir folder_;
  server::InstanceOptions options_;
  bool own_keys_ = false;  // the server's own API keys instead of keys_

 private:
  std::optional<server::Instance> instance_;
  std::optional<HttpClient> client_;
};

inline void ServerFixture::restart(const std::function<void(Store&)>& between) {
  stop();
  {
    store::SqliteStore store(store_file(), clock_);
    between(store);
  }
  start();
}

inline void ServerFixture::remove(const std::string& tenant, const std::string& task_uuid) {
  restart([&](Store& store) {
    const std::vector<Command> commands{Remove{tenant, *domain::ExecutionId::parse(task_uuid)}};
    const Applied applied = store.apply(commands);
    const Removed::Kind kind = std::get<Removed>(applied.outcomes[0]).kind;
    ASSERT_TRUE(kind == Removed::Kind::removed || kind == Removed::Kind::left_tombstone);
  });
}

inline std::string ServerFixture::create(const std::string& key, const Json& submission) {
  const HttpAnswer answer = submit(key, submission);
  EXPECT_EQ(answer.status, 201) << answer.body << "\n  of " << submission;
  return answer.status == 201 ? answer.json()["task_uuid"].get<std::string>() : "";
}

inline void ServerFixture::put_template(const std::string& name, const Json& settings) {
  Json document{{"namespace", "shop"}, {"name", name}, {"version", "1.0.0"}};
  document.update(settings);
  const HttpAnswer answer = ask({"PUT", "/v1/templates", "admin", document.dump()});
  ASSERT_TRUE(answer.status == 201 || answer.status == 200) << answer.body;
}

inline Json ServerFixture::lease(const std::string& queue, const std::string& key) {
  const HttpAnswer answer = post(key, "/v1/worker/poll", {{"worker_id", "w1"}, {"queues", {queue}}});
  EXPECT_EQ(answer.status, 200) << answer.body;
  const Json leases = answer.json().value("leases", Json::array());
  return leases.empty() ? Json() : leases[0];
}

/// A cancellation's answer is given on the thread that commits: while it is being given, nothing is
/// committed.
inline std::shared_ptr<void> ServerFixture::stall_commits() {
  const auto stalled = std::make_shared<std::promise<void>>();
  const auto over = std::make_shared<std::promise<void>>();
  const domain::Principal admin{"acme", "admin", domain::all_permissions};
  instance().engine().cancel(admin, {}, {}, [stalled, over](const Result<CancelAnswer>&) {
    stalled->set_value();
    over->get_future().wait();
  });
  stalled->get_future().wait();
  return {nullptr, [over](void*) { over->set_value(); }};
}

inline void ServerFixture::maintain() {
  std::promise<void> over;
  instance().engine().maintain([&] { over.set_value(); });
  over.get_future().wait();
}

inline void ServerFixture::bring_to(State state, const std::string& task_uuid, const std::string& queue) {
  if (state == State::pending) return;
  if (state == State::cancelled) {
    ASSERT_EQ(cancel(task_uuid).status, 200);
    return;
  }
  const Json leased = lease(queue);
  ASSERT_EQ(leased.value("task_uuid", ""), task_uuid);
  const std::string attempt_id = leased["attempt_id"];
  if (state == State::completed) {
    ASSERT_EQ(complete(attempt_id, {{"result", result}}).status, 200);
  } else if (state == State::failed) {
    ASSERT_EQ(fail(attempt_id).status, 200);
  } else if (state == State::timed_out) {
    clock_.advance(30s);
    maintain();
  }
}

}  // namespace semel::test
