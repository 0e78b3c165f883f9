#include "tests/integration/workflow_fixture.hpp"

namespace semel::test {
namespace {

class Promises : public WorkflowFixture {
 protected:
  HttpAnswer settle(const std::string& target, const Json& body, const std::string& key = "admin") {
    return post(key, "/v1/promises" + target, body);
  }
  Json shown(const std::string& id) { return get("admin", "/v1/promises/" + id).json(); }
};

TEST_F(Promises, AreResolvedOnce) {
  const std::string id = promised();

  const HttpAnswer first = settle("/" + id + "/resolve", {{"value", {{"yes", 1.0}}}});
  const HttpAnswer again = settle("/" + id + "/resolve", {{"value", 2}});
  const HttpAnswer rejected = settle("/" + id + "/reject", {{"error", failure}});

  EXPECT_EQ(first.status, 200);
  EXPECT_EQ(first.json(), (Json{{"promise_id", id}, {"status", "completed"}, {"already_resolved", false}}));
  EXPECT_EQ(again.status, 200);
  EXPECT_EQ(again.json(), (Json{{"promise_id", id}, {"status", "completed"}, {"already_resolved", true}}));
  EXPECT_EQ(rejected.json(), again.json());
  EXPECT_EQ(shown(id), (Json{{"promise_id", id},
                             {"status", "completed"},
                             {"created_at", "2026-01-20T12:00:00.000Z"},
                             {"closed_at", "2026-01-20T12:00:00.000Z"},
                             {"created_by", "admin"},
                             {"value", {{"yes", 1.0}}}}));
  EXPECT_EQ(get("admin", "/v1/tasks/" + id + "/result").json()["result"], (Json{{"yes", 1.0}}));
}

TEST_F(Promises, AreRejectedWithAReason) {
  const std::string id = promised();

  EXPECT_EQ(settle("/" + id + "/reject", Json::object()).status, 400);
  EXPECT_EQ(settle("/" + id + "/reject", {{"error", "no"}}).status, 400);
  const HttpAnswer rejected = settle("/" + id + "/reject", {{"error", failure}});

  EXPECT_EQ(rejected.json(), (Json{{"promise_id", id}, {"status", "failed"}, {"already_resolved", false}}));
  EXPECT_EQ(shown(id)["error"], failure);
}

TEST_F(Promises, AreSettledByTheirKey) {
  const std::string first = promised({{"idempotency_key", "approve-7"}});
  const std::string second = promised({{"idempotency_key", "approve-8"}});

  const HttpAnswer resolved = settle(":resolve", {{"key", "approve-7"}, {"value", true}});
  const HttpAnswer again = settle(":resolve", {{"key", "approve-7"}, {"value", false}});
  const HttpAnswer rejected = settle(":reject", {{"key", "approve-8"}, {"error", failure}});

  EXPECT_EQ(resolved.json(), (Json{{"promise_id", first}, {"status", "completed"}, {"already_resolved", false}}));
  EXPECT_EQ(again.status, 200);
  EXPECT_EQ(again.json()["already_resolved"], true);
  EXPECT_EQ(shown(first)["value"], true);
  EXPECT_EQ(rejected.json()["promise_id"], second);
  EXPECT_EQ(settle(":resolve", {{"key", "nobody"}}).status, 404);
  EXPECT_EQ(settle(":resolve", {{"value", 1}}).message(), "key is required: the idempotency_key of the promise");
}

TEST_F(Promises, ResolvedWithNothingSaidAreNull) {
  const std::string id = promised();

  settle("/" + id + "/resolve", Json::object());

  EXPECT_TRUE(shown(id)["value"].is_null());
  EXPECT_TRUE(shown(id).contains("value"));
}

TEST_F(Promises, AreCreatedOnceForEachKey) {
  const HttpAnswer first = promise({{"idempotency_key", "approve-7"}});
  const std::string id = first.json()["promise_id"];
  const HttpAnswer opaque = promise({{"idempotency_key", "approve-7"}});
  settle("/" + id + "/resolve", {{"value", true}});
  const HttpAnswer told = promise({{"idempotency_key", "approve-7"}, {"on_duplicate", "return_existing"}});

  EXPECT_EQ(first.status, 201);
  EXPECT_EQ(
      first.json(),
      (Json{
          {"promise_id", id}, {"idempotency_key", "approve-7"}, {"status", "pending"}, {"idempotency_key_new", true}}));
  EXPECT_EQ(opaque.status, 409);
  EXPECT_EQ(opaque.code(), "CONFLICT");
  EXPECT_EQ(told.status, 200);
  EXPECT_EQ(told.json()["promise_id"], id);
  EXPECT_EQ(told.json()["value"], true);
  EXPECT_EQ(told.json()["idempotency_key_new"], false);
}

TEST_F(Promises, MayHaveTheirKeyInTheHeader) {
  const HttpAnswer made = ask({"POST", "/v1/promises", "admin", "", {{"Idempotency-Key", "\"approve-7\""}}});

  EXPECT_EQ(made.status, 201) << made.body;
  EXPECT_EQ(made.json()["idempotency_key"], "approve-7");
}

TEST_F(Promises, TimeOut) {
  const std::string id = promised({{"timeout_ms", 60'000}});
  EXPECT_EQ(shown(id)["deadline"], "2026-01-20T12:01:00.000Z");

  clock_.advance(60s);
  maintain();

  EXPECT_EQ(shown(id)["status"], "timed_out");
  const HttpAnswer late = settle("/" + id + "/resolve", {{"value", 1}});
  EXPECT_EQ(late.status, 200);
  EXPECT_EQ(late.json(), (Json{{"promise_id", id}, {"status", "timed_out"}, {"already_resolved", true}}));
  EXPECT_EQ(promise({{"timeout_ms", 0}}).status, 400);
}

TEST_F(Promises, OfAWorkflowWakeIt) {
  const std::string id = started();
  run_code(says({code::CreatePromise{"approve-7", {}, {}, {}}}));
  EXPECT_EQ(workflow(id)["status"], "suspended");

  settle(":resolve", {{"key", "approve-7"}, {"value", true}});

  EXPECT_EQ(workflow(id)["status"], "pending");
  EXPECT_EQ(events(id), "run_started, promise_created, task_completed");
}

TEST_F(Promises, AreNoTasksForAnybody) {
  const std::string id = promised();

  EXPECT_TRUE(lease("default").is_null());
  const Json shown = task(id);
  EXPECT_EQ(shown["kind"], "promise");
  EXPECT_FALSE(shown.contains("handler"));
  EXPECT_EQ(get("admin", "/v1/tasks?kind=promise").json()["tasks"].size(), 1u);
}

TEST_F(Promises, AreOnlyPromises) {
  const std::string task = create("admin", {{"handler", "charge"}, {"idempotency_key", "task-1"}});

  EXPECT_EQ(get("admin", "/v1/promises/" + task).status, 404);
  EXPECT_EQ(settle("/" + task + "/resolve", {{"value", 1}}).status, 404);
  EXPECT_EQ(settle(":resolve", {{"key", "task-1"}, {"value", 1}}).status, 404);
}

TEST_F(Promises, AreNotForOtherTenantsNorForWhoMayNot) {
  const std::string id = promised({{"idempotency_key", "approve-7"}}, "maker");

  EXPECT_EQ(get("globex", "/v1/promises/" + id).status, 404);
  EXPECT_EQ(settle("/" + id + "/resolve", {{"value", 1}}, "globex").status, 404);
  EXPECT_EQ(settle(":resolve", {{"key", "approve-7"}, {"value", 1}}, "globex").status, 404);
  EXPECT_EQ(get("other", "/v1/promises/" + id).status, 404);
  EXPECT_EQ(get("maker", "/v1/promises/" + id).status, 200);
  EXPECT_EQ(promise(Json::object(), "viewer").status, 403);
  EXPECT_EQ(settle("/" + id + "/resolve", {{"value", 1}}, "viewer").status, 403);
  EXPECT_EQ(shown(id)["status"], "pending");
}

/// The three cases of the REST interface that the idempotency keys of tasks were first asked for with.
class RestTaskKeys : public ServerFixture {};

TEST_F(RestTaskKeys, test_rest_create_task_with_idempotency_key) {
  const HttpAnswer made = submit("admin", {{"handler", "charge"}, {"idempotency_key", "job:batch_12345"}});

  EXPECT_EQ(made.status, 201);
  EXPECT_EQ(made.json()["idempotency_key_used"], true);
  EXPECT_EQ(made.json()["idempotency_key_new"], true);
}

TEST_F(RestTaskKeys, test_rest_create_task_idempotency_key_duplicate) {
  const Json task{{"handler", "charge"}, {"idempotency_key", "k"}, {"on_duplicate", "return_existing"}};
  const std::string id = create("admin", task);

  const HttpAnswer again = submit("admin", task);

  EXPECT_EQ(again.status, 200);
  EXPECT_EQ(again.json()["task_uuid"], id);
  EXPECT_EQ(again.json()["idempotency_key_new"], false);
}

TEST_F(RestTaskKeys, test_rest_create_task_idempotency_key_conflict) {
  post("admin", "/v1/promises", {{"idempotency_key", "of-promise"}});
  post("admin", "/v1/workflows", {{"workflow_id", "of-workflow"}, {"kind", "process_order"}});
  create("admin", {{"handler", "charge"}, {"idempotency_key", "of-task"}});

  for (const char* key : {"of-promise", "of-workflow", "of-task"}) {
    const HttpAnswer other = submit("admin", {{"handler", "other"}, {"idempotency_key", key}});
    EXPECT_EQ(other.status, 409) << key;
    EXPECT_EQ(other.code(), "IDEMPOTENCY_KEY_CONFLICT") << key;
  }
}

}  // namespace
}  // namespace semel::test
