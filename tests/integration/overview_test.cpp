#include "tests/support/server_fixture.hpp"

namespace semel::test {
namespace {

class Overview : public ServerFixture {
 protected:
  Json overview(const std::string& span = "hour") { return get("admin", "/v1/overview?span=" + span).json(); }
  std::string count(const std::string& query) { return get("admin", "/v1/tasks:count" + query).body; }
};

TEST_F(Overview, CountsWhatHappenedInTheLastHourByMinutes) {
  create("admin", {{"handler", "mail"}, {"idempotency_key", "a"}});
  submit("admin", {{"handler", "mail"}, {"idempotency_key", "a"}});
  submit("admin", {{"handler", "mail"}, {"idempotency_key", "a"}});
  clock_.advance(5min);
  complete(lease("default")["attempt_id"], {{"result", result}});
  create("admin", {{"handler", "mail"}});
  fail(lease("default")["attempt_id"]);

  const Json seen = overview();

  EXPECT_EQ(seen["span"], "hour");
  EXPECT_EQ(seen["interval"], "1m");
  ASSERT_EQ(seen["points"].size(), 60u);
  EXPECT_EQ(seen["totals"]["created"], 2);
  EXPECT_EQ(seen["totals"]["duplicates"], 2);
  EXPECT_EQ(seen["totals"]["leased"], 2);
  EXPECT_EQ(seen["totals"]["completed"], 1);
  EXPECT_EQ(seen["totals"]["failed"], 1);
  EXPECT_EQ(seen["points"][54]["created"], 1);
  EXPECT_EQ(seen["points"][54]["duplicates"], 2);
  EXPECT_EQ(seen["points"][59]["completed"], 1);
  EXPECT_GT(seen["commit_ms"]["p99"], 0);
}

TEST_F(Overview, RemembersADayByTensOfMinutes) {
  create("admin", {{"handler", "mail"}});
  clock_.advance(3h);

  EXPECT_EQ(overview("hour")["totals"]["created"], 0);
  const Json day = overview("day");
  EXPECT_EQ(day["interval"], "10m");
  EXPECT_EQ(day["points"].size(), 144u);
  EXPECT_EQ(day["totals"]["created"], 1);
  EXPECT_EQ(day["points"][143 - 18]["created"], 1);

  clock_.advance(22h);
  EXPECT_EQ(overview("day")["totals"]["created"], 0);
}

TEST_F(Overview, IsOfTheOwnTenantAndForThoseWhoMayRead) {
  create("admin", {{"handler", "mail"}});

  EXPECT_EQ(get("operator", "/v1/overview").json()["totals"]["created"], 0);
  EXPECT_EQ(get("maker", "/v1/overview").status, 403);
  EXPECT_EQ(get("maker", "/v1/tasks:count").status, 403);
  EXPECT_EQ(get("admin", "/v1/overview?span=week").message(), "span must be hour or day");
}

TEST_F(Overview, ACountTakesTheFiltersOfTheList) {
  for (int i = 0; i < 3; ++i) create("admin", {{"handler", "mail"}, {"queue", "a"}});
  create("admin", {{"handler", "mail"}, {"queue", "b"}, {"labels", {{"team", "x"}}}});
  cancel(create("admin", {{"handler", "ship"}, {"queue", "b"}}));

  EXPECT_EQ(count(""), R"({"count":5,"is_exact":true})");
  EXPECT_EQ(count("?queue=a"), R"({"count":3,"is_exact":true})");
  EXPECT_EQ(count("?status=cancelled&status=failed"), R"({"count":1,"is_exact":true})");
  EXPECT_EQ(count("?label=team%3Dx"), R"({"count":1,"is_exact":true})");
  EXPECT_EQ(count("?queue=none"), R"({"count":0,"is_exact":true})");
  for (const char* paging : {"?limit=5", "?cursor=x"})
    EXPECT_EQ(get("admin", std::string("/v1/tasks:count") + paging).status, 400);
}

TEST_F(Overview, ACountEndsAtTenThousand) {
  Json tasks = Json::array();
  for (int i = 0; i < 1'000; ++i) tasks.push_back({{"handler", "mail"}});
  for (int i = 0; i < 10; ++i) ASSERT_EQ(post("admin", "/v1/tasks:batch", {{"tasks", tasks}}).status, 200);
  EXPECT_EQ(count(""), R"({"count":10000,"is_exact":true})");

  create("admin", {{"handler", "mail"}});

  EXPECT_EQ(count(""), R"({"count":10000,"is_exact":false})");
}

/// With the server's own keys.
class WhoAmI : public ServerFixture {
 protected:
  WhoAmI() { own_keys_ = true; }
};

TEST_F(WhoAmI, WithoutKeysEverybodyMayDoEverything) {
  const Json who = get("", "/v1/whoami").json();

  EXPECT_EQ(who, (Json{{"tenant", "default"},
                       {"key_id", "open"},
                       {"permissions", {"tasks:create", "tasks:read", "tasks:cancel", "workers", "admin"}},
                       {"requires_keys", false}}));
}

TEST_F(WhoAmI, AKeyLearnsItsTenantItsNameAndWhatItMay) {
  const Json everything = Json::array({"tasks:create", "tasks:read", "tasks:cancel", "workers", "admin"});
  const std::string first = post("", "/v1/keys", {{"permissions", everything}}).json()["key"];
  const Json reader{{"tenant", "north"}, {"name", "looks on"}, {"permissions", {"tasks:read"}}, {"expires_in", "1h"}};
  const Json made = post(first, "/v1/keys", reader).json();

  const Json who = get(made["key"], "/v1/whoami").json();

  EXPECT_EQ(who["tenant"], "north");
  EXPECT_EQ(who["key_id"], made["id"]);
  EXPECT_EQ(who["name"], "looks on");
  EXPECT_EQ(who["permissions"], Json::array({"tasks:read"}));
  EXPECT_EQ(who["expires_at"], made["expires_at"]);
  EXPECT_EQ(who["requires_keys"], true);
  EXPECT_FALSE(get(first, "/v1/whoami").json().contains("name"));
  EXPECT_EQ(get("", "/v1/whoami").status, 401);
  EXPECT_EQ(get("wrong", "/v1/whoami").status, 401);
}

TEST_F(Overview, KnowsWhoAsksForWork) {
  EXPECT_EQ(get("viewer", "/v1/workers").body, R"({"workers":[]})");
  create("admin", {{"handler", "mail"}});
  post("admin", "/v1/worker/poll", {{"worker_id", "b"}, {"queues", {"mail"}}});
  post("admin", "/v1/worker/poll", {{"worker_id", "a"}, {"queues", {"default", "mail"}}, {"handlers", {"mail"}}});

  const Json workers = get("viewer", "/v1/workers").json()["workers"];

  const std::string now = to_rfc3339(clock_.now());
  EXPECT_EQ(workers, Json::array({{{"worker_id", "a"},
                                   {"queues", {"default", "mail"}},
                                   {"handlers", {"mail"}},
                                   {"asked_at", now},
                                   {"waiting", false}},
                                  {{"worker_id", "b"}, {"queues", {"mail"}}, {"asked_at", now}, {"waiting", false}}}));
  EXPECT_EQ(get("globex", "/v1/workers").body, R"({"workers":[]})") << "another tenant's are not shown";
  EXPECT_EQ(get("nobody", "/v1/workers").status, 403);
}

TEST_F(Overview, TellsSinceWhenAQueueWaits) {
  const std::string begin = to_rfc3339(clock_.now());
  create("admin", {{"handler", "mail"}});
  clock_.advance(5min);
  create("admin", {{"handler", "mail"}});

  EXPECT_EQ(get("admin", "/v1/queues/default").json()["waits_since"], begin);
  complete(lease("default")["attempt_id"], {{"result", 1}});
  complete(lease("default")["attempt_id"], {{"result", 1}});
  EXPECT_FALSE(get("admin", "/v1/queues/default").json().contains("waits_since"));
}

}  // namespace
}  // namespace semel::test
