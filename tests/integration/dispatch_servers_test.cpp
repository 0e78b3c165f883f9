#include <fstream>
#include <map>

#include "tests/integration/dispatch_fixture.hpp"
#include "tests/support/cloud_tasks_endpoint.hpp"
#include "tests/support/postgres_database.hpp"

namespace semel::test {
namespace {

/// The target is in the configuration: no tenant has said anything of the queue.
class DispatchingByConfiguration : public DispatchFixture {
 protected:
  void SetUp() override {
    options_.queues["push"].target = endpoint_.url("/tasks");
    options_.queues["other"].target = endpoint_.url("/tasks");
    start();
  }
};

TEST_F(DispatchingByConfiguration, TheFirstTaskOfAQueueMayBeADelayedOne) {
  outcome_of(create("admin", {{"handler", "charge"}, {"queue", "other"}}));  // the server pushes by now
  const std::string id = push_task({{"delay", "1h"}});

  pass(1h);

  EXPECT_EQ(outcome_of(id)["status"], "completed");
}

/// The queue's target is Google, which delivers to the endpoint when the test says so.
class DispatchingToCloudTasks : public DispatchFixture {
 protected:
  void SetUp() override {
    options_.dispatch->credentials_file = folder_ / "key.json";
    std::ofstream(options_.dispatch->credentials_file) << google_.credentials();
    options_.dispatch->cloud_tasks.api_url = google_.api_url();
    options_.dispatch->cloud_tasks.deliver_to = endpoint_.url("/tasks");
    options_.queues["push"].target = "cloudtasks://projects/p/locations/l/queues/q";
    start();
  }

  CloudTasksEndpoint google_{{.now = [this] { return clock_.now(); }}};
};

TEST_F(DispatchingToCloudTasks, ATaskIsDeliveredByGoogleAndEndsByItsCallback) {
  const std::string id = push_task();
  await_push_state(id, "sent");
  ASSERT_EQ(google_.tasks().size(), 1u);
  EXPECT_TRUE(google_.tasks()[0].name.ends_with("/tasks/" + attempt(id)["external_id"].get<std::string>()));

  EXPECT_EQ(google_.deliver_due(), 1);

  const EndpointRequest request = endpoint_.requests().at(0);
  EXPECT_EQ(request.header("idempotency-key"), id);
  EXPECT_EQ(task(id)["status"], "running");
  EXPECT_EQ(call_back(request, "started").status, 200);
  EXPECT_EQ(call_back(request, "completed", {{"result", 9}}).status, 200);
  EXPECT_EQ(outcome_of(id)["result"], 9);
  EXPECT_EQ(get("admin", "/v1/dispatches").json()["dispatches"], Json::array());
}

TEST_F(DispatchingToCloudTasks, ATimerIsFoundByTheNameThatItHadUntilSomebodyBegan) {
  const std::string id = push_task();
  await_push_state(id, "sent");
  const Json first = task(id)["timers"].at(0);
  ASSERT_EQ(google_.deliver_due(), 1);
  ASSERT_EQ(call_back(endpoint_.requests().at(0), "started").status, 200);
  ASSERT_NE(task(id)["timers"].at(0), first);

  const HttpAnswer found = get("viewer", "/v1/dispatches?external_id=" + first["external_id"].get<std::string>());

  EXPECT_EQ(found.status, 200) << found.body;
  EXPECT_EQ(found.json().value("task_uuid", ""), id);
}

TEST_F(DispatchingToCloudTasks, WhatGoogleDoesNotTakeNowItIsAskedAgain) {
  google_.fail_next({429});
  const std::string id = push_task();
  await_push_state(id, "unsent");

  pass(2s);

  await_push_state(id, "sent");
  EXPECT_EQ(google_.tasks().size(), 1u);
}

TEST_F(DispatchingToCloudTasks, AServerThatStopsInTheMiddleMakesNoSecondTask) {
  await_push_state(push_task(), "sent");  // there is an access token
  google_.endpoint().hold();
  const std::size_t heard = google_.endpoint().requests().size();
  const std::string id = push_task();
  google_.endpoint().wait_for(heard + 1);
  stop();
  google_.endpoint().release();
  clock_.advance(2min);

  start();

  await_push_state(id, "sent");
  EXPECT_EQ(google_.tasks().size(), 2u);
}

TEST_F(DispatchingToCloudTasks, WhatWasPurgedThereIsMadeOnceMoreUnderANewName) {
  const std::string id = push_task();
  await_push_state(id, "sent");
  const std::string old = google_.tasks().at(0).name;
  google_.remove(old);

  EXPECT_EQ(post("admin", "/v1/tasks/" + id + "/redispatch", Json::object()).status, 200);

  await([&] { return !google_.tasks().empty(); });
  EXPECT_NE(google_.tasks().at(0).name, old);
}

/// Two servers on one database.
class DispatchingByTwo : public testing::Test {
 protected:
  server::InstanceOptions options() const {
    server::InstanceOptions options;
    options.store.target = {server::StoreTarget::Kind::postgres, database_.target()};
    options.http.port = 0;
    options.dispatch.emplace().allowed_networks = "127.0.0.0/8";
    options.queues["push"].target = endpoint_.url("/tasks");
    return options;
  }

  /// Of every tenth task, it wants to hear twice.
  EndpointReply answer(const EndpointRequest& request) {
    const Json envelope = Json::parse(request.body);
    const int heard = ++heard_[request.header("semel-external-id")];
    EndpointReply reply;
    if (envelope["context"]["n"].get<int>() % 10 == 0 && heard == 1) reply.status = 503;
    else reply.body = "1";
    return reply;
  }

  std::map<std::string, int> heard_;  // called one at a time, and read when all is over
  PostgresDatabase database_;
  PushEndpoint endpoint_{[this](const EndpointRequest& request) { return answer(request); }};
  TestKeys keys_;
  SystemClock clock_;
};

TEST_F(DispatchingByTwo, EachDispatchIsSentOnceAndOnceMoreOnlyWhereItWasNotTaken) {
  constexpr int count = 200;
  server::Instance first(options(), clock_, keys_);
  server::Instance second(options(), clock_, keys_);
  HttpClient one(first.address());
  HttpClient other(second.address());
  std::vector<std::string> ids;
  for (int i = 0; i < count; ++i) {
    const Json body{{"handler", "charge"}, {"queue", "push"}, {"context", {{"n", i}}}};
    const HttpAnswer made = (i % 2 == 0 ? one : other).ask({"POST", "/v1/tasks", "admin", body.dump()});
    ASSERT_EQ(made.status, 201) << made.body;
    ids.push_back(made.json()["task_uuid"]);
  }

  for (const std::string& id : ids) {
    const HttpAnswer result = one.ask({"GET", "/v1/tasks/" + id + "/result?wait=30s", "admin"});
    EXPECT_EQ(result.json()["status"], "completed") << result.body;
  }

  EXPECT_EQ(heard_.size(), std::size_t{count});
  EXPECT_EQ(endpoint_.requests().size(), std::size_t{count + count / 10});
  for (const auto& [name, heard] : heard_) EXPECT_LE(heard, 2) << name;
  EXPECT_EQ(other.ask({"GET", "/v1/dispatches", "admin"}).json()["dispatches"], Json::array());
}

}  // namespace
}  // namespace semel::test
