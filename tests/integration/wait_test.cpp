#include <string>

#include "tests/support/expect_answer.hpp"
#include "tests/support/http_herd.hpp"
#include "tests/support/server_fixture.hpp"

/// Waiting for results: GET …/result?wait, submissions with `wait`.
namespace semel::test {
namespace {

class Wait : public ServerFixture {
 protected:
  std::string result_of(const std::string& id, const std::string& wait = "") {
    return "/v1/tasks/" + id + "/result" + (wait.empty() ? "" : "?wait=" + wait);
  }
  /// Sends a request that will wait, and returns when the server has it.
  HttpClient send_waiting(const HttpRequest& request) {
    HttpClient client = connect();
    const std::size_t before = keys_.requests();
    client.send(request);
    keys_.wait_for_requests(before + 1);
    EXPECT_FALSE(client.has_answer());
    return client;
  }
};

TEST_F(Wait, AnOpenTaskHasNoResultYet) {
  const std::string id = create("reader", {{"handler", "a"}});

  const HttpAnswer pending = get("reader", result_of(id));
  lease("default");
  const HttpAnswer running = get("reader", result_of(id, "1ms"));

  EXPECT_EQ(pending.status, 202);
  EXPECT_EQ(pending.body, R"({"status":"pending"})");
  EXPECT_EQ(running.status, 202);
  EXPECT_EQ(running.body, R"({"status":"running"})");
}

TEST_F(Wait, AClosedTaskTellsItsOutcomeAtOnce) {
  struct Case {
    State state;
    Json body;
  };
  const Json lease_ended{{"type", "LEASE_ENDED"},
                         {"message", "attempt 1 by worker 'w1' ended without an answer: its lease ran out"}};
  for (const Case& each : {Case{State::completed, {{"status", "completed"}, {"result", result}}},
                           Case{State::failed, {{"status", "failed"}, {"error", failure}}},
                           Case{State::cancelled, {{"status", "cancelled"}}},
                           Case{State::timed_out, {{"status", "timed_out"}, {"error", lease_ended}}}}) {
    const std::string id = create("reader", {{"handler", "a"}});
    bring_to(each.state, id, "default");
    Json expected = each.body;
    expected["closed_at"] = to_rfc3339(clock_.now());

    const HttpAnswer answer = get("reader", result_of(id, "60s"));

    EXPECT_EQ(answer.status, 200);
    EXPECT_EQ(answer.json(), expected);
  }
}

TEST_F(Wait, IsOverWhenTheTaskCloses) {
  for (const State state : {State::completed, State::failed, State::cancelled, State::timed_out}) {
    const std::string id = create("reader", {{"handler", "a"}});
    HttpClient waiting = send_waiting({"GET", result_of(id, "60s"), "reader"});

    bring_to(state, id, "default");

    const HttpAnswer answer = waiting.read();
    EXPECT_EQ(answer.status, 200);
    EXPECT_EQ(answer.json()["status"], domain::name_of(state));
  }
}

TEST_F(Wait, OfTwoHundredIsOverForAllAtOnce) {
  const std::string id = create("reader", {{"handler", "a"}});
  HttpHerd waiting(instance().address(), 200);
  const std::size_t before = keys_.requests();
  waiting.send_all({{"GET", result_of(id, "60s"), "reader"}});
  keys_.wait_for_requests(before + 200);

  bring_to(State::completed, id, "default");

  for (const HttpAnswer& answer : waiting.read_all()) {
    EXPECT_EQ(answer.status, 200);
    EXPECT_EQ(answer.json()["result"], result);
  }
}

TEST_F(Wait, OfASubmissionAnswersWithTheResult) {
  HttpClient waiting = send_waiting({"POST", "/v1/tasks", "reader", R"({"handler":"a","wait":"60s"})"});
  Json leased;
  while (leased.is_null()) leased = lease("default");  // the submission is being handled

  complete(leased["attempt_id"], {{"result", result}});

  const HttpAnswer answer = waiting.read();
  EXPECT_EQ(answer.status, 201);
  EXPECT_EQ(answer.json()["task_uuid"], leased["task_uuid"]);
  EXPECT_EQ(answer.json()["status"], "completed");
  EXPECT_EQ(answer.json()["result"], result);
}

TEST_F(Wait, OfASubmissionThatEndsEarlierAnswersWithTheStateOfThen) {
  const HttpAnswer answer = submit("reader", {{"handler", "a"}, {"wait", "1ms"}});

  EXPECT_EQ(answer.status, 201);
  EXPECT_EQ(answer.json()["status"], "pending");
  EXPECT_FALSE(answer.json().contains("result"));
}

TEST_F(Wait, OfADuplicateThatReturnsTheExistingAnswersWithItsResult) {
  const Json request{{"handler", "a"}, {"idempotency_key", "k"}, {"on_duplicate", "return_existing"}};
  const std::string id = create("reader", request);
  Json patient = request;
  patient["wait"] = "60s";
  HttpClient waiting = send_waiting({"POST", "/v1/tasks", "reader", patient.dump()});

  bring_to(State::completed, id, "default");

  const HttpAnswer answer = waiting.read();
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.json()["task_uuid"], id);
  EXPECT_EQ(answer.json()["status"], "completed");
  EXPECT_EQ(answer.json()["result"], result);
}

TEST_F(Wait, OfADuplicateThatIsRefusedIsNoWait) {
  for (const char* mode : {"reject", "describe"}) {
    const std::string key = std::string("k-") + mode;
    create("reader", {{"handler", "a"}, {"idempotency_key", key}});
    EXPECT_EQ(
        submit("reader", {{"handler", "a"}, {"idempotency_key", key}, {"on_duplicate", mode}, {"wait", "60s"}}).status,
        409);
  }
}

TEST_F(Wait, MustBeADurationOfAtMostAMinute) {
  const std::string id = create("reader", {{"handler", "a"}});

  expect_refusal(get("reader", result_of(id, "61s")), 400, "BAD_REQUEST", "at most 1m");
  expect_refusal(get("reader", result_of(id, "soon")), 400, "BAD_REQUEST", "wait must be a duration");
  expect_refusal(get("reader", result_of(id, "-1s")), 400, "BAD_REQUEST", "wait must be a duration");
}

}  // namespace
}  // namespace semel::test
