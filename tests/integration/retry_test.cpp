#include "tests/support/server_fixture.hpp"

namespace semel::test {
namespace {

/// Attempts after attempts, as workers and clients see them.
class Retries : public ServerFixture {
 protected:
  Retries() { options_.retry = {3, domain::Backoff::fixed, 10s, 1h, 0}; }

  Json failed(const std::string& attempt_id, const Json& more = Json::object()) {
    Json body{{"error", failure}};
    body.update(more);
    const HttpAnswer answer = post("worker", "/v1/attempts/" + attempt_id + "/fail", body);
    EXPECT_EQ(answer.status, 200) << answer.body;
    return answer.json();
  }
  void rest(Duration pause = 10s) {
    clock_.advance(pause);
    maintain();
  }
  HttpAnswer retry(const std::string& id, const std::string& key = "reader") {
    return post(key, "/v1/tasks/" + id + "/retry", Json::object());
  }
};

TEST_F(Retries, AFailedTaskIsPendingUntilItsNextAttempt) {
  const std::string id = create("reader", {{"handler", "a"}});
  EXPECT_EQ(failed(lease("default")["attempt_id"])["status"], "pending");
  EXPECT_TRUE(lease("default").is_null());

  rest();

  const Json leased = lease("default");
  EXPECT_EQ(leased["task_uuid"], id);
  EXPECT_EQ(leased["attempt"], 2);
  EXPECT_EQ(complete(leased["attempt_id"], {{"result", 1}}).json()["status"], "completed");
  const Json view = task(id);
  EXPECT_EQ(view["attempts"].size(), 2u);
  EXPECT_EQ(view["attempts"][0]["outcome"], "failed");
  EXPECT_EQ(view["attempts"][0]["error"], failure);
  EXPECT_FALSE(view.contains("error"));
}

TEST_F(Retries, ALongPollIsWokenByARetryThatIsDue) {
  const std::string id = create("reader", {{"handler", "a"}});
  failed(lease("default")["attempt_id"]);
  HttpClient worker = connect();
  const std::size_t before = keys_.requests();
  worker.send({"POST", "/v1/worker/poll", "worker",
               Json{{"worker_id", "w2"}, {"queues", {"default"}}, {"wait_ms", 60'000}}.dump()});
  keys_.wait_for_requests(before + 1);

  rest();

  EXPECT_EQ(worker.read().json()["leases"][0]["task_uuid"], id);
}

TEST_F(Retries, ALongPollIsWokenByARetryAtOnce) {
  const std::string id = create("reader", {{"handler", "a"}});
  const std::string attempt = lease("default")["attempt_id"];
  HttpClient worker = connect();
  const std::size_t before = keys_.requests();
  worker.send({"POST", "/v1/worker/poll", "worker",
               Json{{"worker_id", "w2"}, {"queues", {"default"}}, {"wait_ms", 60'000}}.dump()});
  keys_.wait_for_requests(before + 1);

  failed(attempt, {{"retry_after_ms", 0}});

  EXPECT_EQ(worker.read().json()["leases"][0]["task_uuid"], id);
}

TEST_F(Retries, AWaiterSeesOnlyTheEnd) {
  const std::string id = create("reader", {{"handler", "a"}, {"max_attempts", 2}, {"retry", {{"base", "0"}}}});
  HttpClient waiting = connect();
  const std::size_t before = keys_.requests();
  waiting.send({"GET", "/v1/tasks/" + id + "/result?wait=60s", "reader"});
  keys_.wait_for_requests(before + 1);

  failed(lease("default")["attempt_id"]);
  EXPECT_EQ(failed(lease("default")["attempt_id"])["status"], "failed");

  EXPECT_EQ(waiting.read().json()["status"], "failed");
}

TEST_F(Retries, AreShownWithTheTask) {
  const std::string id = create("reader", {{"handler", "a"},
                                           {"max_retries", 4},
                                           {"retry", {{"backoff", "linear"}, {"base", "2s"}, {"jitter", 0.5}}},
                                           {"timeout_ms", 1500},
                                           {"deadline", "2h"}});

  const Json view = task(id);

  EXPECT_EQ(view["max_attempts"], 5);
  EXPECT_EQ(view["retry"], (Json{{"backoff", "linear"}, {"base", "2s"}, {"cap", "1h"}, {"jitter", 0.5}}));
  EXPECT_EQ(view["timeout_ms"], 1500);
  EXPECT_EQ(view["deadline"], to_rfc3339(clock_.now() + 2h));
}

TEST_F(Retries, OfATemplateAreItsOwnUnlessTheSubmissionSaysOtherwise) {
  put_template("charge", {{"max_attempts", 7}, {"retry", {{"base", "5s"}}}, {"timeout", "1m"}});

  const Json usual = task(create("reader", {{"namespace", "shop"}, {"name", "charge"}, {"context", 1}}));
  const Json special = task(create(
      "reader", {{"namespace", "shop"}, {"name", "charge"}, {"context", 2}, {"max_attempts", 1}, {"timeout_ms", 5}}));

  EXPECT_EQ(usual["max_attempts"], 7);
  EXPECT_EQ(usual["retry"]["base"], "5s");
  EXPECT_EQ(usual["timeout_ms"], 60'000);
  EXPECT_EQ(special["max_attempts"], 1);
  EXPECT_EQ(special["retry"]["base"], "5s");
  EXPECT_EQ(special["timeout_ms"], 5);
}

TEST_F(Retries, ATaskThatNobodyTakesTimesOutAtItsDeadline) {
  const std::string id = create("reader", {{"handler", "a"}, {"deadline", "1m"}});

  rest(1min);

  EXPECT_EQ(task(id)["status"], "timed_out");
  EXPECT_EQ(task(id)["error"]["type"], "TIMED_OUT");
}

TEST_F(Retries, ProgressIsShownWithTheTask) {
  const std::string id = create("reader", {{"handler", "a"}});
  const std::string attempt = lease("default")["attempt_id"];

  post("worker", "/v1/attempts/" + attempt + "/heartbeat", {{"progress", 0.25}, {"message", "a quarter"}});

  EXPECT_EQ(task(id)["progress"], (Json{{"done", 0.25}, {"message", "a quarter"}}));
}

TEST_F(Retries, AClosedTaskCanBeTriedAgainByHand) {
  const std::string id = create("reader", {{"handler", "a"}, {"idempotency_key", "k"}});
  failed(lease("default")["attempt_id"], {{"retryable", false}});

  const HttpAnswer answer = retry(id);

  EXPECT_EQ(answer.status, 200) << answer.body;
  EXPECT_EQ(answer.json(), (Json{{"task_uuid", id}, {"status", "pending"}}));
  EXPECT_EQ(submit("reader", {{"handler", "a"}, {"idempotency_key", "k"}}).status, 409);
  const Json leased = lease("default");
  EXPECT_EQ(leased["attempt"], 2);
  EXPECT_EQ(leased["effect_key"], id);
  const Json entry = get("admin", "/v1/audit?limit=1").json()["entries"][0];
  EXPECT_EQ(entry["action"], "task.retry");
  EXPECT_EQ(entry["actor"], "reader");
}

TEST_F(Retries, WhatCannotBeTriedAgainIsRefused) {
  const std::string open = create("reader", {{"handler", "a"}, {"idempotency_key", "k"}});
  EXPECT_EQ(retry(open).code(), "NOT_RETRYABLE");
  EXPECT_EQ(retry("019bddae-b818-7d82-b7c5-bd42e5db27fc").status, 404);
  EXPECT_EQ(retry(open, "viewer").status, 403);
  EXPECT_EQ(retry(open, "globex").status, 404);
  failed(lease("default")["attempt_id"], {{"retryable", false}});
  create("reader", {{"handler", "a"}, {"idempotency_key", "k"}});

  EXPECT_EQ(retry(open).code(), "IDENTITY_HELD");

  EXPECT_EQ(task(open)["status"], "failed");
}

TEST_F(Retries, ARunningTaskIsCancelledByForceOnlyByAnAdministrator) {
  const std::string id = create("reader", {{"handler", "a"}});
  const std::string attempt = lease("default")["attempt_id"];
  EXPECT_EQ(post("reader", "/v1/tasks/" + id + "/cancel", {{"force", true}}).status, 403);

  const HttpAnswer answer = post("admin", "/v1/tasks/" + id + "/cancel", {{"force", true}});

  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.json()["status"], "cancelled");
  EXPECT_EQ(complete(attempt, Json::object()).code(), "STALE_ATTEMPT");
  EXPECT_EQ(task(id)["attempts"][0]["outcome"], "cancelled");
}

}  // namespace
}  // namespace semel::test
