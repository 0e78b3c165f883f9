#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <ostream>
#include <random>
#include <set>
#include <thread>
#include <vector>

#include "tests/e2e/server_process.hpp"
#include "tests/support/postgres_database.hpp"
#include "tests/support/push_endpoint.hpp"
#include "tests/support/sanitized.hpp"
#include "tests/support/temp_dir.hpp"

namespace semel::test {
namespace {

constexpr std::size_t pushed_tasks = 150;
constexpr std::size_t kills = is_sanitized ? 3 : 8;

/// A target that knows each dispatch by its external id, and is not to be relied upon: it drops requests before or
/// after it has done them, or in the middle, says nothing at all, takes tasks of which nothing is heard again, says
/// everything twice, and has no time.
class MoodyTarget {
 public:
  explicit MoodyTarget(unsigned seed) : random_(seed) {}
  ~MoodyTarget() {
    for (std::thread& caller : callers_) caller.join();
  }

  PushEndpoint& endpoint() { return endpoint_; }

  /// What it knows of one task.
  struct Task {
    std::set<std::string> done{};  // under these names: each of them is an effect
    std::size_t taken = 0;         // how often it said that it has it: only then may it get another name
  };
  std::map<std::string, Task> tasks() {
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
    Task& task = tasks_[envelope["task_uuid"]];
    // One attempt has one name, however often it is sent, and no two attempts have the same.
    EXPECT_EQ(name_of_.emplace(attempt, name).first->second, name);
    EXPECT_EQ(attempt_of_.emplace(name, attempt).first->second, attempt);
    if (task.done.contains(name)) return done();
    if (++heard_[name] <= 2) return answer_in_mood(envelope, name, task);
    task.done.insert(name);  // pauses grow with every send: it does not try its patience, nor that of the test
    return done();
  }

  EndpointReply answer_in_mood(const Json& envelope, const std::string& name, Task& task) {
    const auto mood = random_() % 20;
    if (mood >= 3) task.done.insert(name);
    switch (mood) {
      case 0: return broken(EndpointReply::Act::hang_up);
      case 1: return with_status(std::array{500, 503, 429}[random_() % 3]);
      case 2: endpoint_.die_after(200); return broken(EndpointReply::Act::hang_up);  // so that there is a next one
      case 3: return broken(EndpointReply::Act::hang_up);
      case 4: return broken(EndpointReply::Act::cut);
      case 5: return broken(EndpointReply::Act::never_answer);
      case 6: task.taken += 1; return with_status(202);  // it will call back, it says
      case 7: task.taken += 1; return with_status(409);  // it had it before, it says
      case 8:
      case 9:
        task.taken += 1;
        callers_.emplace_back([envelope] { call_back_twice(envelope); });
        return with_status(202);
      default: return done();
    }
  }

  /// The server may have been killed, and another may be there in its place.
  static void call_back_twice(const Json& envelope) {
    const std::string url = envelope["callbacks"]["completed"];
    const std::size_t path = url.find("/v1/");
    const std::size_t host = url.find("://") + 3;
    try {
      HttpClient client(url.substr(host, path - host));
      const HttpRequest request{"POST", url.substr(path), envelope["token"], R"({"result":{"done":true}})"};
      const HttpAnswer first = client.ask(request);
      const HttpAnswer second = client.ask(request);
      EXPECT_EQ(second.status, first.status) << second.body;
      EXPECT_TRUE(first.status != 200 || second.json().value("already_recorded", false)) << second.body;
    } catch (const std::runtime_error&) {
    }
  }

  static EndpointReply done() {
    EndpointReply reply;
    reply.body = R"({"done":true})";
    return reply;
  }
  static EndpointReply with_status(int status) {
    EndpointReply reply;
    reply.status = status;
    return reply;
  }
  static EndpointReply broken(EndpointReply::Act act) {
    EndpointReply reply = done();
    reply.act = act;
    return reply;
  }

  std::mutex mutex_;  // guards what follows
  std::mt19937 random_;
  std::map<std::string, Task> tasks_;
  std::map<std::string, int> heard_;  // how often, by name
  std::map<std::string, std::string> name_of_;
  std::map<std::string, std::string> attempt_of_;
  std::vector<std::thread> callers_;
  PushEndpoint endpoint_{[this](const EndpointRequest& request) { return answer(request); }};
};

/// The servers of a store, which are killed one at a time.
struct DoomedFleet {
  std::string name;
  std::size_t servers = 1;
};
void PrintTo(const DoomedFleet& fleet, std::ostream* out) { *out << fleet.name; }

/// A database whose clock goes ahead when it is told to. Where there are several servers, nobody sends what one of them
/// may be sending until that one has had time for it.
class HurriedDatabase {
 public:
  std::string url() const { return database_.url(); }

  void go_ahead(std::chrono::milliseconds time) {
    ahead_ += time;
    const auto session = database_.open();
    if (original_.empty())
      original_ = session->execute("SELECT pg_get_functiondef('semel.now_ms()'::regprocedure) AS f").text(0, "f");
    session->execute(
        fmt::format("CREATE OR REPLACE FUNCTION semel.now_ms() RETURNS bigint LANGUAGE sql VOLATILE AS $$"
                    " SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint + {} $$",
                    ahead_.count()));
  }
  /// Other tests get the database as it was.
  ~HurriedDatabase() {
    if (!original_.empty()) database_.open()->execute(original_);
  }

