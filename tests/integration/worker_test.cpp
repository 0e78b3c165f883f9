#include <gmock/gmock.h>

#include <string>
#include <thread>

#include "domain/dispatch_id.hpp"
#include "tests/support/expect_answer.hpp"
#include "tests/support/server_fixture.hpp"

/// The worker protocol: poll, heartbeat, complete, fail, cancel.
namespace semel::test {
namespace {

using testing::ElementsAre;

constexpr const char* unknown_attempt = "019bddae-b818-7d82-b7c5-bd42e5db27fc";

class Worker : public ServerFixture {
 protected:
  HttpRequest poll_of(Json members) {
    Json body{{"worker_id", "w1"}, {"queues", {"default"}}};
    body.update(members);
    return {"POST", "/v1/worker/poll", "worker", body.dump()};
  }
  std::vector<std::string> leased(const Json& members = Json::object()) {
    std::vector<std::string> ids;
    const Json body = ask(poll_of(members)).json();
    for (const Json& lease : body.value("leases", Json::array())) ids.push_back(lease["task_uuid"]);
    return ids;
  }
  HttpAnswer heartbeat(const std::string& attempt, const Json& body = Json::object()) {
    return post("worker", "/v1/attempts/" + attempt + "/heartbeat", body);
  }
};

TEST_F(Worker, ALeaseCarriesAllThatAHandlerNeeds) {
  const std::string traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
  const std::string body = R"({"handler":"charge","queue":"pay","idempotency_key":"order-1","context":{"n":1e2},)"
                           R"("labels":{"shop":"a"},"traceparent":")" +
                           traceparent + "\"}";
  const std::string id = ask({"POST", "/v1/tasks", "reader", body}).json()["task_uuid"];

  const HttpAnswer answer = ask(poll_of({{"queues", {"pay"}}, {"lease_ms", 5000}}));

