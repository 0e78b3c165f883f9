#include "tests/integration/workflow_fixture.hpp"

namespace semel::test {
namespace {

class Workflows : public WorkflowFixture {};

constexpr const char* no_execution = "019bddae-0000-7000-8000-000000000000";

TEST_F(Workflows, AreStartedOnceForEachWorkflowId) {
  const HttpAnswer first = start_workflow(order());
  const HttpAnswer opaque = start_workflow(order());
  const HttpAnswer told = start_workflow(order({{"on_duplicate", "return_existing"}}));
  const HttpAnswer described = start_workflow(order({{"on_duplicate", "describe"}}));

  EXPECT_EQ(first.status, 201);
  const std::string id = first.json()["workflow_execution_id"];
  EXPECT_EQ(first.json(), (Json{{"workflow_execution_id", id},
                                {"workflow_id", "order-1"},
                                {"status", "pending"},
                                {"idempotency_key_new", true}}));
  EXPECT_EQ(opaque.status, 409);
  EXPECT_EQ(opaque.code(), "CONFLICT");
  EXPECT_EQ(told.status, 200);
  EXPECT_EQ(told.json(), (Json{{"workflow_execution_id", id},
                               {"workflow_id", "order-1"},
                               {"status", "pending"},
                               {"idempotency_key_new", false}}));
  EXPECT_EQ(described.status, 409);
  EXPECT_EQ(described.code(), "TASK_ALREADY_EXISTS");
  EXPECT_EQ(described.json()["error"]["existing_execution_id"], id);
}

TEST_F(Workflows, WithTheSameIdAndAnotherInputOrKindAreRefused) {
  started();

  const HttpAnswer input = start_workflow(order({{"input", {{"order", 8}}}}));
  const HttpAnswer kind = start_workflow(order({{"kind", "other"}}));
  const HttpAnswer ignored =
      start_workflow(order({{"input", 1}, {"on_payload_mismatch", "ignore"}, {"on_duplicate", "return_existing"}}));

  EXPECT_EQ(input.status, 422);
  EXPECT_EQ(input.json()["error"]["pointers"], Json::array({"/order"}));
  EXPECT_EQ(kind.status, 409);
  EXPECT_EQ(kind.code(), "IDEMPOTENCY_KEY_CONFLICT");
  EXPECT_EQ(ignored.status, 200);
}

TEST_F(Workflows, ShareTheSpaceOfKeysWithTasksAndPromises) {
  started();
  create("admin", {{"handler", "charge"}, {"idempotency_key", "task-1"}});
  promised({{"idempotency_key", "promise-1"}});

  for (const char* key : {"task-1", "promise-1"})
    EXPECT_EQ(start_workflow(order({{"workflow_id", key}})).code(), "IDEMPOTENCY_KEY_CONFLICT") << key;
  EXPECT_EQ(submit("admin", {{"handler", "process_order"}, {"idempotency_key", "order-1"}}).code(),
            "IDEMPOTENCY_KEY_CONFLICT");
  EXPECT_EQ(promise({{"idempotency_key", "order-1"}}).code(), "IDEMPOTENCY_KEY_CONFLICT");
}

TEST_F(Workflows, NeedAWorkflowIdAndNoOtherKey) {
  const auto message = [&](const Json& start) {
    const HttpAnswer answer = start_workflow(start);
    EXPECT_EQ(answer.status, 400) << start;
    return answer.message();
  };

  EXPECT_EQ(message({{"kind", "a"}}), "workflow_id is required: what identifies the workflow");
  EXPECT_EQ(message({{"kind", "a"}, {"idempotency_key", "k"}}),
            "workflow_id is required: what identifies the workflow");
  EXPECT_EQ(message({{"workflow_id", "a"}}), "kind is required: which workflow it is");
  EXPECT_EQ(message(order({{"idempotency_key", "other"}})),
            "workflow_id is the idempotency_key of a workflow; both are given and differ");
  EXPECT_EQ(message(order({{"kind", "workflow:a"}})), "kind must be 1 to 100 characters of A-Z a-z 0-9 _ . -");
  EXPECT_EQ(message(order({{"workflow_id", ""}})), "workflow_id must not be empty; leave it out to send none");
  EXPECT_EQ(ask({"POST", "/v1/workflows", "admin", order().dump(), {{"Idempotency-Key", "other"}}}).status, 400);
  EXPECT_EQ(start_workflow(order({{"idempotency_key", "order-1"}})).status, 201);
}

TEST_F(Workflows, AreShownWithWhatTheirCodeSaysAndWaitsFor) {
  const std::string id = started(order({{"labels", {{"team", "a"}}}, {"priority", 5}}));
  code::Answer said = says({task_of("charge", R"({"cents":5})"), code::StartTimer{std::nullopt, 1h}});
  said.status = R"({"step":"paying"})";
  run_code(std::move(said));

  const Json shown = workflow(id);

  EXPECT_EQ(shown, (Json{{"workflow_execution_id", id},
                         {"workflow_id", "order-1"},
                         {"kind", "process_order"},
                         {"status", "suspended"},
                         {"queue", "default"},
                         {"priority", 5},
                         {"created_at", "2026-01-20T12:00:00.000Z"},
                         {"run_at", "2026-01-20T12:00:00.000Z"},
                         {"started_at", "2026-01-20T12:00:00.000Z"},
                         {"created_by", "admin"},
                         {"input", {{"order", 7}}},
                         {"labels", {{"team", "a"}}},
                         {"custom_status", {{"step", "paying"}}},
                         {"timers", {{{"command", 2}, {"fire_at", "2026-01-20T13:00:00.000Z"}}}},
                         {"history_length", 3},
                         {"open_children", 1}}));
  EXPECT_EQ(events(id), "run_started, task_scheduled, timer_started");
}

TEST_F(Workflows, AreFoundByTheirWorkflowId) {
  const std::string id = started();
  create("admin", {{"handler", "charge"}, {"idempotency_key", "task-1"}});

  const Json found = get("viewer", "/v1/workflows?workflow_id=order-1").json();

  EXPECT_EQ(found["workflow_execution_id"], id);
  EXPECT_EQ(found["held"], true);
  EXPECT_EQ(found["holder"]["execution_id"], id);
  EXPECT_EQ(get("viewer", "/v1/workflows?workflow_id=nobody").status, 404);
  EXPECT_EQ(get("viewer", "/v1/workflows?workflow_id=task-1").status, 404);
  EXPECT_EQ(get("viewer", "/v1/workflows").status, 400);
}

TEST_F(Workflows, ThatAreGoneAreStillFoundByTheirWorkflowId) {
  const std::string id = started();
  run_code(ends_with("1"));
  remove("acme", id);

  const Json found = get("viewer", "/v1/workflows?workflow_id=order-1").json();

  EXPECT_EQ(found["held"], true);
  EXPECT_EQ(found["holder"]["result_expired"], true);
  EXPECT_FALSE(found.contains("workflow_execution_id"));
}

TEST_F(Workflows, HaveAHistoryInPages) {
  const std::string id = started();
  for (const char* name : {"a", "b"}) signal(id, {{"name", name}});

  const Json page = get("viewer", "/v1/workflows/" + id + "/events?limit=2").json();

  ASSERT_EQ(page["events"].size(), 2u);
  EXPECT_EQ(page["events"][0]["detail"], (Json{{"kind", "process_order"}, {"input", {{"order", 7}}}}));
  const Json rest =
      get("viewer", "/v1/workflows/" + id + "/events?cursor=" + page["next_cursor"].get<std::string>()).json();
  ASSERT_EQ(rest["events"].size(), 1u);
  EXPECT_EQ(rest["events"][0]["sequence"], 3);
  EXPECT_FALSE(rest.contains("next_cursor"));
}

TEST_F(Workflows, TellTheirResultToDuplicatesAndToWhoWaits) {
  const std::string id = started();
  run_code(ends_with(R"({"sent": true})"));

  EXPECT_EQ(workflow(id)["result"], (Json{{"sent", true}}));
  EXPECT_EQ(get("admin", "/v1/tasks/" + id + "/result").json()["result"], (Json{{"sent", true}}));
  const HttpAnswer again = start_workflow(order({{"on_duplicate", "return_existing"}}));
  EXPECT_EQ(again.status, 200);
  EXPECT_EQ(again.json()["status"], "completed");
  EXPECT_EQ(again.json()["result"], (Json{{"sent", true}}));
}

TEST_F(Workflows, AreCancelledOnce) {
  const std::string id = started();

  const HttpAnswer first = post("admin", "/v1/workflows/" + id + "/cancel", {{"why", "enough"}});
  const HttpAnswer second = post("admin", "/v1/workflows/" + id + "/cancel", Json::object());

  EXPECT_EQ(first.status, 200);
  EXPECT_EQ(first.json(), (Json{{"workflow_execution_id", id}, {"status", "cancelled"}}));
  EXPECT_EQ(second.status, 409);
  EXPECT_EQ(second.code(), "NOT_CANCELLABLE");
}

TEST_F(Workflows, WhatTheyBeganIsListedAndHasItsOwnContext) {
  const std::string id = started();
  code::StartChild child;
  child.kind = "ship";
  run_code(says({task_of("charge", R"({"cents":5})"), child, code::CreatePromise{"approve-7", {}, {}, {}}}));

  const Json listed = get("viewer", "/v1/tasks?parent=" + id).json()["tasks"];

  std::map<std::string, Json> by_key;
  for (const Json& each : listed) by_key[each["task_key"]] = each;
  ASSERT_EQ(by_key.size(), 3u) << listed;
  EXPECT_EQ(by_key["charge#1"]["handler"], "charge");
  EXPECT_EQ(task(by_key["charge#1"]["task_uuid"])["context"], (Json{{"cents", 5}}));
  const Json of_child = by_key["workflow:ship#2"];
  EXPECT_EQ(of_child["kind"], "workflow");
  EXPECT_EQ(of_child["handler"], "ship");
  EXPECT_EQ(workflow(of_child["task_uuid"])["run_id"], id);
  const Json of_promise = by_key["promise#3"];
  EXPECT_EQ(of_promise["kind"], "promise");
  EXPECT_FALSE(of_promise.contains("handler"));
  EXPECT_EQ(get("viewer", "/v1/promises/" + of_promise["task_uuid"].get<std::string>()).json()["run_id"], id);
}

TEST_F(Workflows, AreTasksToo) {
  const std::string id = started();

  const Json shown = task(id);

  EXPECT_EQ(shown["kind"], "workflow");
  EXPECT_EQ(shown["handler"], "process_order");
  EXPECT_EQ(shown["context"], (Json{{"order", 7}}));
  EXPECT_FALSE(shown.contains("steps"));
  EXPECT_EQ(get("admin", "/v1/tasks?kind=workflow").json()["tasks"][0]["handler"], "process_order");
  EXPECT_EQ(get("admin", "/v1/tasks?kind=workflow&handler=process_order").json()["tasks"].size(), 1u);
  EXPECT_EQ(get("admin", "/v1/tasks?kind=workflow&handler=other").json()["tasks"].size(), 0u);
  EXPECT_EQ(get("admin", "/v1/tasks?handler=process_order").json()["tasks"].size(), 0u) << "no task has this handler";
  EXPECT_EQ(get("admin", "/v1/tasks?kind=task").json()["tasks"].size(), 0u);
  EXPECT_TRUE(lease("default").is_null()) << "no worker over HTTP gets a workflow";
}

TEST_F(Workflows, AndWhatTheyBeganAreNotTriedAgain) {
  const std::string id = started();
  run_code(says({code::ScheduleTask{.handler = "charge"}}));
  const std::string task = get("admin", "/v1/tasks?parent=" + id).json()["tasks"][0]["task_uuid"];
  const std::string promise_id = promised();
  ASSERT_EQ(post("admin", "/v1/promises/" + promise_id + "/reject", {{"error", failure}}).status, 200);
  ASSERT_EQ(post("admin", "/v1/workflows/" + id + "/cancel", Json::object()).status, 200);

  for (const std::string& each : {id, task, promise_id})
    expect_refusal(post("admin", "/v1/tasks/" + each + "/retry", Json::object()), 409, "NOT_RETRYABLE", each);
}

TEST_F(Workflows, AreNoRunsOfSteps) {
  put_template("order", {{"steps", {{{"name", "a"}, {"handler", "a"}}, {{"name", "b"}, {"handler", "b"}}}}});
  const std::string run = create("admin", {{"namespace", "shop"}, {"name", "order"}});
  const std::string task = create("admin", {{"handler", "charge"}});

  for (const std::string& id : {run, task, std::string(no_execution)}) {
    const std::string target = "/v1/workflows/" + id;
    EXPECT_EQ(get("admin", target).status, 404) << id;
    EXPECT_EQ(get("admin", target + "/events").status, 404) << id;
    EXPECT_EQ(post("admin", target + "/cancel", Json::object()).status, 404) << id;
    EXPECT_EQ(signal(id, {{"name", "a"}}).status, 404) << id;
  }
}

TEST_F(Workflows, AreNotForOtherTenantsNorForWhoMayNot) {
  const std::string id = started(order(), "maker");
  const std::string target = "/v1/workflows/" + id;

  for (const char* key : {"globex", "other"}) {
    EXPECT_EQ(get(key, target).status, 404) << key;
    EXPECT_EQ(get(key, target + "/events").status, 404) << key;
    EXPECT_EQ(get(key, "/v1/workflows?workflow_id=order-1").status, 404) << key;
  }
  EXPECT_EQ(signal(id, {{"name", "a"}}, "globex").status, 404);
  EXPECT_EQ(post("globex", target + "/cancel", Json::object()).status, 404);
  EXPECT_EQ(start_workflow(order({{"input", 1}}), "globex").status, 201) << "another tenant has its own ids";
  EXPECT_EQ(get("maker", target).status, 200);
  EXPECT_EQ(start_workflow(order(), "viewer").status, 403);
  EXPECT_EQ(signal(id, {{"name", "a"}}, "viewer").status, 403);
  EXPECT_EQ(post("maker", target + "/cancel", Json::object()).status, 403);
}

class Signals : public WorkflowFixture {};

TEST_F(Signals, WithAKeyAreReceivedOnce) {
  const std::string id = started();

  const HttpAnswer first = signal(id, {{"name", "note"}, {"value", 1}, {"key", "k"}});
  const HttpAnswer again = signal(id, {{"name", "note"}, {"value", 1}, {"key", "k"}});
  const HttpAnswer other = signal(id, {{"name", "other"}, {"key", "k"}});

  EXPECT_EQ(first.status, 200);
  EXPECT_EQ(first.json(), (Json{{"already_received", false}}));
  EXPECT_EQ(again.status, 200);
  EXPECT_EQ(again.json(), (Json{{"already_received", true}}));
  EXPECT_EQ(other.json(), (Json{{"already_received", false}}));
  EXPECT_EQ(events(id), "run_started, signal_received, signal_received");
}

TEST_F(Signals, WithoutAKeyAreAllReceived) {
  const std::string id = started();

  for (int i = 0; i < 2; ++i) EXPECT_EQ(signal(id, {{"name", "note"}}).json()["already_received"], false);

  EXPECT_EQ(workflow(id)["history_length"], 3);
}

TEST_F(Signals, ToAClosedWorkflowAreRefused) {
  const std::string id = started();
  run_code(ends_with("1"));

  const HttpAnswer late = signal(id, {{"name", "note"}});

  EXPECT_EQ(late.status, 409);
  EXPECT_EQ(late.code(), "FAILED_PRECONDITION");
}

TEST_F(Signals, NeedAName) {
  const std::string id = started();

  EXPECT_EQ(signal(id, Json::object()).message(), "name is required: which signal it is");
  EXPECT_EQ(signal(id, {{"name", 1}}).status, 400);
  EXPECT_EQ(signal(id, {{"name", "a"}, {"key", ""}}).status, 400);
}

}  // namespace
}  // namespace semel::test
