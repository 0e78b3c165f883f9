#include <set>
#include <string>
#include <thread>

#include "tests/support/expect_answer.hpp"
#include "tests/support/http_herd.hpp"
#include "tests/support/server_fixture.hpp"

/// Stopping with requests in flight, starting again, and more work than the commit queue takes.
namespace semel::test {
namespace {

class Shutdown : public ServerFixture {
 protected:
  static std::vector<HttpRequest> distinct(std::size_t count) {
    std::vector<HttpRequest> requests;
    for (std::size_t i = 0; i < count; ++i) {
      const Json request{{"handler", "charge"}, {"idempotency_key", "order-" + std::to_string(i)}};
      requests.push_back({"POST", "/v1/tasks", "reader", request.dump()});
    }
    return requests;
  }

  /// Stops the server while the herd's requests are in it: commits go on only when the stopping has begun.
  std::vector<HttpAnswer> stop_under(HttpHerd& herd, const std::vector<HttpRequest>& requests) {
    HttpClient idle = connect();
    idle.ask({"GET", "/healthz"});
    std::shared_ptr<void> stalled = stall_commits();
    const std::size_t before = keys_.requests();
    herd.send_all(requests);
    keys_.wait_for_requests(before + herd.size());
    std::jthread stopping([this] { instance().stop(30s); });
    EXPECT_TRUE(idle.wait_for_end());  // idle connections are closed first
    stalled.reset();
    return herd.read_all();
  }
};

TEST_F(Shutdown, AnswersWhatIsInFlightAndAllOfItIsThereAfterwards) {
  const std::vector<HttpRequest> requests = distinct(200);
  std::vector<HttpAnswer> answers;
  {
    HttpHerd herd(instance().address(), requests.size());
    answers = stop_under(herd, requests);
  }

  restart();

  for (std::size_t i = 0; i < answers.size(); ++i) {
    ASSERT_EQ(answers[i].status, 201) << answers[i].body;
    const Json found = get("reader", "/v1/tasks/by-key?key=order-" + std::to_string(i)).json();
    EXPECT_EQ(found["task_uuid"], answers[i].json()["task_uuid"]);
    EXPECT_EQ(found["held"], true);
  }
}

TEST_F(Shutdown, EndsWaitsWithWhatIsThere) {
  const std::string id = create("reader", {{"handler", "charge"}, {"queue", "other"}});
  HttpHerd herd(instance().address(), 3);
  const std::size_t before = keys_.requests();
  herd.send_all({{"POST", "/v1/worker/poll", "worker", R"({"worker_id":"w","queues":["default"],"wait_ms":60000})"},
                 {"GET", "/v1/tasks/" + id + "/result?wait=60s", "reader"},
                 {"POST", "/v1/tasks", "reader", R"({"handler":"charge","queue":"third","wait":"60s"})"}});
  keys_.wait_for_requests(before + 3);

  instance().stop(30s);

  const std::vector<HttpAnswer> answers = herd.read_all();
  EXPECT_EQ(answers[0].body, R"({"leases":[]})");
  EXPECT_EQ(answers[1].status, 202);
  EXPECT_EQ(answers[1].body, R"({"status":"pending"})");
  EXPECT_EQ(answers[2].status, 201);
  EXPECT_EQ(answers[2].json()["status"], "pending");
}

TEST_F(Shutdown, KeepsRunningTasksLeasesDelaysAndResults) {
  const std::string done = create("reader", {{"handler", "charge"}, {"idempotency_key", "done"}});
  bring_to(State::completed, done, "default");
  const std::string running = create("reader", {{"handler", "charge"}, {"idempotency_key", "running"}});
  const std::string attempt = lease("default")["attempt_id"];
  const std::string delayed = create("reader", {{"handler", "charge"}, {"delay", "1h"}});
  const Json before{task(done), task(running), task(delayed)};

  restart();

  EXPECT_EQ((Json{task(done), task(running), task(delayed)}), before);
  EXPECT_EQ(complete(attempt, {{"result", result}}).status, 200);
  EXPECT_EQ(lease("default"), Json());
  clock_.advance(1h);
  maintain();
  EXPECT_EQ(lease("default")["task_uuid"], delayed);
}

class Overload : public Shutdown {
 protected:
  static constexpr std::size_t room = 8;
  Overload() { options_.commits.commands_max = room; }

  /// Sends requests while commits are stalled, and returns when the server has all of them.
  std::shared_ptr<void> send_stalled(HttpHerd& herd, const std::vector<HttpRequest>& requests) {
    std::shared_ptr<void> stalled = stall_commits();
    const std::size_t before = keys_.requests();
    herd.send_all(requests);
    keys_.wait_for_requests(before + herd.size());
    return stalled;
  }
};

TEST_F(Overload, IsRefusedWithRetryAfterAndNothingIsLostOrHalfMade) {
  const std::vector<HttpRequest> requests = distinct(50);
  HttpHerd herd(instance().address(), requests.size());
  send_stalled(herd, requests).reset();

  const std::vector<HttpAnswer> answers = herd.read_all();

  std::size_t created = 0;
  for (std::size_t i = 0; i < answers.size(); ++i) {
    const HttpAnswer found = get("reader", "/v1/tasks/by-key?key=order-" + std::to_string(i));
    if (answers[i].status == 201) {
      ++created;
      EXPECT_EQ(found.json()["task_uuid"], answers[i].json()["task_uuid"]);
      continue;
    }
    expect_refusal(answers[i], 503, "UNAVAILABLE", "nothing was changed, try again in a moment");
    EXPECT_EQ(answers[i].headers.at("retry-after"), "1");
    EXPECT_EQ(found.status, 404);
  }
  // Each thread may have been about to queue one more when commits went on.
  EXPECT_GE(created, 1u);
  EXPECT_LE(created, room + static_cast<std::size_t>(options_.http.threads));
}

TEST_F(Overload, IsOverWhenThereIsRoomAgain) {
  const std::vector<HttpRequest> requests = distinct(50);
  HttpHerd herd(instance().address(), requests.size());
  send_stalled(herd, requests).reset();
  herd.read_all();

  for (const HttpRequest& request : requests) {
    const int status = ask(request).status;
    EXPECT_TRUE(status == 201 || status == 409) << status;
  }
}

TEST_F(Overload, OfABatchThatIsLargerThanTheQueueRefusesAllOfIt) {
  Json tasks = Json::array();
  for (std::size_t i = 0; i <= room; ++i) tasks.push_back({{"handler", "charge"}});

  const HttpAnswer answer = post("reader", "/v1/tasks:batch", {{"tasks", tasks}});

  EXPECT_EQ(answer.status, 200);
  const Json body = answer.json();
  for (const Json& each : body["results"]) EXPECT_EQ(each["status"], 503);
  EXPECT_EQ(lease("default"), Json());
}

TEST_F(Overload, LeavesReadsAndDuplicatesAnswered) {
  const Json keyed{{"handler", "charge"}, {"idempotency_key", "held"}};
  const std::string id = create("reader", keyed);
  HttpHerd herd(instance().address(), 50);

  std::shared_ptr<void> stalled = send_stalled(herd, distinct(50));

  EXPECT_EQ(task(id)["status"], "pending");
  expect_opaque(submit("reader", keyed));
  EXPECT_EQ(get("", "/readyz").status, 200);

  stalled.reset();
  herd.read_all();
}

}  // namespace
}  // namespace semel::test
