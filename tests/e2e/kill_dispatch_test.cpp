#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <map>
#include <memory>
#include <mutex>
#include <random>
#include <set>

#include "tests/e2e/server_process.hpp"
#include "tests/support/push_endpoint.hpp"
#include "tests/support/sanitized.hpp"
#include "tests/support/temp_dir.hpp"

namespace semel::test {
namespace {

constexpr int pushed_tasks = 150;
constexpr int kills = is_sanitized ? 3 : 8;

/// A target that knows each dispatch by its external id, and is not to be relied upon: it drops requests before or
/// after it has done them, takes tasks of which nothing is heard again, and has no time.
class MoodyTarget {
 public:
  explicit MoodyTarget(unsigned seed) : random_(seed) {}

  const PushEndpoint& endpoint() const { return endpoint_; }
  std::size_t effects() {
    const std::lock_guard lock(mutex_);
    return done_.size();
  }
  std::set<std::string> tasks_seen() {
    const std::lock_guard lock(mutex_);
    return tasks_;
  }

 private:
  EndpointReply answer(const EndpointRequest& request) {
    const std::lock_guard lock(mutex_);
    const Json envelope = Json::parse(request.body);
    const std::string name = request.header("semel-external-id");
    const std::string attempt =
        fmt::format("{}/{}", envelope["task_uuid"].get<std::string>(), envelope["attempt"].dump());
    tasks_.insert(envelope["task_uuid"]);
    // One attempt has one name, however often it is sent, and no two attempts have the same.
    EXPECT_EQ(name_of_.emplace(attempt, name).first->second, name);
    EXPECT_EQ(attempt_of_.emplace(name, attempt).first->second, attempt);
    EndpointReply reply;
    reply.body = R"({"done":true})";
    if (done_.contains(name)) return reply;
    const auto mood = random_() % 10;
    if (mood >= 2) done_.insert(name);
    if (mood == 0 || mood == 2) reply.act = EndpointReply::Act::hang_up;
    if (mood == 1) reply.status = std::array{500, 503, 429}[random_() % 3];
    if (mood == 3) reply.act = EndpointReply::Act::cut;
    if (mood == 4) reply = taken();
    return reply;
  }

  /// It will call back, it says.
  static EndpointReply taken() {
    EndpointReply reply;
    reply.status = 202;
    return reply;
  }

  std::mutex mutex_;  // guards what follows
  std::mt19937 random_;
  std::set<std::string> done_;  // external ids
  std::set<std::string> tasks_;
  std::map<std::string, std::string> name_of_;
  std::map<std::string, std::string> attempt_of_;
  PushEndpoint endpoint_{[this](const EndpointRequest& request) { return answer(request); }};
};

class KilledDispatcher : public testing::Test {
 protected:
  std::unique_ptr<ServerProcess> start() {
    return std::make_unique<ServerProcess>(folder_ / "semel.db",
                                           std::vector<std::string>{"--dispatch-allowed-networks", "127.0.0.0/8"});
  }

  TempDir folder_;
  MoodyTarget target_{42};
};

TEST_F(KilledDispatcher, LosesNothingAndSendsNothingUnderTwoNames) {
  std::unique_ptr<ServerProcess> server = start();
  const Json queue{{"target", target_.endpoint().url("/run")},
                   {"target_timeout", "2s"},
                   {"heartbeat_timeout", "1s"},
                   {"max_in_flight", 16}};
  std::vector<std::string> ids;
  {
    RestClient client = server->connect();
    ASSERT_EQ(client.raw().ask({"PUT", "/v1/queues/push", "", queue.dump()}).status, 200);
    const Json retry{{"backoff", "fixed"}, {"base", "10ms"}};
    for (int i = 0; i < pushed_tasks; ++i) {
      const Json task{{"handler", "charge"}, {"queue", "push"}, {"max_attempts", 100}, {"retry", retry}};
      ids.push_back(client.post("/v1/tasks", task).body.at("task_uuid"));
    }
  }

  for (int i = 1; i <= kills; ++i) {
    target_.endpoint().wait_for(static_cast<std::size_t>(i * pushed_tasks / (kills + 2)));
    server->process().signal(SIGKILL);
    EXPECT_EQ(server->process().wait(), -SIGKILL);
    server = start();
  }

  RestClient client = server->connect();
  for (const std::string& id : ids) {
    Reply result = client.get("/v1/tasks/" + id + "/result?wait=30s");
    for (int more = 0; result.status == 202 && more < 20; ++more)
      result = client.get("/v1/tasks/" + id + "/result?wait=30s");
    EXPECT_EQ(result.status, 200) << id << " is stuck: " << client.get("/v1/tasks/" + id).body;
    EXPECT_EQ(result.body.value("status", ""), "completed") << id;
  }
  EXPECT_EQ(target_.tasks_seen(), std::set<std::string>(ids.begin(), ids.end()));
  EXPECT_GE(target_.effects(), ids.size());
  EXPECT_EQ(client.get("/v1/dispatches").body, (Json{{"dispatches", Json::array()}}));
  EXPECT_EQ(server->stop(), 0);
}

TEST_F(KilledDispatcher, IsFoundByBothNamesOnTheCommandLine) {
  const std::unique_ptr<ServerProcess> server = start();
  RestClient client = server->connect();
  const Json queue{{"target", target_.endpoint().url("/run")}};
  ASSERT_EQ(client.raw().ask({"PUT", "/v1/queues/push", "", queue.dump()}).status, 200);
  const std::string id = client.post("/v1/tasks", {{"handler", "charge"}, {"queue", "push"}}).body.at("task_uuid");
  target_.endpoint().wait_for(1);
  const Json attempt = client.get("/v1/tasks/" + id).body["attempts"][0];

  for (const char* name : {"dispatch_id", "external_id"}) {
    const Finished found =
        run_to_end({semel_program(), "find", attempt[name].get<std::string>(), "--url", "http://" + server->address()});
    EXPECT_EQ(found.code, 0) << found.errors;
    EXPECT_NE(found.output.find(id), std::string::npos) << found.output;
    EXPECT_NE(found.output.find(attempt["external_id"].get<std::string>()), std::string::npos) << found.output;
  }
}

}  // namespace
}  // namespace semel::test
