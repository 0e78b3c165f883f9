#include "tests/support/server_fixture.hpp"

namespace semel::test {
namespace {

/// Acts on all tasks that fit a filter.
class Bulk : public ServerFixture {
 protected:
  Bulk() { options_.retry.max_attempts = 1; }

  HttpAnswer act(const std::string& verb, const std::string& query, const std::string& key = "admin") {
    return post(key, "/v1/tasks:" + verb + "?" + query, Json::object());
  }
  std::vector<std::string> create_some(int count, const std::string& queue) {
    std::vector<std::string> ids;
    for (int i = 0; i < count; ++i) ids.push_back(create("reader", {{"handler", "a"}, {"queue", queue}}));
    return ids;
  }
  void fail_one(const std::string& queue) { fail(lease(queue)["attempt_id"]); }
};

TEST_F(Bulk, ADryRunOnlyCounts) {
  const std::vector<std::string> ids = create_some(3, "mail");
  create_some(1, "other");

  const HttpAnswer counted = act("cancel", "queue=mail&dry_run=true");

  EXPECT_EQ(counted.status, 200) << counted.body;
  EXPECT_EQ(counted.json(), (Json{{"matched", 3}, {"done", 0}}));
  for (const std::string& id : ids) EXPECT_EQ(task(id)["status"], "pending");
}

TEST_F(Bulk, CancelsWhatIsOpenPageByPage) {
  create_some(3, "mail");
  lease("mail");
  const std::string other = create_some(1, "other")[0];

  const Json first = act("cancel", "queue=mail&limit=2").json();
  const Json second = act("cancel", "queue=mail&limit=2&cursor=" + first["next_cursor"].get<std::string>()).json();

  EXPECT_EQ(first["done"], 2);
  EXPECT_EQ(second["done"], 1);
  EXPECT_FALSE(second.contains("next_cursor"));
  EXPECT_EQ(get("admin", "/v1/tasks?queue=mail&status=cancelled").json()["tasks"].size(), 2u);
  EXPECT_EQ(get("admin", "/v1/tasks?queue=mail&status=running").json()["tasks"].size(), 1u);  // asked to stop
  EXPECT_EQ(task(other)["status"], "pending");
}

TEST_F(Bulk, RetriesTheDeadOnes) {
  const std::vector<std::string> ids = create_some(3, "mail");
  fail_one("mail");
  fail_one("mail");
  cancel(ids[2]);

  EXPECT_EQ(act("retry", "queue=mail").json(), (Json{{"matched", 2}, {"done", 2}}));

  EXPECT_EQ(task(ids[0])["status"], "pending");
  EXPECT_EQ(task(ids[2])["status"], "cancelled");
  EXPECT_EQ(act("retry", "queue=mail&status=cancelled").json()["done"], 1);
}

TEST_F(Bulk, DoesNotRetryWhatWasDoneAgainSince) {
  const Json submission{{"handler", "a"}, {"queue", "mail"}, {"idempotency_key", "k"}};
  const std::string old = create("reader", submission);
  fail_one("mail");
  create("reader", submission);

  EXPECT_EQ(act("retry", "queue=mail").json(), (Json{{"matched", 1}, {"done", 0}}));
  EXPECT_EQ(task(old)["status"], "failed");
}

TEST_F(Bulk, DeletesWhatIsClosed) {
  const std::vector<std::string> ids = create_some(2, "mail");
  complete(lease("mail")["attempt_id"], Json::object());

  EXPECT_EQ(act("delete", "queue=mail").json(), (Json{{"matched", 1}, {"done", 1}}));

  EXPECT_EQ(get("admin", "/v1/tasks/" + ids[0]).status, 404);
  EXPECT_EQ(task(ids[1])["status"], "pending");
}

TEST_F(Bulk, CountsForARetryOnlyWhatCanBeTriedAgain) {
  create_some(1, "mail");
  fail_one("mail");
  const Json promise = post("admin", "/v1/promises", {{"idempotency_key", "p"}}).json();
  post("admin", "/v1/promises/" + promise["promise_id"].get<std::string>() + "/reject",
       {{"error", {{"type", "NO"}, {"message", "no"}}}});
  post("admin", "/v1/workflows", {{"kind", "order"}, {"workflow_id", "order-1"}});
  act("cancel", "kind=workflow");
  EXPECT_EQ(get("admin", "/v1/tasks?status=failed&status=cancelled").json()["tasks"].size(), 3u);

  const HttpAnswer counted = act("retry", "status=failed&status=cancelled&dry_run=true");

  EXPECT_EQ(counted.json(), (Json{{"matched", 1}, {"done", 0}}));
  EXPECT_EQ(act("retry", "status=failed&status=cancelled").json(), (Json{{"matched", 1}, {"done", 1}}));
}

TEST_F(Bulk, CountsForADeletionOnlyWhatIsNotDeletedWithItsRun) {
  put_template("order",
               Json::parse(R"({"steps":[{"name":"a","handler":"a"},{"name":"b","handler":"b","depends_on":["a"]}]})"));
  const std::string run = create("admin", {{"namespace", "shop"}, {"name", "order"}});
  cancel(run);
  EXPECT_EQ(get("admin", "/v1/tasks?status=cancelled").json()["tasks"].size(), 2u);

  EXPECT_EQ(act("delete", "status=cancelled&dry_run=true").json(), (Json{{"matched", 1}, {"done", 0}}));
  EXPECT_EQ(act("delete", "status=cancelled").json(), (Json{{"matched", 1}, {"done", 1}}));

  EXPECT_TRUE(get("admin", "/v1/tasks").json()["tasks"].empty());
}

TEST_F(Bulk, RefusesWhatCannotBeMeant) {
  create_some(1, "mail");
  const std::pair<std::pair<const char*, const char*>, const char*> cases[] = {
      {{"cancel", ""}, "say which tasks, by the filters of GET /v1/tasks, or all=true"},
      {{"cancel", "limit=5"}, "say which tasks, by the filters of GET /v1/tasks, or all=true"},
      {{"cancel", "all=true&queue=mail"}, "all=true and a filter exclude each other"},
      {{"cancel", "all=yes"}, "all must be true or false"},
      {{"cancel", "status=completed"}, "tasks that are completed cannot be cancelled"},
      {{"retry", "status=completed"}, "tasks that are completed cannot be tried again"},
      {{"delete", "status=running"}, "tasks that are running cannot be deleted"},
      {{"delete", "que=mail"},
       "unknown query parameter 'que'; known are namespace, name, queue, handler, created_after, created_before, "
       "limit, "
       "cursor, parent, kind, context_path, context_text, dry_run, all, status, label"},
  };
  for (const auto& [asked, refusal] : cases) {
    const HttpAnswer answer = act(asked.first, asked.second);
    EXPECT_EQ(answer.status, 400) << asked.second;
    EXPECT_EQ(answer.json()["error"]["message"], refusal);
  }
  EXPECT_EQ(act("cancel", "all=true").json()["done"], 1);
}

TEST_F(Bulk, NeedsThePermissionOfItsActAndStaysInItsTenant) {
  create_some(1, "mail");

  EXPECT_EQ(act("cancel", "queue=mail", "viewer").status, 403);
  EXPECT_EQ(act("retry", "queue=mail", "viewer").status, 403);
  EXPECT_EQ(act("delete", "queue=mail", "reader").status, 403);
  EXPECT_EQ(act("cancel", "queue=mail", "maker").status, 403);
  EXPECT_EQ(act("cancel", "queue=mail", "globex").json()["matched"], 0);
}

}  // namespace
}  // namespace semel::test
