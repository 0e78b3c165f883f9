#include <gmock/gmock.h>

#include "domain/dispatch_id.hpp"
#include "tests/integration/dispatch_fixture.hpp"

namespace semel::test {
namespace {

/// GET /v1/dispatches with either identifier of a dispatch or a timer (ADR 0028).
class FindingDispatches : public DispatchFixture {
 protected:
  HttpAnswer find(const std::string& name, const std::string& identifier, const std::string& more = "") {
    return get("viewer", "/v1/dispatches?" + name + "=" + identifier + more);
  }
  /// A task of a queue that workers poll, with its lease.
  std::pair<std::string, Json> polled() {
    const std::string id = create("admin", {{"handler", "charge"}, {"queue", "default"}, {"max_attempts", 3}});
    return {id, lease("default")};
  }
  static std::string heartbeat_timer(const std::string& id, Time at) {
    return "timer:heartbeat:" + id + ":charge:" + std::to_string(to_ms(at) / 1000);
  }
  static std::string external(const std::string& internal) {
    return domain::external_id(internal.starts_with("timer:") ? "t_" : "d_", internal);
  }
};

TEST_F(FindingDispatches, IsFoundByEitherIdentifier) {
  answer_with([](const EndpointRequest&) { return reply(202); });
  const std::string id = push_task();
  await_push_state(id, "sent");
  const std::string external = attempt(id)["external_id"];

  const Json found = get("viewer", "/v1/dispatches?external_id=" + external).json();

  EXPECT_EQ(found["task_uuid"], id);
  EXPECT_EQ(found["dispatch_id"], "dispatch:" + id + ":charge:1");
  EXPECT_EQ(found["push"]["state"], "sent");
  EXPECT_EQ(get("viewer", "/v1/dispatches?dispatch_id=dispatch:" + id + ":charge:1").json(), found);
  EXPECT_EQ(get("viewer", "/v1/dispatches").json()["dispatches"][0]["external_id"], external);
  call_back(endpoint_.requests()[0], "completed");
  EXPECT_EQ(get("viewer", "/v1/dispatches?external_id=" + external).json()["status"], "completed");
  EXPECT_EQ(get("viewer", "/v1/dispatches?external_id=d_aaaaaaaaaaaaaaaaaaaaaaaaaa").status, 404);
}

TEST_F(FindingDispatches, BothIdentifiersOfAPolledTaskAreFoundToo) {
  const std::string id = polled().first;

  const Json found = get("viewer", "/v1/dispatches?dispatch_id=dispatch:" + id + ":charge:1").json();

  EXPECT_EQ(found["task_uuid"], id);
  EXPECT_EQ(find("external_id", attempt(id)["external_id"]).json(), found);
  EXPECT_EQ(found["external_id"], attempt(id)["external_id"]);
  EXPECT_FALSE(found.contains("push"));
  EXPECT_EQ(get("viewer", "/v1/dispatches?dispatch_id=dispatch:" + id + ":charge:2").status, 404);
}

TEST_F(FindingDispatches, IsFoundByTheNamesThatItHadBefore) {
  answer_with([](const EndpointRequest&) { return reply(202); });
  const std::string id = push_task();
  await_push_state(id, "sent");
  const std::string first = attempt(id)["external_id"];
  const std::string internal = "dispatch:" + id + ":charge:1";
  ASSERT_EQ(post("admin", "/v1/tasks/" + id + "/redispatch", Json::object()).status, 200);
  endpoint_.wait_for(2);
  await_push_state(id, "sent");
  ASSERT_EQ(post("admin", "/v1/tasks/" + id + "/redispatch", Json::object()).status, 200);

  for (const std::string& name : {"external_id=" + first, "dispatch_id=" + internal, "dispatch_id=" + internal + ":r1",
                                  "dispatch_id=" + internal + ":r2"}) {
    const HttpAnswer found = get("viewer", "/v1/dispatches?" + name);
    ASSERT_EQ(found.status, 200) << name << found.body;
    EXPECT_EQ(found.json()["task_uuid"], id);
    EXPECT_EQ(found.json()["dispatch_id"], internal + ":r2");
  }
  EXPECT_EQ(get("viewer", "/v1/dispatches?dispatch_id=" + internal + ":r3").status, 404);
}

TEST_F(FindingDispatches, TimersOfPushedTasksAreFoundByBothIdentifiers) {
  answer_with([](const EndpointRequest&) { return reply(202); });
  const std::string id = push_task();
  await_push_state(id, "sent");
  const Json timer = task(id)["timers"][0];

  const HttpAnswer found = find("external_id", timer["external_id"]);

  EXPECT_EQ(found.status, 200) << found.body;
  EXPECT_EQ(found.json()["task_uuid"], id);
  EXPECT_EQ(found.json()["timers"], task(id)["timers"]);
  EXPECT_EQ(find("dispatch_id", timer["timer_id"]).json(), found.json());
}

TEST_F(FindingDispatches, TimersOfPolledTasksAreFoundWithTheAttemptThatTheyAreOf) {
  const auto [id, first] = polled();
  const std::string name = heartbeat_timer(id, clock_.now() + 30s);
  fail(first["attempt_id"]);
  pass(10s);
  ASSERT_EQ(lease("default")["task_uuid"], id);

  for (const HttpAnswer& found : {find("dispatch_id", name), find("external_id", external(name))}) {
    EXPECT_EQ(found.status, 200) << found.body;
    EXPECT_EQ(found.json()["attempt"], 1);
    ASSERT_EQ(found.json()["timers"].size(), 2u);
    EXPECT_EQ(found.json()["timers"][0]["timer_id"], name);
    EXPECT_EQ(found.json()["timers"][0]["state"], "CANCELLED");
    EXPECT_EQ(found.json()["timers"][1]["type"], "retry");
    EXPECT_EQ(found.json()["timers"][1]["state"], "FIRED");
  }
}

TEST_F(FindingDispatches, TasksOfRunsAreFoundByBothIdentifiers) {
  Json items = Json::array({"a", "b", "c"});
  put_template("fan", {{"steps",
                        {{{"name", "first"}, {"handler", "mail"}, {"queue", "q"}},
                         {{"name", "mail"}, {"handler", "mail"}, {"queue", "q"}, {"for_each", {{"path", "/to"}}}}}}});
  const std::string run = create("admin", {{"namespace", "shop"}, {"name", "fan"}, {"context", {{"to", items}}}});
  std::set<std::string> keys;
  for (Json next = lease("q"); !next.is_null(); next = lease("q")) {
    const std::string internal = next["dispatch_id"];
    for (const HttpAnswer& found : {find("dispatch_id", internal), find("external_id", external(internal))})
      EXPECT_EQ(found.json()["task_uuid"], next["task_uuid"]) << found.body;
    keys.insert(internal);
  }

  EXPECT_EQ(keys, (std::set<std::string>{"dispatch:" + run + ":first:1", "dispatch:" + run + ":mail[0]:1",
                                         "dispatch:" + run + ":mail[1]:1", "dispatch:" + run + ":mail[2]:1"}));
  EXPECT_EQ(find("dispatch_id", "dispatch:" + run + ":mail[3]:1").status, 404);
}

TEST_F(FindingDispatches, ALookThatTakesLongSaysHowFarItCameAndWhereToGoOn) {
  const std::string id = polled().first;
  const std::string wanted = attempt(id)["external_id"];
  const Json task{{"handler", "charge"}, {"queue", "default"}};
  post("admin", "/v1/tasks:batch", {{"tasks", std::vector<Json>(100, task)}});
  clock_.pass_with_each_look(1s);

  const HttpAnswer first = find("external_id", wanted);

  ASSERT_EQ(first.status, 202) << first.body;
  EXPECT_EQ(first.json()["looked_at"], 64);
  EXPECT_EQ(first.json()["looked_back_to"], "2026-01-20T12:00:00.000Z");
  const HttpAnswer second = find("external_id", wanted, "&cursor=" + first.json()["next"].get<std::string>());
  EXPECT_EQ(second.status, 200) << second.body;
  EXPECT_EQ(second.json()["task_uuid"], id);
}

TEST_F(FindingDispatches, WhatNothingIsCalledIsNotFound) {
  polled();

  for (const char* name : {"d_aaaaaaaaaaaaaaaaaaaaaaaaaa", "t_aaaaaaaaaaaaaaaaaaaaaaaaaa", "d_short", "x"})
    EXPECT_EQ(find("external_id", name).status, 404) << name;
  EXPECT_EQ(find("external_id", "d_aaaaaaaaaaaaaaaaaaaaaaaaaa", "&cursor=x").status, 400);
}

/// One key looks through everything only if it may read everything; what it created itself it finds by name.
TEST_F(FindingDispatches, TheLookNeedsThePermissionToReadTasks) {
  const auto [id, lease] = polled();
  const std::string external = lease["external_id"];

  EXPECT_EQ(get("worker", "/v1/dispatches?external_id=" + external).status, 403);
  EXPECT_EQ(get("worker", "/v1/dispatches?dispatch_id=dispatch:" + id + ":charge:1").status, 404);
}

}  // namespace
}  // namespace semel::test
