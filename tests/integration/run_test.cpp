#include "domain/dispatch_id.hpp"
#include "domain/workflow/step_id.hpp"
#include "tests/integration/run_fixture.hpp"
#include "tests/support/expect_answer.hpp"

namespace semel::test {
namespace {

using TaskKeys = std::vector<std::string>;

class Run : public RunFixture {};

TEST_F(Run, GoesFromStepToStepAndItsResultIsTheirs) {
  const std::string run = start({step("a"), step("b", {"a"}), step("c", {"b"})}, {{"order", 7}});

  EXPECT_EQ(states(run), "a=pending b=waiting c=waiting");
  EXPECT_EQ(lease_all(), TaskKeys{"a"});
  EXPECT_EQ(states(run), "a=running b=waiting c=waiting");
  finish("a", {{"total", 100}});
  EXPECT_EQ(lease_all(), TaskKeys{"b"});
  finish("b", nullptr);
  EXPECT_EQ(work_off(), TaskKeys{"c"});

  const Json view = task(run);
  EXPECT_EQ(view["status"], "completed");
  EXPECT_EQ(view["kind"], "workflow");
  EXPECT_EQ(view["step_count"], 3);
  EXPECT_EQ(view["result"], (Json{{"a", {{"total", 100}}}, {"b", nullptr}, {"c", "of c"}}));
  EXPECT_EQ(history(run),
            "run_started, task_scheduled a, task_completed a, task_scheduled b, task_completed b, task_scheduled c, "
            "task_completed c, run_completed");
}

TEST_F(Run, IsAnsweredLikeAnyTask) {
  put_template("order", {{"steps", {step("a"), step("b", {"a"})}}});

  const HttpAnswer made = submit("admin", submission("order", {{"order", 7}}));
  const HttpAnswer again = submit("admin", submission("order", {{"order", 7}}));
  const HttpAnswer existing =
      submit("admin", submission("order", {{"order", 7}}, {{"on_duplicate", "return_existing"}}));
  const Json batch =
      post("admin", "/v1/tasks:batch", {{"tasks", {submission("order", 1), submission("order", 1)}}}).json()["results"];
  const Json explained = post("admin", "/v1/identity/explain", submission("order", {{"order", 7}})).json();

  EXPECT_EQ(made.status, 201) << made.body;
  EXPECT_EQ(made.json()["step_count"], 2);
  EXPECT_EQ(made.json()["status"], "suspended");
  EXPECT_EQ(again.status, 409);
  EXPECT_EQ(existing.status, 200);
  EXPECT_EQ(existing.json()["step_count"], 2);
  EXPECT_EQ(existing.json()["task_uuid"], made.json()["task_uuid"]);
  EXPECT_EQ(batch[0]["status"], 201);
  EXPECT_EQ(batch[0]["body"]["step_count"], 2);
  EXPECT_EQ(batch[1]["status"], 409);
  EXPECT_EQ(explained["would"], "duplicate");
  EXPECT_EQ(explained["kind"], "workflow");
  EXPECT_EQ(explained["step_count"], 2);
}

TEST_F(Run, VersionsLiveSideBySideAndRunsKeepTheirs) {
  const auto put = [&](const std::string& version, const std::vector<Json>& steps) {
    put_template("order", {{"version", version}, {"steps", steps}, {"identity_strategy", "always_unique"}});
  };
  put("1.0.0", {step("a"), step("b", {"a"})});
  const std::string old_run = create("admin", submission("order"));
  put("2.0.0", {step("x"), step("y", {"x"})});
  const std::string new_run = create("admin", submission("order"));
  const std::string chosen = create("admin", submission("order", Json::object(), {{"version", "1.0.0"}}));
  EXPECT_EQ(ask({"DELETE", "/v1/templates/shop/order/1.0.0", "admin"}).status, 204);
  EXPECT_EQ(ask({"DELETE", "/v1/templates/shop/order/2.0.0", "admin"}).status, 204);
  restart();

  const Json poll{{"worker_id", "w1"}, {"queues", {"default"}}, {"max", 100}};
  const auto lease_more = [&] { return post("admin", "/v1/worker/poll", poll).json()["leases"]; };
  for (Json leases = lease_more(); !leases.empty(); leases = lease_more()) {
    for (const Json& each : leases) EXPECT_EQ(complete(each["attempt_id"], {{"result", 1}}).status, 200);
  }

  EXPECT_EQ(states(old_run), "a=completed b=completed");
  EXPECT_EQ(states(new_run), "x=completed y=completed");
  EXPECT_EQ(states(chosen), "a=completed b=completed");
  EXPECT_EQ(submit("admin", submission("order")).status, 404);
}

TEST_F(Run, GivesItsHandlersAllThatTheyNeed) {
  const std::string run = start({step("a"), step("b", {"a"})}, {{"order", 7}});
  lease_all();
  finish("a", {{"total", 100}});
  lease_all();

  const Json lease = lease_of("b");

  EXPECT_EQ(lease["context"], (Json{{"order", 7}}));
  EXPECT_EQ(lease["upstream"], (Json{{"a", {{"status", "completed"}, {"result", {{"total", 100}}}}}}));
  EXPECT_EQ(lease["run_id"], run);
  EXPECT_EQ(lease["task_key"], "b");
  EXPECT_FALSE(lease.contains("item"));
  const domain::DispatchIds ids = domain::dispatch_ids(run, "b", 1);
  EXPECT_EQ(lease["dispatch_id"], ids.internal);
  EXPECT_EQ(lease["external_id"], ids.external);
  EXPECT_EQ(lease["effect_key"], lease["task_uuid"]);
  const Json view = task(lease["task_uuid"]);
  EXPECT_EQ(view["run_id"], run);
  EXPECT_EQ(view["task_key"], "b");
  EXPECT_EQ(view["context"], (Json{{"order", 7}}));
  EXPECT_EQ(view["attempts"][0]["dispatch_id"], ids.internal);
}

TEST_F(Run, JoinsADiamondOnce) {
  const std::string run = start({step("a"), step("b", {"a"}), step("c", {"a"}), step("d", {"b", "c"})});
  lease_all();
  finish("a", 1);
  EXPECT_EQ(lease_all(), (TaskKeys{"b", "c"}));
  finish("c", 3);
  EXPECT_EQ(lease_all(), TaskKeys{});
  finish("b", 2);

  EXPECT_EQ(lease_all(), TaskKeys{"d"});
  EXPECT_EQ(lease_of("d")["upstream"]["c"]["result"], 3);
  EXPECT_EQ(complete(lease_of("c")["attempt_id"], {{"result", 3}}).json()["already_recorded"], true);
  finish("d", 4);
  EXPECT_EQ(task(run)["status"], "completed");
}

TEST_F(Run, FansOutOverAThousandItemsAndJoinsThem) {
  Json users = Json::array();
  for (int i = 0; i < 1'000; ++i) users.push_back({{"id", i}});
  const std::string run = start({step("list"), step("mail", {"list"}, {{"for_each", {{"step", "list"}, {"path", ""}}}}),
                                 step("report", {"mail"})});
  lease_all();
  finish("list", users);

  ASSERT_EQ(lease_all().size(), 1'000u);
  EXPECT_EQ(lease_of("mail[17]")["item"], users[17]);
  EXPECT_EQ(lease_of("mail[17]")["index"], 17);
  EXPECT_EQ(lease_of("mail[17]")["dispatch_id"], "dispatch:" + run + ":mail[17]:1");
  Json outcomes = Json::array();
  for (int i = 999; i >= 0; --i) {
    const std::string key = "mail[" + std::to_string(i) + "]";
    outcomes.push_back({{"attempt_id", lease_of(key)["attempt_id"]}, {"complete", {{"result", i}}}});
  }
  EXPECT_EQ(post("admin", "/v1/attempts:batch", {{"outcomes", outcomes}}).status, 200);

  EXPECT_EQ(lease_all(), TaskKeys{"report"});
  const Json joined = lease_of("report")["upstream"]["mail"]["result"];
  ASSERT_EQ(joined.size(), 1'000u);
  EXPECT_EQ(joined[17], 17);
  finish("report", "done");
  EXPECT_EQ(task(run)["status"], "completed");
  EXPECT_EQ(task(run)["steps"][1]["items"], (Json{{"total", 1'000}, {"completed", 1'000}}));
}

TEST_F(Run, GivesOutOnlySoManyItemsAtOnce) {
  start({step("mail", {}, {{"for_each", {{"path", "/users"}, {"max_parallel", 2}}}})}, {{"users", {1, 2, 3}}});

  EXPECT_EQ(lease_all(), (TaskKeys{"mail[0]", "mail[1]"}));
  finish("mail[1]", 1);
  EXPECT_EQ(lease_all(), TaskKeys{"mail[2]"});
}

TEST_F(Run, TakesTheArmThatItsConditionsChoose) {
  const std::vector<Json> steps{
      step("judge"), step("pay", {"judge"}, {{"when", {{"step", "judge"}, {"path", "/good"}, {"equals", true}}}}),
      step("refuse", {"judge"}, {{"when", {{"step", "judge"}, {"path", "/good"}, {"equals", false}}}}),
      step("tell", {"pay", "refuse"})};
  const std::string run = start(steps);
  lease_all();
  finish("judge", {{"good", false}});

  EXPECT_EQ(states(run), "judge=completed pay=skipped refuse=pending tell=waiting");
  EXPECT_EQ(work_off(), (TaskKeys{"refuse", "tell"}));
  EXPECT_EQ(task(run)["status"], "completed");
}

TEST_F(Run, FailsWithItsStepAndWhatDependsOnItNeverRuns) {
  const std::string run = start({step("a"), step("b", {"a"})});
  lease_all();
  give_up("a");

  const Json view = task(run);
  EXPECT_EQ(view["status"], "failed");
  EXPECT_EQ(states(run), "a=failed b=cancelled(upstream_failed)");
  EXPECT_EQ(view["error"]["steps"], Json::array({"a"}));
  EXPECT_FALSE(view["steps"][1].contains("task_uuid"));
}

TEST_F(Run, WaitsForTheHolderOfAStepsKeyAndTakesItsResult) {
  const std::vector<Json> steps{step("charge", {}, {{"idempotency_key", "payment-{{/order}}"}}),
                                step("ship", {"charge"})};
  const std::string first = start(steps, {{"order", 7}});
  const std::string second = start(steps, {{"order", 7}});

  EXPECT_EQ(states(second), "charge=suspended ship=waiting");
  EXPECT_EQ(lease_all(), TaskKeys{"charge"});
  finish("charge", "receipt");

  EXPECT_EQ(states(first), "charge=completed ship=pending");
  EXPECT_EQ(states(second), "charge=completed ship=pending");
  EXPECT_EQ(history(second).substr(0, 54), "run_started, task_scheduled charge, task_attached char");
  const Json by_key = get("admin", "/v1/tasks/by-key?key=payment-7").json();
  EXPECT_EQ(by_key["run_id"], first);
}

TEST_F(Run, IsListedWithItsTasks) {
  const std::string run = start({step("a"), step("b", {"a"})});
  create("admin", {{"handler", "mail"}});
  work_off();

  const Json tasks = get("admin", "/v1/tasks?parent=" + run).json()["tasks"];
  const Json runs = get("admin", "/v1/tasks?kind=workflow").json()["tasks"];

  ASSERT_EQ(tasks.size(), 2u);
  EXPECT_EQ(tasks[0]["task_key"], "b");
  EXPECT_EQ(tasks[1]["task_key"], "a");
  EXPECT_EQ(tasks[1]["run_id"], run);
  ASSERT_EQ(runs.size(), 1u);
  EXPECT_EQ(runs[0]["task_uuid"], run);
}

TEST_F(Run, IsDrawn) {
  const std::string run = start({step("a"), step("b", {"a"})});
  lease_all();

  const HttpAnswer json = get("admin", "/v1/tasks/" + run + "/graph");
  const HttpAnswer mermaid = get("admin", "/v1/tasks/" + run + "/graph?format=mermaid");

  EXPECT_EQ(json.json()["steps"][0],
            (Json{{"name", "a"}, {"handler", "do_a"}, {"depends_on", Json::array()}, {"status", "running"}}));
  EXPECT_EQ(mermaid.body, "flowchart TD\n  s0[\"a<br/>running\"]\n  s1[\"b<br/>waiting\"]\n  s0 --> s1\n");
  EXPECT_EQ(mermaid.headers.at("content-type"), "text/plain; charset=utf-8");
  expect_refusal(get("admin", "/v1/tasks/" + run + "/graph?format=png"), 400, "BAD_REQUEST", "json or mermaid");
  const std::string plain = create("admin", {{"handler", "mail"}});
  expect_refusal(get("admin", "/v1/tasks/" + plain + "/graph"), 404, "NOT_FOUND", "has no steps");
}

TEST_F(Run, TellsItsHistoryInPages) {
  const std::string run = start({step("a"), step("b", {"a"})});
  work_off();
  Json events = Json::array();
  std::string cursor;
  for (int pages = 0; pages < 3; ++pages) {
    const Json page = get("admin", "/v1/tasks/" + run + "/history?limit=2" + cursor).json();
    for (const Json& each : page["events"]) events.push_back(each);
    EXPECT_EQ(page.contains("next_cursor"), pages < 2);
    if (page.contains("next_cursor")) cursor = "&cursor=" + page["next_cursor"].get<std::string>();
  }

  ASSERT_EQ(events.size(), 6u);
  for (int i = 0; i < 6; ++i) EXPECT_EQ(events[static_cast<std::size_t>(i)]["sequence"], i + 1);
  EXPECT_EQ(events.back()["kind"], "run_completed");
}

TEST_F(Run, OutlivesARestart) {
  const std::string run = start({step("a"), step("b", {"a"})}, {{"order", 7}});
  lease_all();
  finish("a", 1);

  restart();

  EXPECT_EQ(states(run), "a=completed b=pending");
  EXPECT_EQ(lease_all(), TaskKeys{"b"});
  EXPECT_EQ(lease_of("b")["upstream"]["a"]["result"], 1);
  finish("b", 2);
  EXPECT_EQ(task(run)["result"], (Json{{"a", 1}, {"b", 2}}));
}

TEST_F(Run, IsMadeByASchedule) {
  put_template("order", {{"steps", {step("a"), step("b", {"a"})}}});
  const Json schedule{
      {"cron", "0 * * * *"}, {"overlap", "cancel_previous"}, {"task", {{"namespace", "shop"}, {"name", "order"}}}};
  const HttpAnswer put = ask({"PUT", "/v1/schedules/hourly", "admin", schedule.dump()});
  ASSERT_EQ(put.status, 200) << put.body;
  clock_.advance(1h);
  maintain();
  const std::string first = get("admin", "/v1/schedules/hourly").json()["last_firing"].value("task_uuid", "");
  ASSERT_FALSE(first.empty()) << get("admin", "/v1/schedules/hourly").body;
  EXPECT_EQ(states(first), "a=pending b=waiting");

  clock_.advance(1h);
  maintain();

  EXPECT_EQ(states(first), "a=cancelled b=cancelled(run_cancelled)");
  EXPECT_EQ(get("admin", "/v1/tasks?kind=workflow&status=suspended").json()["tasks"].size(), 1u);
}

}  // namespace
}  // namespace semel::test
