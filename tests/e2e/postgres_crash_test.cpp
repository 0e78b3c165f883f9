#include <fmt/format.h>
#include <gtest/gtest.h>
#include <poll.h>

#include <condition_variable>
#include <mutex>
#include <thread>

#include "tests/e2e/server_process.hpp"
#include "tests/support/postgres_server.hpp"
#include "tests/support/postgres_session.hpp"
#include "tests/support/sanitized.hpp"

/// PostgreSQL dies while tasks are submitted: what was acknowledged is there, and nothing is there twice.
namespace semel::test {
namespace {

constexpr int submitters = 4;

/// Submits numbered keys, each until it is answered with a task, and remembers what was acknowledged.
class Submitters {
 public:
  Submitters(std::vector<std::string> addresses, int keys_each)
      : addresses_(std::move(addresses)), keys_each_(keys_each) {
    for (int i = 0; i < submitters; ++i) threads_.emplace_back([this, i] { submit_all(i); });
  }

  void wait_for(std::size_t acknowledged) {
    std::unique_lock lock(mutex_);
    more_.wait(lock, [&] { return acknowledged_.size() >= acknowledged; });
  }
  void wait_for_all() { threads_.clear(); }

  std::size_t keys() const { return static_cast<std::size_t>(submitters * keys_each_); }
  const std::vector<std::string>& acknowledged() const { return acknowledged_; }
  int unavailable() const { return unavailable_; }

 private:
  void submit_all(int number) {
    for (int i = 0; i < keys_each_; ++i) {
      const Json task{
          {"handler", "a"}, {"idempotency_key", fmt::format("{}-{}", number, i)}, {"on_duplicate", "return_existing"}};
      while (!submit(number, task))
        ::poll(nullptr, 0, 20);  // nothing tells when a database is back; it has to be asked again
    }
  }

  bool submit(int number, const Json& task) {
    const std::string& address = addresses_[static_cast<std::size_t>(number) % addresses_.size()];
    const Reply reply = RestClient(address).post("/v1/tasks", task);
    const std::lock_guard lock(mutex_);
    if (reply.status == 503) {
      ++unavailable_;
      return false;
    }
    EXPECT_TRUE(reply.status == 201 || reply.status == 200) << reply.body;
    acknowledged_.push_back(reply.body.value("task_uuid", ""));
    more_.notify_all();
    return true;
  }

  const std::vector<std::string> addresses_;
  const int keys_each_;
  std::mutex mutex_;  // guards what follows
  std::condition_variable more_;
  std::vector<std::string> acknowledged_;
  int unavailable_ = 0;
  std::vector<std::jthread> threads_;  // last: they use all of the above
};

std::size_t number_in(Session& session, const std::string& query) {
  return std::stoul(session.execute("SELECT count(*) AS n FROM " + query).text(0, "n"));
}

void expect_each_once(Session& session, const Submitters& submitted) {
  const std::vector<std::string>& acknowledged = submitted.acknowledged();
  EXPECT_EQ(std::set<std::string>(acknowledged.begin(), acknowledged.end()).size(), submitted.keys());
  EXPECT_EQ(number_in(session, "semel.executions"), submitted.keys());
  EXPECT_EQ(number_in(session, "semel.identities"), submitted.keys());
  EXPECT_EQ(number_in(session, "(SELECT DISTINCT key FROM semel.executions) keys"), submitted.keys());
  const auto rows = session.execute("SELECT id::text AS id FROM semel.executions");
  std::set<std::string> known;
  for (int row = 0; row < rows.count(); ++row) known.insert(rows.text(row, "id"));
  for (const std::string& id : acknowledged) EXPECT_TRUE(known.contains(id)) << id << " was acknowledged and is lost";
}

TEST(PostgresCrash, LosesNothingAcknowledgedAndDoublesNothing) {
  PostgresServer postgres(PostgresServer::Kind::durable);
  const std::string url = fmt::format("postgres://semel@{}/postgres", postgres.address());
  const ServerProcess one(StoreUrl{url});
  const ServerProcess two(StoreUrl{url});
  Submitters submitted({one.address(), two.address()}, is_sanitized ? 30 : 200);

  for (std::size_t crash = 1; crash <= 3; ++crash) {
    submitted.wait_for(submitted.keys() * crash / 5);
    postgres.crash();
    postgres.start_again();
  }
  submitted.wait_for_all();

  Session session(postgres.connection_string());
  expect_each_once(session, submitted);
}

TEST(PostgresCrash, WhoWaitsForAResultMeanwhileIsToldSoAndTheServerStays) {
  PostgresServer postgres(PostgresServer::Kind::durable);
  const ServerProcess server(StoreUrl{fmt::format("postgres://semel@{}/postgres", postgres.address())});
  RestClient client(server.address());
  const std::string id = client.post("/v1/tasks", {{"handler", "a"}}).body.value("task_uuid", "");
  RestClient waiting(server.address());
  waiting.raw().send({.target = "/v1/tasks/" + id + "/result?wait=5s"});

  postgres.crash();

  EXPECT_EQ(waiting.raw().read().status, 503);
  EXPECT_EQ(client.get("/healthz").status, 200);
  postgres.start_again();
  Reply answer = client.get("/v1/tasks/" + id);
  for (; answer.status == 503; answer = client.get("/v1/tasks/" + id)) ::poll(nullptr, 0, 20);
  EXPECT_EQ(answer.body["status"], "pending");
}

TEST(PostgresFailover, ToASynchronousStandbyLosesNothingAcknowledged) {
  PostgresServer primary(PostgresServer::Kind::durable);
  PostgresServer standby(primary, PostgresServer::Kind::durable);
  {
    Session session(primary.connection_string());
    session.execute("ALTER SYSTEM SET synchronous_standby_names = '*'");
    session.execute("SELECT pg_reload_conf()");
    while (number_in(session, "pg_stat_replication WHERE sync_state = 'sync'") == 0) ::poll(nullptr, 0, 20);
  }
  const std::string url = fmt::format("postgres://semel@{},{}/postgres?target_session_attrs=read-write",
                                      primary.address(), standby.address());
  const ServerProcess one(StoreUrl{url});
  const ServerProcess two(StoreUrl{url});
  Submitters submitted({one.address(), two.address()}, is_sanitized ? 30 : 200);

  submitted.wait_for(submitted.keys() / 3);
  primary.crash();
  standby.promote();
  submitted.wait_for_all();

  EXPECT_GT(submitted.unavailable(), 0);
  Session session(standby.connection_string());
  expect_each_once(session, submitted);
}

}  // namespace
}  // namespace semel::test
