#include "tests/support/server_fixture.hpp"

namespace semel::test {
namespace {

class List : public ServerFixture {
 protected:
  Json list(const std::string& query) {
    const HttpAnswer answer = get("viewer", "/v1/tasks" + query);
    EXPECT_EQ(answer.status, 200) << answer.body;
    return answer.json();
  }
  std::vector<std::string> ids(const std::string& query) {
    std::vector<std::string> ids;
    const Json page = list(query);
    for (const Json& task : page["tasks"]) ids.push_back(task["task_id"]);
    return ids;
  }
};

using Ids = std::vector<std::string>;

TEST_F(List, TellsWhoHasWhatRuns) {
  const std::string id = create("admin", {{"handler", "mail"}, {"queue", "mail"}});
  const Json lease = this->lease("mail");
  create("admin", {{"handler", "mail"}, {"queue", "mail"}});
  EXPECT_FALSE(list("?status=running")["tasks"][0].contains("lease")) << "it was not asked for";

  const Json tasks = list("?leases=true")["tasks"];

  ASSERT_EQ(tasks.size(), 2u);
  EXPECT_FALSE(tasks[0].contains("lease")) << "it does not run";
  EXPECT_EQ(tasks[1]["lease"], (Json{{"attempt_id", lease["attempt_id"]},
                                     {"worker_id", "w1"},
                                     {"started_at", to_rfc3339(clock_.now())},
                                     {"expires_at", lease["lease_expires_at"]}}));
  clock_.advance(1s);
  post("admin", "/v1/attempts/" + lease["attempt_id"].get<std::string>() + "/heartbeat", Json::object());
  EXPECT_EQ(list("?leases=true")["tasks"][1]["lease"]["last_heartbeat_at"], to_rfc3339(clock_.now()));
  EXPECT_EQ(get("viewer", "/v1/tasks?leases=all").status, 400);
  EXPECT_EQ(get("viewer", "/v1/tasks:count?leases=true").status, 400);
}

TEST_F(List, ShowsATaskWithoutItsContext) {
  put_template("charge");
  const std::string id = create("admin", {{"namespace", "shop"},
                                          {"name", "charge"},
                                          {"context", {{"order", 1}}},
                                          {"labels", {{"team", "red"}}},
                                          {"priority", 3}});

  const Json task = list("")["tasks"][0];

  EXPECT_EQ(task["task_uuid"], id);
  EXPECT_EQ(task["status"], "pending");
  EXPECT_EQ(task["namespace"], "shop");
  EXPECT_EQ(task["name"], "charge");
  EXPECT_EQ(task["version"], "1.0.0");
  EXPECT_EQ(task["priority"], 3);
  EXPECT_EQ(task["attempt"], 0);
  EXPECT_EQ(task["labels"], (Json{{"team", "red"}}));
  EXPECT_TRUE(task.contains("created_at"));
  EXPECT_FALSE(task.contains("context"));
}

TEST_F(List, TakesAllFilters) {
  put_template("charge");
  create("admin", {{"namespace", "shop"}, {"name", "charge"}, {"idempotency_key", "a"}});
  clock_.advance(1s);
  create("admin", {{"handler", "mail"}, {"idempotency_key", "b"}, {"labels", {{"team", "red"}, {"env", "x=y"}}}});
  create("admin", {{"handler", "mail"}, {"idempotency_key", "c"}, {"queue", "slow"}, {"labels", {{"team", "red"}}}});
  cancel(get("admin", "/v1/tasks/by-key?key=c").json()["task_uuid"]);
  const std::string middle = to_rfc3339(clock_.now());

  EXPECT_EQ(ids(""), (Ids{"c", "b", "a"}));
  EXPECT_EQ(ids("?namespace=shop"), Ids{"a"});
  EXPECT_EQ(ids("?name=charge"), Ids{"a"});
  EXPECT_EQ(ids("?queue=slow"), Ids{"c"});
  EXPECT_EQ(ids("?handler=mail"), (Ids{"c", "b"}));
  EXPECT_EQ(ids("?status=cancelled"), Ids{"c"});
  EXPECT_EQ(ids("?status=cancelled&status=pending"), (Ids{"c", "b", "a"}));
  EXPECT_EQ(ids("?label=team%3Dred"), (Ids{"c", "b"}));
  EXPECT_EQ(ids("?label=team=red&label=env=x=y"), Ids{"b"});
  EXPECT_EQ(ids("?created_after=" + middle), (Ids{"c", "b"}));
  EXPECT_EQ(ids("?created_before=" + middle), Ids{"a"});
  EXPECT_EQ(ids("?queue=none"), Ids{});
}

TEST_F(List, FindsATextInTheContext) {
  create("admin", {{"handler", "mail"}, {"idempotency_key", "a"}, {"context", {{"to", {{"name", "Ada"}}}}}});
  create("admin", {{"handler", "mail"}, {"idempotency_key", "b"}, {"context", {{"to", "Bob"}, {"from", "Ada"}}}});

  EXPECT_EQ(ids("?context_text=Ada"), (Ids{"b", "a"}));
  EXPECT_EQ(ids("?context_text=Ada&context_path=/to/name"), Ids{"a"});
  EXPECT_EQ(ids("?context_text=Ada&context_path=%2Ffrom&handler=mail"), Ids{"b"});
  EXPECT_EQ(ids("?context_text=ada"), Ids{});
  EXPECT_EQ(get("viewer", "/v1/tasks:count?context_text=Ada").body, R"({"count":2,"is_exact":true})");
  const HttpAnswer cancelled = post("admin", "/v1/tasks:cancel?context_text=Ada&context_path=/from", Json::object());
  EXPECT_EQ(cancelled.json()["done"], 1);
  EXPECT_EQ(ids("?status=cancelled"), Ids{"b"});
}

TEST_F(List, FindsATextBehindHundredsOfOthersOnTheFirstPage) {
  create("admin", {{"handler", "mail"}, {"idempotency_key", "rare"}, {"context", {{"to", "Ada"}}}});
  for (int i = 0; i < 200; ++i) create("admin", {{"handler", "mail"}, {"context", {{"to", "Bob"}, {"n", i}}}});

  const Json page = list("?context_text=Ada");

  ASSERT_EQ(page["tasks"].size(), 1u);
  EXPECT_EQ(page["tasks"][0]["task_id"], "rare");
  EXPECT_EQ(get("viewer", "/v1/tasks:count?context_text=Ada").body, R"({"count":1,"is_exact":true})");
}

TEST_F(List, RefusesASearchForNothingOrAtNoPlace) {
  const auto message = [&](const std::string& query) {
    const HttpAnswer answer = get("viewer", "/v1/tasks" + query);
    EXPECT_EQ(answer.status, 400) << query;
    return answer.message();
  };

  EXPECT_EQ(message("?context_text="), "context_text must say which text to look for");
  EXPECT_EQ(message("?context_path=/a"), "context_text must say which text to look for");
  EXPECT_EQ(message("?context_text=a&context_path=a").substr(0, 14), "context_path: ");
}

TEST_F(List, GoesOnWhereTheLastPageEnded) {
  for (const char* key : {"a", "b", "c", "d", "e"}) create("admin", {{"handler", "mail"}, {"idempotency_key", key}});
  Ids seen;
  std::string query = "?limit=2";
  for (int pages = 0; pages < 3; ++pages) {
    const Json page = list(query);
    for (const Json& task : page["tasks"]) seen.push_back(task["task_id"]);
    EXPECT_EQ(page.contains("next_cursor"), pages < 2);
    if (page.contains("next_cursor")) query = "?limit=2&cursor=" + page["next_cursor"].get<std::string>();
  }
  EXPECT_EQ(seen, (Ids{"e", "d", "c", "b", "a"}));
}

TEST_F(List, RefusesWhatItDoesNotUnderstand) {
  const std::pair<std::string, std::string> cases[] = {
      {"?status=done", "status 'done' is no state"},
      {"?label=red", "label must be NAME=VALUE"},
      {"?label==red", "label must be NAME=VALUE"},
      {"?limit=0", "limit must be 1 to 1000"},
      {"?status=pending,running", "for several, repeat it: status=pending&status=running"},
      {"?limit=1001", "limit must be 1 to 1000"},
      {"?limit=many", "limit must be a number"},
      {"?created_after=yesterday", "created_after must be a time"},
      {"?cursor=abc", "this is no cursor; send the next_cursor of the page before"},
      {"?colour=red", "unknown query parameter 'colour'"},
      {"?queue=a&queue=b", "'queue' is given twice"},
      {"?parent=x", "parent must be the UUID of a run"},
      {"?kind=x", "kind must be task, workflow or promise"},
  };
  for (const auto& [query, message] : cases) {
    const HttpAnswer refused = get("viewer", "/v1/tasks" + query);
    EXPECT_EQ(refused.status, 400) << query;
    EXPECT_NE(refused.body.find(message), std::string::npos) << refused.body;
  }
}

TEST_F(List, NeedsThePermissionToRead) {
  EXPECT_EQ(get("maker", "/v1/tasks").status, 403);
  EXPECT_EQ(get("viewer", "/v1/tasks").status, 200);
}

}  // namespace
}  // namespace semel::test
