#include <gmock/gmock.h>

#include "tests/integration/run_fixture.hpp"
#include "tests/support/expect_answer.hpp"

/// What people do to runs.
namespace semel::test {
namespace {

using TaskKeys = std::vector<std::string>;

class RunByHand : public RunFixture {
 protected:
  /// a → b (blocked when a fails) → c, of which a has failed.
  std::string blocked() {
    const std::string run = start({step("a"), step("b", {"a"}, {{"on_upstream_failure", "block"}}), step("c", {"b"})});
    lease_all();
    give_up("a");
    return run;
  }
  Json detail_of(const std::string& run, const std::string& kind) {
    const Json page = get("admin", "/v1/tasks/" + run + "/history").json();
    for (const Json& each : page["events"]) {
      if (each["kind"] == kind) return each.value("detail", Json());
    }
    return Json();
  }
  std::string last_audited() {
    const Json entry = get("admin", "/v1/audit?limit=1").json()["entries"][0];
    return entry["actor"].get<std::string>() + " " + entry["action"].get<std::string>() + " " +
           entry["subject"].get<std::string>();
  }
};

TEST_F(RunByHand, ABlockedStepIsGivenItsResult) {
  const std::string run = blocked();
  EXPECT_EQ(states(run), "a=failed b=blocked(upstream_failed) c=waiting");
  EXPECT_EQ(task(run)["status"], "suspended");

  const HttpAnswer answer = resolve(run, "b", {{"result", {{"paid", "in cash"}}}, {"why", "by phone"}});

  EXPECT_EQ(answer.status, 200) << answer.body;
  EXPECT_EQ(answer.json(), (Json{{"task_uuid", run}, {"status", "suspended"}}));
  EXPECT_EQ(states(run), "a=failed b=completed(resolved) c=pending");
  EXPECT_EQ(task(run)["steps"][1]["result"], (Json{{"paid", "in cash"}}));
  EXPECT_EQ(detail_of(run, "step_resolved"), (Json{{"by", "admin"}, {"why", "by phone"}}));
  EXPECT_EQ(last_audited(), "admin run.resolve " + run + "/b");
  lease_all();
  EXPECT_EQ(lease_of("c")["upstream"]["b"], (Json{{"status", "completed"}, {"result", {{"paid", "in cash"}}}}));
}

TEST_F(RunByHand, OnlyABlockedStepIsResolvedAndOnlyByAnAdministrator) {
  const std::string run = blocked();
  const std::string target = "/v1/tasks/" + run + "/steps/b/resolve";

  expect_refusal(resolve(run, "a", {{"result", 1}}), 409, "NOT_RESOLVABLE", "step 'a' is failed");
  expect_refusal(resolve(run, "x", {{"result", 1}}), 404, "NOT_FOUND", "has no step 'x'");
  expect_refusal(resolve(run, "b", Json::object()), 400, "BAD_REQUEST", "result is required");
  expect_refusal(resolve(run, "b", {{"result", 1}, {"because", 1}}), 400, "BAD_REQUEST", "unknown field 'because'");
  expect_refusal(resolve(run, "b", {{"result", 1}, {"why", std::string(1'001, 'x')}}), 400, "BAD_REQUEST", "at most");
  expect_refusal(post("reader", target, {{"result", 1}}), 403, "FORBIDDEN", "admin");
  expect_refusal(post("globex", target, {{"result", 1}}), 404, "NOT_FOUND", "no run");
  EXPECT_EQ(states(run), "a=failed b=blocked(upstream_failed) c=waiting");
}

TEST_F(RunByHand, ARunGoesOnFromItsFailedSteps) {
  const std::string run = start({step("a"), step("b", {"a"}), step("c", {"b"})});
  lease_all();
  finish("a", 1);
  lease_all();
  give_up("b");
  ASSERT_EQ(task(run)["status"], "failed");

  const HttpAnswer answer = retry(run, {{"why", "mended"}});

  EXPECT_EQ(answer.json(), (Json{{"task_uuid", run}, {"status", "suspended"}})) << answer.body;
  EXPECT_EQ(states(run), "a=completed b=pending c=waiting");
  EXPECT_EQ(detail_of(run, "step_retried"), (Json{{"by", "admin"}, {"why", "mended"}}));
  EXPECT_EQ(last_audited(), "admin run.retry " + run);
  EXPECT_EQ(work_off(), (TaskKeys{"b", "c"}));
  EXPECT_EQ(task(run)["result"], (Json{{"a", 1}, {"b", "of b"}, {"c", "of c"}}));
}

TEST_F(RunByHand, AStepIsRetriedByItsNameOrItsTask) {
  const std::string run = start({step("a"), step("b")});
  lease_all();
  give_up("a");
  give_up("b");

  EXPECT_EQ(retry(run, {{"steps", {"a"}}}).status, 200);
  EXPECT_EQ(states(run), "a=pending b=failed");
  const HttpAnswer answer = retry(task(run)["steps"][1]["task_uuid"]);

  EXPECT_EQ(answer.json()["status"], "pending") << answer.body;
  EXPECT_EQ(work_off(), (TaskKeys{"a", "b"}));
  EXPECT_EQ(task(run)["status"], "completed");
  expect_refusal(retry(run), 409, "NOT_RETRYABLE", "completed");
}

TEST_F(RunByHand, WhatCannotBeRetriedIsTold) {
  const std::string run = blocked();
  const std::string plain = create("admin", {{"handler", "mail"}});

  expect_refusal(retry(run, {{"steps", {"b"}}}), 409, "NOT_RETRYABLE", "step 'b' has not run");
  expect_refusal(retry(run, {{"steps", {"x"}}}), 409, "NOT_RETRYABLE", "no step 'x'");
  expect_refusal(retry(run, {{"steps", Json::array()}}), 400, "BAD_REQUEST", "at least one step");
  expect_refusal(retry(plain, {{"steps", {"x"}}}), 400, "BAD_REQUEST", "steps are of runs");
  expect_refusal(retry(plain, {{"why", "x"}}), 400, "BAD_REQUEST", "why is recorded in the history of runs");
}

TEST_F(RunByHand, CancellingARunFlowsDownToItsTasks) {
  const std::string run = start({step("a"), step("b"), step("c", {"a"})});
  const Json leased = lease("default");

  const HttpAnswer answer = post("admin", "/v1/tasks/" + run + "/cancel", {{"why", "enough"}});

  EXPECT_EQ(answer.status, 202) << answer.body;
  const std::string running = leased["task_key"];  // whichever of the two came first
  const std::string other = running == "a" ? "b" : "a";
  EXPECT_THAT(states(run),
              testing::AllOf(testing::HasSubstr(running + "=running"), testing::HasSubstr(other + "=cancelled"),
                             testing::HasSubstr("c=cancelled(run_cancelled)")));
  const std::string attempt = "/v1/attempts/" + leased["attempt_id"].get<std::string>();
  EXPECT_EQ(post("admin", attempt + "/heartbeat", Json::object()).json()["should_cancel"], true);
  EXPECT_EQ(fail(leased["attempt_id"]).status, 200);
  EXPECT_EQ(task(run)["status"], "cancelled");
  EXPECT_EQ(detail_of(run, "cancel_requested"), (Json{{"by", "admin"}, {"why", "enough"}}));
  EXPECT_EQ(work_off(), TaskKeys{});
}

TEST_F(RunByHand, ManyRunsAreCancelledAtOnce) {
  const std::string run = start({step("a"), step("b", {"a"})});

  const Json done = post("admin", "/v1/tasks:cancel?name=order", Json::object()).json();

  EXPECT_EQ(done["done"], 1);
  EXPECT_EQ(task(run)["status"], "cancelled");
}

}  // namespace
}  // namespace semel::test
