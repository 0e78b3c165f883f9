#include <gmock/gmock.h>

#include "tests/integration/dispatch_fixture.hpp"

namespace semel::test {
namespace {

using Act = EndpointReply::Act;

/// Tasks that are pushed to the target of their queue (DESIGN §5).
class Dispatching : public DispatchFixture {};

TEST_F(Dispatching, AnAnswerWithJsonCompletesTheTask) {
  const std::string id = push_task({{"context", {{"amount", 5}}}});

  const Json outcome = outcome_of(id);

  EXPECT_EQ(outcome["status"], "completed");
  EXPECT_EQ(outcome["result"], (Json{{"receipt", 17}}));
  const EndpointRequest request = endpoint_.requests().at(0);
  const Json envelope = Json::parse(request.body);
  EXPECT_EQ(envelope["context"], (Json{{"amount", 5}}));
  EXPECT_EQ(request.header("idempotency-key"), id);
  EXPECT_EQ(request.header("semel-dispatch-id"), "dispatch:" + id + ":charge:1");
  EXPECT_EQ(request.header("semel-external-id"), attempt(id)["external_id"].get<std::string>());
  EXPECT_EQ(attempt(id)["worker_id"], "semel:push");
  EXPECT_EQ(get("admin", "/v1/dispatches").json()["dispatches"], Json::array());
}

TEST_F(Dispatching, A202IsFollowedByCallbacks) {
  answer_with([](const EndpointRequest&) { return reply(202); });
  const std::string id = push_task();
  await_push_state(id, "sent");
  const EndpointRequest request = endpoint_.requests().at(0);
  EXPECT_EQ(task(id)["status"], "running");
  EXPECT_EQ(attempt(id)["push"]["answer"], "accepted");

  EXPECT_EQ(call_back(request, "started").status, 200);
  clock_.advance(1min);
  const HttpAnswer beat = call_back(request, "heartbeat", {{"progress", 0.5}, {"message", "half"}});
  EXPECT_EQ(beat.status, 200) << beat.body;
  EXPECT_EQ(task(id)["progress"]["message"], "half");
  EXPECT_EQ(call_back(request, "completed", {{"result", 9}}).status, 200);

  EXPECT_EQ(outcome_of(id)["result"], 9);
  EXPECT_EQ(call_back(request, "completed", {{"result", 9}}).json()["already_recorded"], true);
  EXPECT_EQ(call_back(request, "heartbeat").status, 409);
}

TEST_F(Dispatching, ACallbackMayComeBeforeTheAnswerToItsRequest) {
  answer_with([](const EndpointRequest&) { return reply(202); });
  endpoint_.hold();
  const std::string id = push_task();
  endpoint_.wait_for(1);

  EXPECT_EQ(call_back(endpoint_.requests()[0], "completed", {{"result", 9}}).status, 200);

  EXPECT_EQ(outcome_of(id)["result"], 9);
  endpoint_.release();
  EXPECT_EQ(push_task().empty(), false);
  endpoint_.wait_for(2);
  EXPECT_EQ(task(id)["status"], "completed");
}

TEST_F(Dispatching, ACallbackThatFailsEndsTheAttempt) {
  answer_with([](const EndpointRequest&) { return reply(202); });
  const std::string id = push_task();
  await_push_state(id, "sent");

  EXPECT_EQ(call_back(endpoint_.requests()[0], "failed", {{"error", failure}}).status, 200);

  EXPECT_EQ(outcome_of(id)["error"], failure);
}

TEST_F(Dispatching, CallbacksNeedTheTokenOfTheirAttempt) {
  answer_with([](const EndpointRequest&) { return reply(202); });
  const std::string id = push_task();
  await_push_state(id, "sent");
  const Json envelope = Json::parse(endpoint_.requests()[0].body);
  const std::string path = "/v1/dispatches/" + attempt(id)["external_id"].get<std::string>() + "/completed";

  EXPECT_EQ(post("admin", path, Json::object()).status, 401);
  EXPECT_EQ(ask({"POST", path, "", "{}"}).status, 401);
  const std::string token = envelope["token"];
  EXPECT_EQ(post(token.substr(0, token.size() - 3) + "abc", path, Json::object()).status, 401);
  EXPECT_EQ(task(id)["status"], "running");
  clock_.advance(24h * 8);
  EXPECT_EQ(post(token, path, Json::object()).status, 401);
  EXPECT_EQ(get(token, "/v1/tasks/" + id).status, 401);
}

TEST_F(Dispatching, CallbacksRefuseFieldsThatTheyDoNotKnow) {
  answer_with([](const EndpointRequest&) { return reply(202); });
  const std::string id = push_task();
  await_push_state(id, "sent");

  for (const char* verb : {"started", "heartbeat", "completed", "failed"}) {
    const HttpAnswer answer = call_back(endpoint_.requests()[0], verb, {{"no_such_field", 1}});
    EXPECT_EQ(answer.status, 400) << verb;
    EXPECT_NE(answer.body.find("unknown field 'no_such_field'"), std::string::npos) << answer.body;
  }
  EXPECT_EQ(task(id)["status"], "running");
}

TEST_F(Dispatching, AnAttemptThatIsOverCannotSpeakForTheNext) {
  options_.retry.max_attempts = 2;
  stop();
  SetUp();
  answer_with([](const EndpointRequest&) { return reply(202); });
  const std::string id = push_task();
  await_push_state(id, "sent");
  pass(5min);
  pass(10s);
  endpoint_.wait_for(2);

  EXPECT_EQ(call_back(endpoint_.requests()[0], "completed", {{"result", 1}}).status, 409);

  await_push_state(id, "sent");
  EXPECT_EQ(call_back(endpoint_.requests()[1], "completed", {{"result", 2}}).status, 200);
  EXPECT_EQ(outcome_of(id)["result"], 2);
  EXPECT_NE(endpoint_.requests()[0].header("semel-external-id"), endpoint_.requests()[1].header("semel-external-id"));
  EXPECT_EQ(endpoint_.requests()[0].header("idempotency-key"), endpoint_.requests()[1].header("idempotency-key"));
}

TEST_F(Dispatching, TimersAreShownWithBothIdentifiers) {
  options_.retry.max_attempts = 2;
  stop();
  SetUp();
  answer_with([](const EndpointRequest&) { return reply(202); });
  const std::string id = push_task();
  await_push_state(id, "sent");
  Json timers = task(id)["timers"];
  ASSERT_EQ(timers.size(), 1u);
  EXPECT_EQ(timers[0]["type"], "heartbeat");
  EXPECT_EQ(timers[0]["state"], "SCHEDULED");

  pass(5min);

  timers = task(id)["timers"];
  ASSERT_EQ(timers.size(), 2u);
  EXPECT_EQ(timers[0]["state"], "FIRED");
  EXPECT_EQ(timers[1]["type"], "retry");
  EXPECT_EQ(timers[1]["state"], "SCHEDULED");
  const std::string due = std::to_string(to_ms(clock_.now() + 10s) / 1000);
  EXPECT_EQ(timers[1]["timer_id"], "timer:retry:" + id + ":charge:1:" + due);
  EXPECT_EQ(timers[1]["external_id"].get<std::string>().substr(0, 2), "t_");
  cancel(id);
  EXPECT_EQ(task(id)["timers"][1]["state"], "CANCELLED");
}

TEST_F(Dispatching, ATargetThatHasItAlreadyHasAcceptedIt) {
  answer_with([](const EndpointRequest&) { return reply(409); });
  const std::string id = push_task();

  await_push_state(id, "sent");

  EXPECT_EQ(attempt(id)["push"]["answer"], "deduplicated");
  EXPECT_EQ(task(id)["status"], "running");
}

TEST_F(Dispatching, AnyOther4xxFailsTheAttemptAndIsRecorded) {
  answer_with([](const EndpointRequest&) { return reply(422, R"({"no":"thanks"})"); });

  const Json outcome = outcome_of(push_task());

  EXPECT_EQ(outcome["status"], "failed");
  EXPECT_EQ(outcome["error"]["type"], "DISPATCH_REFUSED");
  EXPECT_EQ(outcome["error"]["status"], 422);
  EXPECT_EQ(outcome["error"]["answer"], R"({"no":"thanks"})");
}

TEST_F(Dispatching, WhatTheTargetDoesNotHaveIsSentAgainWithTheSameIdentifiers) {
  for (const int status : {500, 503, 429}) {
    answer_with([status](const EndpointRequest&) { return reply(status); });
    const std::size_t before = endpoint_.requests().size();
    const std::string id = push_task();
    await_push_state(id, "unsent");
    answer_with([](const EndpointRequest&) { return reply(200, "1"); });

    pass(2s);

    EXPECT_EQ(outcome_of(id)["result"], 1) << status;
    const std::vector<EndpointRequest> requests = endpoint_.requests();
    ASSERT_EQ(requests.size(), before + 2);
    EXPECT_EQ(requests[before].header("semel-external-id"), requests[before + 1].header("semel-external-id"));
    EXPECT_EQ(task(id)["attempts"].size(), 1u);
  }
}

TEST_F(Dispatching, ARequestWithoutAnAnswerIsAmbiguousAndSentAgain) {
  for (const Act act : {Act::hang_up, Act::cut}) {
    answer_with([act](const EndpointRequest&) {
      EndpointReply reply = broken(act);
      reply.body = "{}";
      return reply;
    });
    const std::size_t before = endpoint_.requests().size();
    const std::string id = push_task();
    endpoint_.wait_for(before + 1);
    await([&] { return attempt(id)["push"].contains("answer"); });
    EXPECT_EQ(attempt(id)["push"]["state"], "ambiguous");
    answer_with([](const EndpointRequest&) { return reply(200, "1"); });

    pass(2s);

    EXPECT_EQ(outcome_of(id)["result"], 1);
    const std::vector<EndpointRequest> requests = endpoint_.requests();
    EXPECT_EQ(requests[before].header("semel-external-id"), requests.back().header("semel-external-id"));
  }
}

TEST_F(Dispatching, AServerThatStopsInTheMiddleSendsAgainWithTheSameIdentifiers) {
  endpoint_.hold();
  const std::string id = push_task();
  endpoint_.wait_for(1);
  stop();
  endpoint_.release();
  clock_.advance(2min);

  start();

  EXPECT_EQ(outcome_of(id)["status"], "completed");
  const std::vector<EndpointRequest> requests = endpoint_.requests();
  ASSERT_EQ(requests.size(), 2u);
  EXPECT_EQ(requests[0].header("semel-external-id"), requests[1].header("semel-external-id"));
}

TEST_F(Dispatching, AThousandItemsOfOneHandlerHaveAThousandNames) {
  Json users = Json::array();
  for (int i = 0; i < 1000; ++i) users.push_back(i);
  put_template(
      "fan",
      {{"steps", {{{"name", "mail"}, {"handler", "mail"}, {"queue", "push"}, {"for_each", {{"path", "/users"}}}}}}});

  const std::string id =
      create("admin", {{"namespace", "shop"}, {"name", "fan"}, {"context", {{"users", std::move(users)}}}});

  EXPECT_EQ(outcome_of(id)["status"], "completed");
  std::set<std::string> names;
  for (const EndpointRequest& request : endpoint_.requests()) names.insert(request.header("semel-external-id"));
  EXPECT_EQ(names.size(), 1000u);
  EXPECT_EQ(get("admin", "/v1/dispatches").json()["dispatches"], Json::array());
}

TEST_F(Dispatching, WorkersCannotPollAQueueWithATarget) {
  const HttpAnswer answer = post("worker", "/v1/worker/poll", {{"worker_id", "w1"}, {"queues", {"push"}}});

  EXPECT_EQ(answer.status, 400);
  EXPECT_EQ(answer.json()["error"]["message"],
            "the tasks of queue 'push' are pushed to its target: no worker can poll for them");
}

TEST_F(Dispatching, NoWorkerMayHaveTheNameOfTheDispatcher) {
  EXPECT_EQ(post("worker", "/v1/worker/poll", {{"worker_id", "semel:push"}, {"queues", {"default"}}}).status, 400);
}

TEST_F(Dispatching, AnAcceptedDispatchIsSentOnceMoreUnderANewName) {
  answer_with([](const EndpointRequest&) { return reply(202); });
  const std::string id = push_task();
  await_push_state(id, "sent");

  const HttpAnswer answer = post("admin", "/v1/tasks/" + id + "/redispatch", Json::object());

  EXPECT_EQ(answer.status, 200) << answer.body;
  EXPECT_EQ(answer.json()["dispatch_id"], "dispatch:" + id + ":charge:1:r1");
  endpoint_.wait_for(2);
  EXPECT_EQ(endpoint_.requests()[1].header("semel-external-id"), answer.json()["external_id"].get<std::string>());
  await_push_state(id, "sent");
  EXPECT_EQ(attempt(id)["push"]["repair"], 1);
  EXPECT_EQ(post("viewer", "/v1/tasks/" + id + "/redispatch", Json::object()).status, 403);
}

/// Its target has called back already: the task is under way, and was lost by whoever had it.
TEST_F(Dispatching, ARefusalUnderAnOldNameDoesNotKeepTheNewOneFromBeingSent) {
  answer_with([](const EndpointRequest& request) { return reply(request.number == 1 ? 422 : 202); });
  endpoint_.hold();
  const std::string id = push_task();
  endpoint_.wait_for(1);
  ASSERT_EQ(call_back(endpoint_.requests()[0], "started").status, 200);
  ASSERT_EQ(post("admin", "/v1/tasks/" + id + "/redispatch", Json::object()).status, 200);

  endpoint_.release();

  await([&] {
    maintain();
    return endpoint_.requests().size() == 2;
  });
  EXPECT_EQ(endpoint_.requests()[1].header("semel-dispatch-id"), "dispatch:" + id + ":charge:1:r1");
  await_push_state(id, "sent");
  EXPECT_EQ(task(id)["attempts"].size(), 1u);
}

TEST_F(Dispatching, ATaskThatIsCancelledBeforeTheTargetHasItIsNotSentAgain) {
  answer_with([](const EndpointRequest&) { return reply(503); });
  const std::string id = push_task();
  await_push_state(id, "unsent");
  EXPECT_EQ(cancel(id).status, 202);

  pass(2s);

  EXPECT_EQ(outcome_of(id)["status"], "cancelled");
  EXPECT_EQ(endpoint_.requests().size(), 1u);
}

TEST_F(Dispatching, OnlySoManyRequestsAreUnderWay) {
  put_target({{"max_in_flight", 2}});
  endpoint_.hold();
  std::vector<std::string> ids;
  for (int i = 0; i < 5; ++i) ids.push_back(push_task());
  endpoint_.wait_for(2);

  EXPECT_EQ(get("viewer", "/v1/dispatches").json()["dispatches"].size(), 2u);

  endpoint_.release();
  for (const std::string& id : ids) EXPECT_EQ(outcome_of(id)["status"], "completed");
}

TEST_F(Dispatching, TasksThatWaitedBeforeTheQueueHadATargetArePushed) {
  ask({"PUT", "/v1/queues/late", "admin", "{}"});
  const std::string id = create("admin", {{"handler", "charge"}, {"queue", "late"}});

  ask({"PUT", "/v1/queues/late", "admin", Json{{"target", endpoint_.url("/")}}.dump()});

  EXPECT_EQ(outcome_of(id)["status"], "completed");
}

TEST_F(Dispatching, ATargetInANetworkThatIsNotAllowedIsRefused) {
  EXPECT_EQ(ask({"PUT", "/v1/queues/q", "admin", R"({"target":"http://169.254.169.254/"})"}).status, 400);
  EXPECT_EQ(ask({"PUT", "/v1/queues/q", "admin", R"({"target":"ftp://example"})"}).status, 400);
}

TEST_F(Dispatching, RequestsAndWhatIsOnItsWayAreCounted) {
  answer_with([](const EndpointRequest&) { return reply(202); });
  await_push_state(push_task(), "sent");

  const std::string metrics = get("operator", "/metrics").body;

  EXPECT_THAT(metrics,
              testing::HasSubstr(R"(semel_dispatch_requests_total{answer="accepted",queue="push",tenant="acme"} 1)"));
  EXPECT_THAT(metrics, testing::HasSubstr(R"(semel_dispatches{queue="push",state="sent",tenant="acme"} 1)"));
}

}  // namespace
}  // namespace semel::test
