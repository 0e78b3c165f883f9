#include "tests/integration/described_answers.hpp"

/// Answers have the members that /openapi.json says, and no other: every kind of answer is made once and compared.
namespace semel::test {
namespace {

/// The one that takes time comes first, so that it does not end a lease of another.
constexpr State states[]{State::timed_out, State::pending, State::running,
                         State::completed, State::failed,  State::cancelled};

}  // namespace

/// 201, 200, each 409, 422, 404 of a submission; and what explain says of each.
void DescribedAnswers::submit_all() {
  const Json full{
      {"handler", "charge"},       {"task_id", "full"},
      {"queue", "full"},           {"priority", 5},
      {"labels", {{"team", "a"}}}, {"idempotency_key_ttl_seconds", 60},
      {"context", {1, 2.50}},      {"traceparent", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"}};
  submit_new(full);
  submit_new({{"handler", "charge"}, {"queue", "other"}});
  for (const State state : states) {
    if (state == State::running) {
      submit_new(task_in(state));
      lease("running");
    } else {
      make(state);
    }
    const Json again = task_in(state);
    for (const Json& more : {Json{{"reuse", "reject_duplicate"}}, describe}) tell("/v1/tasks", with(again, more), 409);
    tell("/v1/tasks", with(again, return_existing), 200);
    tell("/v1/tasks", with(again, {{"reuse", "reject_duplicate"}, {"context", 1}}), 422);
    tell("/v1/tasks", with(again, {{"reuse", "reject_duplicate"}, {"handler", "refund"}}), 409);
    for (const Json& more :
         {Json::object(), describe, return_existing, Json{{"context", 1}}, Json{{"handler", "refund"}}})
      tell("/v1/identity/explain", with(again, more), 200);
    tell("/v1/identity/explain", again, 200, "maker");
  }
  submit_new(with(task_in(State::failed), {{"queue", "again"}}));  // takes over
  tell("/v1/identity/explain", {{"handler", "charge"}}, 200);
  const std::string mine = "019bddae-b818-7d82-b7c5-bd42e5db27fc";
  submit_new({{"handler", "charge"}, {"queue", "mine"}, {"task_uuid", mine}});
  tell("/v1/tasks", {{"handler", "charge"}, {"queue", "mine"}, {"task_uuid", mine}}, 200);
  tell("/v1/identity/explain", {{"handler", "charge"}, {"queue", "mine"}, {"task_uuid", mine}}, 200);
  tell("/v1/tasks", {{"name", "nothing"}}, 404);
  tell("/v1/identity/explain", {{"name", "nothing"}}, 404);
  const Json batch{{"tasks",
                    {with(full, {{"task_id", "batch"}}),
                     with(task_in(State::completed), describe),
                     {{"handlr", "charge"}},
                     with(task_in(State::completed), return_existing),
                     with(task_in(State::completed), {{"context", 1}})}}};
  const Json results = tell("/v1/tasks:batch", batch, 200).json()["results"];
  std::vector<int> statuses;
  for (const Json& each : results) statuses.push_back(each["status"]);
  EXPECT_EQ(statuses, (std::vector<int>{201, 409, 400, 200, 422}));
}

void DescribedAnswers::read_all() {
  for (const State state : states) {
    const std::string name(name_of(state));
    const std::string id = told({"GET", "/v1/tasks/by-key?key=" + name, "admin"}, 200).json()["task_uuid"];
    told({"GET", "/v1/tasks/" + id, "admin"}, 200);
    told({"GET", "/v1/tasks/" + id + "/result", "admin"},
         state == State::pending || state == State::running || state == State::failed ? 202 : 200);
  }
  const std::string unknown = "/v1/tasks/019bddae-0000-7000-8000-000000000000";
  told({"GET", unknown, "admin"}, 404);
  told({"GET", unknown + "/result", "admin"}, 404);
  told({"GET", "/v1/tasks/by-key?key=nobody", "admin"}, 404);
  tell(unknown + "/cancel", Json::object(), 404);

  const std::string running = get("admin", "/v1/tasks/by-key?key=running").json()["task_uuid"];
  const std::string pending = get("admin", "/v1/tasks/by-key?key=pending").json()["task_uuid"];
  const std::string hash = task(running)["identity"]["hash"];
  tell("/v1/tasks/" + running + "/cancel", Json::object(), 202);
  told({"GET", "/v1/tasks/" + running, "admin"}, 200);
  told({"DELETE", "/v1/identity/" + hash, "admin"}, 409);
  told({"DELETE", "/v1/identity/" + hash + "?force=true", "admin"}, 200);
  told({"DELETE", "/v1/identity/" + std::string(64, '0'), "admin"}, 404);
  told({"GET", "/v1/tasks/" + running, "admin"}, 200);
  told({"GET", "/v1/tasks/by-key?key=running", "admin"}, 200);
  tell("/v1/tasks/" + pending + "/cancel", Json::object(), 200);
  tell("/v1/tasks/" + pending + "/cancel", Json::object(), 409);
  tell(unknown + "/retry", Json::object(), 404);
  tell("/v1/tasks/" + pending + "/retry", Json::object(), 200);
  tell("/v1/tasks/" + pending + "/retry", Json::object(), 409);
}

void DescribedAnswers::work_all() {
  const Json first = tell("/v1/worker/poll", {{"worker_id", "w1"}, {"queues", {"full"}}}, 200).json()["leases"][0];
  tell("/v1/worker/poll", {{"worker_id", "w1"}, {"queues", {"full"}}}, 200);
  const std::string attempt = "/v1/attempts/" + first["attempt_id"].get<std::string>();
  tell(attempt + "/heartbeat", Json::object(), 200);
  tell(attempt + "/complete", {{"result", result}}, 200);
  tell(attempt + "/complete", {{"result", result}}, 200);
  tell(attempt + "/fail", {{"error", failure}}, 409);
  tell(attempt + "/heartbeat", Json::object(), 409);
  told({"GET", "/v1/tasks/" + first["task_uuid"].get<std::string>(), "admin"}, 200);
  const std::string failed = "/v1/attempts/" + lease("other")["attempt_id"].get<std::string>();
  tell(failed + "/fail", {{"error", with(failure, {{"details", 51}})}}, 200);
  tell(failed + "/complete", Json::object(), 409);
  const Json third = lease("mine");
  tell("/v1/attempts:batch",
       {{"outcomes",
         {{{"attempt_id", third["attempt_id"]}, {"complete", Json::object()}},
          {{"attempt_id", first["attempt_id"]}, {"fail", {{"error", failure}}}},
          1}}},
       200);
}

void DescribedAnswers::put_and_remove_templates() {
  const Json document{{"namespace", "shop"},
                      {"name", "charge"},
                      {"version", "1.0.0"},
                      {"identity", {{"fields", {"/order"}}, {"period", "1h"}, {"dedup_window", "forever"}}},
                      {"input_schema", {{"properties", {{"order", {{"type", "integer"}}}}}}},
                      {"steps", {{{"name", "only"}, {"handler", {{"callable", "charge_card"}}}}}}};
  told({"PUT", "/v1/templates", "admin", document.dump()}, 201);
  told({"PUT", "/v1/templates", "admin", document.dump()}, 200);
  told({"PUT", "/v1/templates", "admin", "name: [", {{"Content-Type", "application/yaml"}}}, 400);
  told({"GET", "/v1/templates/shop/charge", "admin"}, 200);
  told({"GET", "/v1/templates/shop/charge/1.0.0", "admin"}, 200);
  const Json named{{"namespace", "shop"}, {"name", "charge"}, {"context", {{"order", 7}}}};
  told({"GET", "/v1/tasks/" + submit_new(named), "admin"}, 200);
  tell("/v1/identity/explain", named, 200);
  tell("/v1/identity/explain", with(named, {{"context", {{"order", "seven"}}}}), 422);
  for (const char* path : {"/v1/templates/shop/charge/1.0.0", "/v1/templates/shop/charge"}) {
    put_template("charge");
    told({"DELETE", path, "admin"}, 204);
    told({"DELETE", path, "admin"}, 404);
    told({"GET", path, "admin"}, 404);
  }
}

/// Only what retention leaves of a task.
void DescribedAnswers::meet_tombstones() {
  const std::string id = get("admin", "/v1/tasks/by-key?key=completed").json()["task_uuid"];
  remove("acme", id);
  told({"GET", "/v1/tasks/" + id + "/result", "admin"}, 410);
  told({"GET", "/v1/tasks/by-key?key=completed", "admin"}, 200);
  for (const Json& more : {describe, Json{{"context", 1}}})
    tell("/v1/tasks", with(task_in(State::completed), more), more == describe ? 409 : 422);
  tell("/v1/tasks", with(task_in(State::completed), return_existing), 200);
  tell("/v1/identity/explain", task_in(State::completed), 200);
}

/// Those that are built.
void DescribedAnswers::administer_all() {
  told({"GET", "/v1/tasks?limit=2", "admin"}, 200);
  told({"GET", "/v1/tasks?context_text=a&context_path=/b", "admin"}, 200);
  told({"GET", "/v1/tasks:count?queue=default", "admin"}, 200);
  told({"GET", "/v1/workers", "admin"}, 200);
  for (const std::string span : {"hour", "day"}) told({"GET", "/v1/overview?span=" + span, "admin"}, 200);
  told({"GET", "/v1/whoami", "nobody"}, 200);
  told({"GET", "/v1/templates", "admin"}, 200);
  told({"GET", "/v1/audit?limit=1", "admin"}, 200);
  told({"GET", "/metrics", "operator"}, 200);
  for (const std::string verb : {"cancel", "retry", "delete"})
    tell("/v1/tasks:" + verb + "?all=true&dry_run=true", Json::object(), 200);
  const Json settings{
      {"retention", "30d"},       {"rate_limit", "100/sec"},    {"rate_burst", 5},      {"max_running", 20},
      {"max_running_per_key", 2}, {"reuse", "allow_duplicate"}, {"dedup_window", "1d"}, {"paused", true}};
  told({"PUT", "/v1/queues/mail", "admin", settings.dump()}, 200);
  for (const std::string verb : {"pause", "resume"}) tell("/v1/queues/mail/" + verb, Json::object(), 200);
  told({"GET", "/v1/queues/mail", "admin"}, 200);
  told({"GET", "/v1/queues", "admin"}, 200);
  const HttpRequest follow{"GET", "/v1/events", "admin"};
  judge(follow, EventSource(connect(), follow).head(), 200);
  tell("/v1/keys", {{"permissions", {"admin"}}}, 201, "operator");
  const Json key{{"name", "checkout"}, {"permissions", {"tasks:create"}}, {"expires_in", "90d"}};
  const std::string id = tell("/v1/keys", key, 201).json()["id"];
  told({"DELETE", "/v1/keys/" + id, "admin"}, 200);
  told({"GET", "/v1/keys", "admin"}, 200);
  told({"DELETE", "/v1/keys/nobody", "admin"}, 404);
}

void DescribedAnswers::schedule_all() {
  const std::string nightly = "/v1/schedules/nightly";
  const Json settings{{"cron", "0 * * * *"},
                      {"start", "2026-01-01T00:00:00Z"},
                      {"end", "2027-01-01T00:00:00Z"},
                      {"missed", "catch_up"},
                      {"task", {{"handler", "report"}, {"queue", "reports"}}}};
  told({"PUT", nightly, "admin", settings.dump()}, 200);
  told(
      {"PUT", "/v1/schedules/once", "admin", Json{{"at", "2027-01-01T00:00:00Z"}, {"task", {{"handler", "a"}}}}.dump()},
      200);
  told({"PUT", nightly, "admin", Json{{"cron", "@daily"}, {"task", {{"name", "nothing"}}}}.dump()}, 404);
  const std::string id = tell(nightly + "/run", Json::object(), 201).json()["task_uuid"];
  tell(nightly + "/run", Json::object(), 201);  // the same time
  told({"GET", "/v1/tasks/" + id, "admin"}, 200);
  clock_.advance(1s);
  tell(nightly + "/run", Json::object(), 200);
  tell(nightly + "/pause", Json::object(), 200);
  tell(nightly + "/resume", Json::object(), 200);
  told({"GET", nightly, "admin"}, 200);
  told({"GET", "/v1/schedules?limit=1", "admin"}, 200);
  told({"DELETE", nightly, "admin"}, 204);
  for (const char* method : {"GET", "DELETE"}) told({method, nightly, "admin"}, 404);
  for (const char* verb : {"/run", "/pause", "/resume"}) tell(nightly + verb, Json::object(), 404);
}

/// A run with a fan-out, a step that fails and one that is blocked by it.
void DescribedAnswers::run_steps() {
  put_template(
      "order",
      {{"queue", "steps"},
       {"steps",
        {{{"name", "each"}, {"handler", "each"}, {"for_each", {{"path", "/items"}}}},
         {{"name", "charge"}, {"handler", "charge"}},
         {{"name", "ship"}, {"handler", "ship"}, {"depends_on", {"charge"}}, {"on_upstream_failure", "block"}}}}});
  const Json named{{"namespace", "shop"}, {"name", "order"}, {"context", {{"items", {1, 2}}}}};
  const std::string run = submit_new(named);
  const std::string target = "/v1/tasks/" + run;
  tell("/v1/identity/explain", named, 200);
  tell("/v1/tasks", with(named, return_existing), 200);
  const Json leases = tell("/v1/worker/poll", {{"worker_id", "w1"}, {"queues", {"steps"}}, {"max", 5}}, 200).json();
  for (const Json& each : leases["leases"]) {
    if (each["handler"] == "charge") fail(each["attempt_id"]);
    told({"GET", "/v1/tasks/" + each["task_uuid"].get<std::string>(), "admin"}, 200);
  }
  told({"GET", target, "admin"}, 200);
  told({"GET", target + "/graph", "admin"}, 200);
  told({"GET", target + "/graph?format=mermaid", "admin"}, 200);
  told({"GET", target + "/history?limit=2", "admin"}, 200);
  told({"GET", "/v1/tasks?parent=" + run, "admin"}, 200);
  tell(target + "/steps/charge/resolve", {{"result", 1}}, 409);
  tell(target + "/steps/nobody/resolve", {{"result", 1}}, 404);
  tell(target + "/steps/ship/resolve", {{"result", 1}, {"why", "by phone"}}, 200);
  tell(target + "/retry", {{"steps", {"charge"}}, {"why", "mended"}}, 200);
  told({"GET", target, "admin"}, 200);
  told({"GET", target + "/history", "admin"}, 200);
  tell(target + "/cancel", {{"why", "enough"}}, 202);
  const std::string unknown = "/v1/tasks/019bddae-0000-7000-8000-000000000000";
  for (const char* part : {"/graph", "/history"}) told({"GET", unknown + part, "admin"}, 404);
}

/// A request with the example that the document gives, which must be a good one.
HttpRequest DescribedAnswers::example_of(const Operation& operation, const std::string& key) const {
  HttpRequest request{operation.method, api_->example_path(operation), key};
  const Json media = operation.body.value(Json::json_pointer("/requestBody/content/application~1json"), Json());
  if (media.contains("example")) request.body = media["example"].dump();
  if (media.contains("examples")) request.body = media["examples"].front()["value"].dump();
  std::string query;
  for (const Json& each : api_->parameters(operation, "query")) {
    if (!each.value("required", false) && !each.contains("example")) continue;
    const Json value = each.contains("example") ? each["example"] : api_->schemas().example(each["schema"]);
    query += "?" + each["name"].get<std::string>() + "=" + value.get<std::string>();
  }
  request.target += query;
  return request;
}

/// What is documented for a request that breaks a rule of its own: any operation can meet it.
void DescribedAnswers::refuse_all() {
  for (const Operation& operation : api_->operations()) {
    const Json& documented = operation.body["responses"];
    if (!serves(operation.name())) continue;
    const HttpRequest good = example_of(operation, "admin");
    told({good.method, good.target + (good.target.find('?') == std::string::npos ? "?" : "&") + "no_such=1", "admin"},
         400);
    told(example_of(operation, ""), 401);
    if (documented.contains("403")) told(example_of(operation, "nobody"), 403);
    if (documented.contains("415"))
      told({good.method, good.target, "admin", "x", {{"Content-Type", "text/plain"}}}, 415);
    if (documented.contains("413")) tell_too_much(good);
  }
}

/// The length alone is refused; nothing of the body is sent.
void DescribedAnswers::tell_too_much(const HttpRequest& good) {
  HttpClient client = connect();
  client.send_bytes(good.method + " " + good.target +
                    " HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99999999\r\n\r\n");
  judge(good, client.read(), 413);
}

namespace {

TEST_F(DescribedAnswers, HaveTheDocumentedMembersAndEachIsSeen) {
  submit_all();
  read_all();
  work_all();
  put_and_remove_templates();
  meet_tombstones();
  administer_all();
  schedule_all();
  run_steps();
  run_workflows();
  settle_promises();
  push_all();
  refuse_all();

  for (const Operation& operation : api_->operations()) {
    if (!serves(operation.name())) continue;
    for (const auto& [status, answer] : operation.body["responses"].items()) {
      if (status == "503" || status == "default") continue;
      EXPECT_TRUE(seen_.contains(operation.name() + " " + status))
          << operation.name() << " is documented with " << status << ", which no request here was answered with";
    }
  }
}

TEST_F(DescribedAnswers, AreFoundOutWhenTheyDiffer) {
  const HttpRequest request{"GET", "/v1/tasks/019bddae-b818-7d82-b7c5-bd42e5db27fc/result", "admin"};
  HttpAnswer answer{
      200, {{"content-type", "application/json"}}, R"({"status":"completed","closed_at":"2026-01-20T12:00:00.000Z"})"};
  const auto problems_with = [&](const std::string& body) {
    answer.body = body;
    return api_->problems(request, answer).size();
  };

  EXPECT_EQ(problems_with(answer.body), 0u);
  EXPECT_EQ(problems_with(R"({"status":"completed"})"), 1u);
  EXPECT_EQ(problems_with(R"({"status":"done","closed_at":"2026-01-20T12:00:00.000Z"})"), 1u);
  EXPECT_EQ(problems_with(R"({"status":"completed","closed_at":"today"})"), 1u);
  EXPECT_EQ(problems_with(R"({"status":"completed","closed_at":"2026-01-20T12:00:00.000Z","secret":1})"), 1u);
  answer.status = 204;
  EXPECT_EQ(problems_with(""), 1u);
}

}  // namespace
}  // namespace semel::test
