#include "tests/support/server_fixture.hpp"

namespace semel::test {
namespace {

/// What clients see of retention.
class Retention : public ServerFixture {
 protected:
  /// With one thread, a request that has begun to wait waits before the next one is looked at.
  Retention() { options_.http.threads = 1; }

  void keep_for(const std::string& retention) {
    EXPECT_EQ(ask({"PUT", "/v1/queues/default", "admin", Json{{"retention", retention}}.dump()}).status, 200);
  }
};

TEST_F(Retention, ClosedTasksGoByThemselves) {
  const std::string id = create("reader", {{"handler", "a"}, {"idempotency_key", "k"}});
  complete(lease("default")["attempt_id"], {{"result", 1}});
  EXPECT_EQ(task(id)["status"], "completed");

  clock_.advance(7 * 24h);
  maintain();

  EXPECT_EQ(get("reader", "/v1/tasks/" + id).status, 404);
}

TEST_F(Retention, AsTheQueueSaysAndLaterDuplicatesAreToldThatTheResultIsGone) {
  keep_for("1h");
  put_template("charge", {{"identity", {{"dedup_window", "30d"}, {"on_duplicate", "return_existing"}}}});
  const Json submission{{"namespace", "shop"}, {"name", "charge"}, {"context", {{"order", 1}}}};
  const std::string id = create("reader", submission);
  complete(lease("default")["attempt_id"], {{"result", 1}});

  clock_.advance(1h);
  maintain();

  EXPECT_EQ(get("reader", "/v1/tasks/" + id + "/result").status, 410);
  const HttpAnswer duplicate = submit("reader", submission);
  EXPECT_EQ(duplicate.status, 200);
  EXPECT_EQ(duplicate.json()["result_expired"], true);
  EXPECT_EQ(duplicate.json()["task_uuid"], id);
}

TEST_F(Retention, OfNothingStillGivesTheResultToThoseWhoWait) {
  keep_for("0");
  const std::string id = create("reader", {{"handler", "a"}, {"idempotency_key", "k"}});
  HttpClient waiting = connect();
  const std::size_t before = keys_.requests();
  waiting.send({"GET", "/v1/tasks/" + id + "/result?wait=60s", "reader"});
  keys_.wait_for_requests(before + 1);

  EXPECT_EQ(complete(lease("default")["attempt_id"], {{"result", {{"receipt", 17}}}}).status, 200);

  const HttpAnswer answer = waiting.read();
  EXPECT_EQ(answer.status, 200) << answer.body;
  EXPECT_EQ(answer.json()["result"], (Json{{"receipt", 17}}));
  EXPECT_EQ(get("reader", "/v1/tasks/" + id + "/result").status, 410);
  EXPECT_EQ(get("reader", "/v1/tasks/" + id).status, 404);
}

TEST_F(Retention, OfNothingStillAnswersASubmissionThatWaits) {
  keep_for("0");
  HttpClient waiting = connect();
  const std::size_t before = keys_.requests();
  waiting.send({"POST", "/v1/tasks", "reader", Json{{"handler", "a"}, {"wait", "60s"}}.dump()});
  keys_.wait_for_requests(before + 1);
  Json leased;
  while (leased.is_null()) leased = lease("default");

  complete(leased["attempt_id"], {{"result", 5}});

  const HttpAnswer answer = waiting.read();
  EXPECT_EQ(answer.status, 201) << answer.body;
  EXPECT_EQ(answer.json()["status"], "completed");
  EXPECT_EQ(answer.json()["result"], 5);
}

}  // namespace
}  // namespace semel::test