  Json lease = answer.json()["leases"][0];
  const domain::DispatchIds ids = domain::dispatch_ids(id, "charge", 1);
  EXPECT_TRUE(domain::AttemptId::parse(lease["attempt_id"].get<std::string>()).has_value());
  EXPECT_NE(answer.body.find(R"("context":{"n":1e2})"), std::string::npos)
      << "the caller's text, not another form of it";
  lease.erase("attempt_id");
  lease.erase("context");
  EXPECT_EQ(lease, (Json{{"task_uuid", id},
                         {"task_id", "order-1"},
                         {"handler", "charge"},
                         {"queue", "pay"},
                         {"attempt", 1},
                         {"lease_expires_at", to_rfc3339(clock_.now() + 5s)},
                         {"effect_key", id},
                         {"dispatch_id", "dispatch:" + id + ":charge:1"},
                         {"external_id", ids.external},
                         {"labels", {{"shop", "a"}}},
                         {"traceparent", traceparent}}));
}

TEST_F(Worker, TasksComeByPriorityThenTimeThenAge) {
  const std::string low = create("reader", {{"handler", "a"}, {"priority", -1}});
  const std::string first = create("reader", {{"handler", "a"}});
  const std::string second = create("reader", {{"handler", "b"}});
  const std::string ahead = create("reader", {{"handler", "a"}, {"priority_seconds", 60}});
  const std::string high = create("reader", {{"handler", "b"}, {"priority", 1}});
  const std::string delayed = create("reader", {{"handler", "a"}, {"priority", 100}, {"delay", "1s"}});

  EXPECT_THAT(leased({{"max", 3}}), ElementsAre(high, ahead, first));
  EXPECT_THAT(leased({{"max", 10}, {"handlers", {"b"}}}), ElementsAre(second));
  EXPECT_THAT(leased({{"max", 10}}), ElementsAre(low));
  clock_.advance(1s);
  maintain();
  EXPECT_THAT(leased({{"max", 10}}), ElementsAre(delayed));
}

TEST_F(Worker, APollAsksOnlyForItsQueuesAndHandlersAndTenant) {
  create("reader", {{"handler", "a"}, {"queue", "pay"}});

  EXPECT_THAT(leased(), ElementsAre());
  EXPECT_THAT(leased({{"queues", {"pay"}}, {"handlers", {"b"}}}), ElementsAre());
  EXPECT_EQ(lease("pay", "globex"), Json());
  EXPECT_EQ(leased({{"queues", {"other", "pay", "pay"}}, {"handlers", {"b", "a"}}}).size(), 1u);
}

TEST_F(Worker, ALongPollWakesWhenATaskArrives) {
  HttpClient worker = connect();
  const std::size_t before = keys_.requests();
  worker.send(poll_of({{"wait_ms", 60'000}}));
  keys_.wait_for_requests(before + 1);
  EXPECT_FALSE(worker.has_answer());

  const std::string id = create("reader", {{"handler", "a"}});

  EXPECT_EQ(worker.read().json()["leases"][0]["task_uuid"], id);
}

TEST_F(Worker, ALongPollWakesWhenADelayedTaskIsDue) {
  const std::string id = create("reader", {{"handler", "a"}, {"delay", "5m"}});
  HttpClient worker = connect();
  const std::size_t before = keys_.requests();
  worker.send(poll_of({{"wait_ms", 60'000}}));
  keys_.wait_for_requests(before + 1);

  clock_.advance(5min);
  maintain();

  EXPECT_EQ(worker.read().json()["leases"][0]["task_uuid"], id);
}

TEST_F(Worker, ManyWaitingWorkersGetOneTaskEach) {
  std::vector<HttpClient> workers;
  const std::size_t before = keys_.requests();
  for (int i = 0; i < 20; ++i) {
    workers.push_back(connect());
    workers.back().send(poll_of({{"wait_ms", 60'000}}));
  }
  keys_.wait_for_requests(before + workers.size());

  std::set<std::string> made;
  for (std::size_t i = 0; i < workers.size(); ++i) made.insert(create("reader", {{"handler", "a"}}));

  std::set<std::string> got;
  for (HttpClient& worker : workers) got.insert(worker.read().json()["leases"][0]["task_uuid"].get<std::string>());
  EXPECT_EQ(got, made);
}

TEST_F(Worker, APollWithoutWaitingAnswersAtOnce) {
  EXPECT_EQ(ask(poll_of({{"wait_ms", 0}})).body, R"({"leases":[]})");
  EXPECT_EQ(ask(poll_of({{"wait_ms", 1}})).body, R"({"leases":[]})");
}

TEST_F(Worker, APollWhoseConnectionEndedTakesNoTaskWithIt) {
  get("", "/healthz");  // so that the own connection is counted
  const std::size_t connections = instance().connections();
  {
    HttpClient gone = connect();
    const std::size_t before = keys_.requests();
    gone.send(poll_of({{"wait_ms", 60'000}}));
    keys_.wait_for_requests(before + 1);
  }
  while (instance().connections() > connections) std::this_thread::yield();

  const std::string id = create("reader", {{"handler", "a"}});

  EXPECT_THAT(leased(), ElementsAre(id));
}

TEST_F(Worker, AHeartbeatExtendsTheLease) {
  const std::string id = create("reader", {{"handler", "a"}});
  const std::string attempt = lease("default")["attempt_id"];
  clock_.advance(20s);

  const HttpAnswer answer = heartbeat(attempt);

  EXPECT_EQ(answer.json(), (Json{{"lease_expires_at", to_rfc3339(clock_.now() + 30s)}, {"should_cancel", false}}));
  EXPECT_EQ(task(id)["attempts"][0]["last_heartbeat_at"], to_rfc3339(clock_.now()));
  clock_.advance(30s - 1ms);
  maintain();
  EXPECT_EQ(task(id)["status"], "running");
  clock_.advance(1ms);
  maintain();
  EXPECT_EQ(task(id)["status"], "timed_out");
  expect_refusal(heartbeat(attempt), 409, "STALE_ATTEMPT");
}

TEST_F(Worker, AHeartbeatMayAskForALongerLeaseAndNeverShortensIt) {
  create("reader", {{"handler", "a"}});
  const std::string attempt = lease("default")["attempt_id"];

  EXPECT_EQ(heartbeat(attempt, {{"lease_ms", 90'000}}).json()["lease_expires_at"], to_rfc3339(clock_.now() + 90s));
  EXPECT_EQ(heartbeat(attempt, {{"lease_ms", 1000}}).json()["lease_expires_at"], to_rfc3339(clock_.now() + 90s));
}

TEST_F(Worker, AResultAfterTheLeaseHasEndedIsStaleAndRecorded) {
  const std::string id = create("reader", {{"handler", "a"}});
  const std::string attempt = lease("default")["attempt_id"];
  clock_.advance(30s);
  maintain();

  expect_refusal(complete(attempt, {{"result", 1}}), 409, "STALE_ATTEMPT", "its answer does not count");
  expect_refusal(fail(attempt), 409, "STALE_ATTEMPT");

  const Json view = task(id);
  EXPECT_EQ(view["status"], "timed_out");
  EXPECT_FALSE(view.contains("result"));
  EXPECT_EQ(view["attempts"][0]["outcome"], "lease_ended");
  EXPECT_EQ(view["attempts"][0]["stale_results"], 2);
}

TEST_F(Worker, AnUnknownAttemptIsStale) {
  expect_refusal(complete(unknown_attempt, Json::object()), 409, "STALE_ATTEMPT");
  expect_refusal(fail(unknown_attempt), 409, "STALE_ATTEMPT");
  expect_refusal(heartbeat(unknown_attempt), 409, "STALE_ATTEMPT");
}

TEST_F(Worker, TheSameAnswerAgainIsRecordedAlreadyAndTheOtherIsStale) {
  const std::string id = create("reader", {{"handler", "a"}});
  const std::string attempt = lease("default")["attempt_id"];

  EXPECT_EQ(complete(attempt, {{"result", 1}}).json(), (Json{{"task_uuid", id}, {"status", "completed"}}));
  EXPECT_EQ(complete(attempt, {{"result", 1}}).json(),
            (Json{{"task_uuid", id}, {"status", "completed"}, {"already_recorded", true}}));
  expect_refusal(fail(attempt), 409, "STALE_ATTEMPT");
  EXPECT_EQ(task(id)["result"], 1);
}

TEST_F(Worker, AResultMayBeNothingNullOrAnyJson) {
  for (const char* body : {"", "{}", R"({"result":null})", R"({"result":[9007199254740993,"\u0000"]})"}) {
    SCOPED_TRACE(body);
    const std::string id = create("reader", {{"handler", "a"}});
    const std::string attempt = lease("default")["attempt_id"];

    EXPECT_EQ(ask({"POST", "/v1/attempts/" + attempt + "/complete", "worker", body}).status, 200);

    const Json given = Json::parse(*body ? body : "{}");
    const Json view = task(id);
    EXPECT_EQ(view["status"], "completed");
    ASSERT_EQ(view.contains("result"), given.contains("result"));
    EXPECT_EQ(view.value("result", Json()), given.value("result", Json()));
  }
}

TEST_F(Worker, CancellingAPendingTaskEndsItAtOnce) {
  const std::string id = create("reader", {{"handler", "a"}});

  const HttpAnswer answer = cancel(id);

  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.json(), (Json{{"task_uuid", id}, {"status", "cancelled"}}));
  EXPECT_EQ(lease("default"), Json());
  expect_refusal(cancel(id), 409, "NOT_CANCELLABLE", "is cancelled already");
}

enum class End { complete, fail, lease };
struct CancelCase {
  End end;
  const char* status;
};

TEST_F(Worker, CancellingARunningTaskAsksItsWorkerWhoseAnswerDecides) {
  for (const CancelCase& each : {CancelCase{End::complete, "completed"}, CancelCase{End::fail, "cancelled"},
                                 CancelCase{End::lease, "cancelled"}}) {
    SCOPED_TRACE(each.status);
    const std::string id = create("reader", {{"handler", "a"}, {"idempotency_key", "k"}, {"reuse", "allow_duplicate"}});
    const std::string attempt = lease("default")["attempt_id"];

    const HttpAnswer answer = cancel(id);

    EXPECT_EQ(answer.status, 202);
    EXPECT_EQ(answer.json(), (Json{{"task_uuid", id}, {"status", "running"}, {"cancel_requested", true}}));
    EXPECT_EQ(heartbeat(attempt).json()["should_cancel"], true);
    EXPECT_EQ(task(id)["cancel_requested"], true);
    expect_opaque(submit("reader", {{"handler", "a"}, {"idempotency_key", "k"}}));
    if (each.end == End::complete) complete(attempt, {{"result", 1}});
    if (each.end == End::fail) fail(attempt);
    clock_.advance(1min);
    maintain();
    EXPECT_EQ(task(id)["status"], each.status);
  }
}

TEST_F(Worker, ABatchOfOutcomesIsAnsweredInOrderEachForItself) {
  create("reader", {{"handler", "a"}});
  const std::string first = lease("default")["attempt_id"];
  create("reader", {{"handler", "a"}});
  const std::string second = lease("default")["attempt_id"];
  const auto completed = [](const std::string& id) { return Json{{"attempt_id", id}, {"complete", {{"result", 1}}}}; };
  const Json failed{{"attempt_id", second}, {"fail", {{"error", failure}}}};
  const Json outcomes{completed(first), {{"attempt_id", first}}, completed(unknown_attempt), failed, 17,
                      completed(first)};

  const HttpAnswer answer = post("worker", "/v1/attempts:batch", {{"outcomes", outcomes}});

  Json statuses;
  const Json body = answer.json();
  for (const Json& each : body["results"]) statuses.push_back(each["status"]);
  EXPECT_EQ(statuses, (Json{200, 400, 409, 200, 400, 200})) << answer.body;
  EXPECT_EQ(body["results"][3]["body"]["status"], "failed");
  EXPECT_EQ(body["results"][5]["body"]["already_recorded"], true);
}

TEST_F(Worker, APollThatBringsOutcomesEndsThemAndTakesMoreInOneCommit) {
  const std::string first = create("reader", {{"handler", "a"}});
  const std::string attempt = lease("default")["attempt_id"];
  const std::string second = create("reader", {{"handler", "a"}});
  const Json done{{"attempt_id", attempt}, {"complete", {{"result", 17}}}};
  const Json unknown{{"attempt_id", unknown_attempt}, {"fail", {{"error", failure}}}};

  const Json answer = ask(poll_of({{"outcomes", {done, unknown, 7}}, {"wait_ms", 60'000}})).json();

  ASSERT_EQ(answer["leases"].size(), 1u) << answer;
  EXPECT_EQ(answer["leases"][0]["task_uuid"], second);
  Json statuses;
  for (const Json& each : answer["results"]) statuses.push_back(each["status"]);
  EXPECT_EQ(statuses, (Json{200, 409, 400})) << answer;
  EXPECT_EQ(task(first)["status"], "completed");
}

TEST_F(Worker, APollThatBringsOutcomesWaitsOnlyIfItIsAskedTo) {
  create("reader", {{"handler", "a"}});
  const Json done{{"attempt_id", lease("default")["attempt_id"]}, {"complete", Json::object()}};

  const Json answer = ask(poll_of({{"outcomes", {done}}})).json();

  EXPECT_TRUE(answer["leases"].empty());
  EXPECT_EQ(answer["results"][0]["status"], 200);
}

TEST_F(Worker, WhatAPollBringsIsRecordedWhileItWaits) {
  const std::string first = create("reader", {{"handler", "a"}});
  const Json done{{"attempt_id", lease("default")["attempt_id"]}, {"complete", {{"result", 17}}}};
  HttpClient worker = connect();
  worker.send(poll_of({{"outcomes", {done}}, {"wait_ms", 60'000}}));

  const Json result = ask({"GET", "/v1/tasks/" + first + "/result?wait=60s", "reader"}).json();
  EXPECT_EQ(result["result"], 17);
  const std::string second = create("reader", {{"handler", "a"}});

  const Json answer = worker.read().json();
  EXPECT_EQ(answer["results"][0]["status"], 200);
  EXPECT_EQ(answer["leases"][0]["task_uuid"], second);
}

TEST_F(Worker, APollThatBringsOutcomesNeedsThePermissionOfWorkers) {
  const Json done{{"attempt_id", unknown_attempt}, {"complete", Json::object()}};
  HttpRequest request = poll_of({{"outcomes", {done}}});
  request.key = "reader";
  EXPECT_EQ(ask(request).status, 403);
}

}  // namespace
}  // namespace semel::test