 private:
  PostgresDatabase database_;
  std::chrono::milliseconds ahead_{};
  std::string original_;
};

class KilledDispatcher : public testing::TestWithParam<DoomedFleet> {
 protected:
  KilledDispatcher() {
    if (GetParam().name == "postgres") database_.emplace();
    for (std::size_t i = 0; i < GetParam().servers; ++i) servers_.push_back(start());
  }

  std::unique_ptr<ServerProcess> start() const {
    const StoreUrl store{database_ ? database_->url() : "sqlite:" + (folder_ / "semel.db").string()};
    return std::make_unique<ServerProcess>(store,
                                           std::vector<std::string>{"--dispatch-allowed-networks", "127.0.0.0/8"});
  }
  /// One dies, and another comes in its place.
  void kill(std::size_t number) {
    servers_[number]->process().signal(SIGKILL);
    EXPECT_EQ(servers_[number]->process().wait(), -SIGKILL);
    if (database_) database_->go_ahead(std::chrono::minutes(2));
    servers_[number] = start();
  }
  RestClient connect() const { return servers_.front()->connect(); }

  void put_queue(Json settings) {
    settings["target"] = target_.endpoint().url("/run");
    ASSERT_EQ(connect().raw().ask({"PUT", "/v1/queues/push", "", settings.dump()}).status, 200);
  }
  std::vector<std::string> submit(std::size_t count) {
    RestClient client = connect();
    const Json retry{{"backoff", "fixed"}, {"base", "10ms"}};
    const Json task{{"handler", "charge"}, {"queue", "push"}, {"max_attempts", 100}, {"retry", retry}};
    std::vector<std::string> ids;
    for (std::size_t i = 0; i < count; ++i) ids.push_back(client.post("/v1/tasks", task).body.at("task_uuid"));
    return ids;
  }
  static void expect_completed(RestClient& client, const std::string& id) {
    Reply result = client.get("/v1/tasks/" + id + "/result?wait=30s");
    for (int more = 0; result.status == 202 && more < 20; ++more)
      result = client.get("/v1/tasks/" + id + "/result?wait=30s");
    EXPECT_EQ(result.status, 200) << id << " is stuck: " << client.get("/v1/tasks/" + id).body;
    EXPECT_EQ(result.body.value("status", ""), "completed") << id;
  }

  TempDir folder_;
  std::optional<HurriedDatabase> database_;
  MoodyTarget target_{42};
  std::vector<std::unique_ptr<ServerProcess>> servers_;
};
INSTANTIATE_TEST_SUITE_P(Stores, KilledDispatcher,
                         testing::Values(DoomedFleet{"sqlite", 1}, DoomedFleet{"postgres", 2}),
                         [](const auto& info) { return info.param.name; });

TEST_P(KilledDispatcher, LosesNothingAndSendsNothingUnderTwoNames) {
  put_queue({{"target_timeout", "1s"}, {"heartbeat_timeout", "1s"}, {"max_in_flight", 16}});
  const std::vector<std::string> ids = submit(pushed_tasks);

  for (std::size_t i = 1; i <= kills; ++i) {
    target_.endpoint().wait_for(i * pushed_tasks / (kills + 2));
    kill(i % servers_.size());
  }

  RestClient client = connect();
  for (const std::string& id : ids) expect_completed(client, id);
  const auto tasks = target_.tasks();
  EXPECT_EQ(tasks.size(), ids.size());
  for (const std::string& id : ids) {
    ASSERT_TRUE(tasks.contains(id)) << id;
    // Once for each name, and there is a second name only where the target said that it has the task.
    EXPECT_GE(tasks.at(id).done.size(), 1u) << id;
    EXPECT_LE(tasks.at(id).done.size(), 1 + tasks.at(id).taken) << id;
  }
  EXPECT_EQ(client.get("/v1/dispatches").body, (Json{{"dispatches", Json::array()}}));
  for (const auto& server : servers_) EXPECT_EQ(server->stop(), 0);
}

TEST_P(KilledDispatcher, IsFoundByBothNamesOnTheCommandLine) {
  put_queue(Json::object());
  const std::string id = submit(1).front();
  target_.endpoint().wait_for(1);
  const Json attempt = connect().get("/v1/tasks/" + id).body["attempts"][0];

  for (const char* name : {"dispatch_id", "external_id"}) {
    const Finished found = run_to_end(
        {semel_program(), "find", attempt[name].get<std::string>(), "--url", "http://" + servers_.back()->address()});
    EXPECT_EQ(found.code, 0) << found.errors;
    EXPECT_NE(found.output.find(id), std::string::npos) << found.output;
    EXPECT_NE(found.output.find(attempt["external_id"].get<std::string>()), std::string::npos) << found.output;
  }
}

}  // namespace
}  // namespace semel::test
