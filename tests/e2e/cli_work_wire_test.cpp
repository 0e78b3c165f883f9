#include <gmock/gmock.h>

#include <atomic>

#include "tests/e2e/work.hpp"
#include "tests/support/certificate.hpp"
#include "tests/support/places.hpp"
#include "tests/support/tiny_server.hpp"

/// `semel work`: what goes over the wire, and answers that a test makes up.
namespace semel::test {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

constexpr const char* one_lease =
    R"({"leases":[{"attempt_id":"a1","task_uuid":"u1","task_id":"t1","handler":"h","queue":"default","attempt":1,)"
    R"("context":{},"lease_expires_at":"2026-01-20T12:00:00.000Z","effect_key":"u1","dispatch_id":"d","external_id":"e"}]})";

bool asks_for(const std::string& request, const std::string& end) {
  return TinyServer::target_of(request).ends_with(end);
}

/// A server with one task; `answer` says what its outcome gets.
class OneTask {
 public:
  using Answer = std::function<std::string(const std::string& request, int number)>;
  explicit OneTask(Answer answer) : answer_(std::move(answer)) {}

  const std::string& address() const { return server_.address(); }
  /// The bodies of what was sent to paths that end so.
  std::vector<std::string> bodies(const std::string& end) const {
    std::vector<std::string> found;
    for (const std::string& request : server_.requests()) {
      if (asks_for(request, end)) found.push_back(TinyServer::body_of(request));
    }
    return found;
  }

 private:
  std::string respond(const std::string& request) {
    if (!asks_for(request, "/poll")) return answer_(request, ++outcomes_);
    return TinyServer::json(200, polls_++ == 0 ? one_lease : R"({"leases":[]})");
  }

  const Answer answer_;
  int polls_ = 0;  // on the server's thread, as the next
  int outcomes_ = 0;
  TinyServer server_{[this](const std::string& request, std::size_t) { return respond(request); }};
};

Finished work_at(const std::string& address, const std::vector<std::string>& handler,
                 const std::vector<std::string>& options = {"--exit-when-empty"}) {
  return run_to_end(work_command(address, options, handler));
}

TEST(WorkWire, APollSaysWhatTheWorkerWants) {
  TinyServer server([](const auto&...) { return TinyServer::json(200, R"({"leases":[]})"); });

  const Finished done = work_at(server.address(), {"true"},
                                {"--queue", "fast", "--handler", "a", "--handler", "b", "--concurrency", "7", "--lease",
                                 "2m", "--worker-id", "w1", "--key", "semel_k", "--exit-when-empty"});

  EXPECT_EQ(done.code, 0) << done.errors;
  const std::string request = server.requests().at(0);
  EXPECT_THAT(request, StartsWith("POST /v1/worker/poll HTTP/1.1\r\n"));
  EXPECT_THAT(request, HasSubstr("Authorization: Bearer semel_k\r\n"));
  EXPECT_EQ(Json::parse(TinyServer::body_of(request)), (Json{{"worker_id", "w1"},
                                                             {"queues", {"default", "fast"}},
                                                             {"handlers", {"a", "b"}},
                                                             {"max", 7},
                                                             {"wait_ms", 0},
                                                             {"lease_ms", 120'000}}));
}

TEST(WorkWire, AnOutcomeWhoseAnswerWasLostIsSentAgain) {
  OneTask server([](const std::string&, int number) {
    if (number < 4) return std::string();
    return TinyServer::json(200, R"({"task_uuid":"u1","status":"completed","already_recorded":true})");
  });

  const Finished done = work_at(server.address(), {"echo", "17"});

  EXPECT_EQ(done.code, 0) << done.errors;
  EXPECT_EQ(done.output, "u1  h  attempt 1  completed\n");
  EXPECT_EQ(server.bodies("/v1/attempts/a1/complete"), std::vector<std::string>(4, R"({"result":17})"));
  EXPECT_THAT(done.errors, HasSubstr("without an answer; is the server running there?"));
  EXPECT_EQ(done.errors.find("cannot reach"), done.errors.rfind("cannot reach")) << "it was told more than once";
}

/// A server with one task, which takes its outcome with the next poll and answers so.
class TakesOutcomes {
 public:
  explicit TakesOutcomes(std::string results) : results_(std::move(results)) {}

  Finished work(const std::vector<std::string>& handler) { return work_at(server_.address(), handler); }
  std::vector<std::string> requests() const { return server_.requests(); }

 private:
  std::string respond(const std::string& request, std::size_t number) const {
    if (number == 1) return TinyServer::json(200, one_lease);
    if (asks_for(request, "/fail")) return TinyServer::json(200, R"({"task_uuid":"u1","status":"failed"})");
    const bool brings = number == 2;
    return TinyServer::json(200, brings ? R"({"leases":[],"results":[)" + results_ + "]}" : R"({"leases":[]})");
  }

  const std::string results_;
  TinyServer server_{[this](const std::string& request, std::size_t number) { return respond(request, number); }};
};

TEST(WorkWire, AnOutcomeGoesWithTheNextPoll) {
  TakesOutcomes server(R"({"status":200,"body":{"task_uuid":"u1","status":"completed"}})");

  const Finished done = server.work({"echo", "17"});

  EXPECT_EQ(done.code, 0) << done.errors;
  EXPECT_EQ(done.output, "u1  h  attempt 1  completed\n");
  const std::vector<std::string> requests = server.requests();
  ASSERT_EQ(requests.size(), 2u);
  const Json poll = Json::parse(TinyServer::body_of(requests[1]));
  EXPECT_EQ(poll["outcomes"], Json::parse(R"([{"attempt_id":"a1","complete":{"result":17}}])"));
  EXPECT_EQ(poll["max"], 1);
  EXPECT_EQ(poll["wait_ms"], 0);
}

TEST(WorkWire, AnOutcomeThatWentWithAPollAndCameTooLateIsTold) {
  TakesOutcomes server(R"({"status":409,"body":{"error":{"code":"STALE_ATTEMPT","message":"too late"}}})");

  const Finished done = server.work({"true"});

  EXPECT_EQ(done.code, 0);
  EXPECT_EQ(done.output, "");
  EXPECT_THAT(done.errors, HasSubstr("its outcome came too late and does not count\n"));
}

TEST(WorkWire, AResultThatWentWithAPollAndIsRefusedIsAFailure) {
  TakesOutcomes server(R"({"status":400,"body":{"error":{"code":"BAD_REQUEST","message":"no such result"}}})");

  const Finished done = server.work({"echo", "17"});

  const std::vector<std::string> requests = server.requests();
  EXPECT_EQ(done.output, "u1  h  attempt 1  bad_output, failed\n") << done.errors << requests.at(1);
  EXPECT_THAT(TinyServer::body_of(requests.at(2)), HasSubstr("no such result"));
}

TEST(WorkWire, AResultThatTheServerRefusesIsAFailure) {
  OneTask server([](const std::string& request, int) {
    if (asks_for(request, "/fail")) return TinyServer::json(200, R"({"task_uuid":"u1","status":"failed"})");
    return TinyServer::json(413, R"({"error":{"code":"PAYLOAD_TOO_LARGE","message":"result is too long"}})");
  });

  const Finished done = work_at(server.address(), {"echo", "17"});

  EXPECT_EQ(done.code, 0) << done.errors;
  EXPECT_EQ(done.output, "u1  h  attempt 1  bad_output, failed\n");
  EXPECT_THAT(server.bodies("/fail").at(0), HasSubstr("the server did not take the result: result is too long"));
}

TEST(WorkWire, AnOutcomeThatComesTooLateIsTold) {
  OneTask server([](const auto&...) {
    return TinyServer::json(409, R"({"error":{"code":"STALE_ATTEMPT","message":"too late"}})");
  });

  const Finished done = work_at(server.address(), {"true"});

  EXPECT_EQ(done.code, 0);
  EXPECT_EQ(done.output, "");
  EXPECT_THAT(done.errors, HasSubstr("task u1, attempt 1: its outcome came too late and does not count\n"));
}

struct RefusedWorker {
  int status;
  std::string body;
  int code;
  std::string why;
};

TEST(WorkWire, AWorkerThatIsRefusedEnds) {
  const std::vector<RefusedWorker> cases{
      {401, R"({"error":{"code":"UNAUTHORIZED","message":"unknown key"}})", 1,
       "unknown key (401 UNAUTHORIZED); give an API key with --key or SEMEL_KEY\n"},
      {403, R"({"error":{"code":"FORBIDDEN","message":"may not work"}})", 1, "may not work (403 FORBIDDEN)"},
      {400, R"({"error":{"code":"BAD_REQUEST","message":"no such field"}})", 1, "no such field (400 BAD_REQUEST)"},
      {404, "<html>", 4, "is this a Semel server?"},
      {200, "<html>", 1, "is this a Semel server?"}};
  for (const RefusedWorker& each : cases) {
    TinyServer at_poll([&](const auto&...) { return TinyServer::json(each.status, each.body); });

    const Finished done = work_at(at_poll.address(), {"true"}, {});

    EXPECT_EQ(done.code, each.code) << each.status;
    EXPECT_THAT(done.errors, HasSubstr(each.why));
    if (each.status == 200) continue;

    OneTask at_outcome([&](const auto&...) { return TinyServer::json(each.status, each.body); });

    EXPECT_EQ(work_at(at_outcome.address(), {"false"}, {}).code, each.code) << each.status;
  }
}

TEST(WorkWire, ABusyServerIsAskedAgain) {
  TinyServer server([](const auto&, std::size_t number) {
    if (number == 1)
      return TinyServer::json(503, R"({"error":{"code":"UNAVAILABLE","message":"busy"}})", "Retry-After: 0\r\n");
    return TinyServer::json(200, R"({"leases":[]})");
  });

  EXPECT_EQ(work_at(server.address(), {"true"}).code, 0);

  EXPECT_EQ(server.requests().size(), 2u);
}

TEST(WorkWire, GoesOverTlsAndTellsTheHandlerWhomToTrust) {
  const TempDir folder;
  const Certificate files = make_certificate(folder.path(), "own");
  const ServerProcess server(folder / "a.db",
                             {"--tls-cert", files.certificate.string(), "--tls-key", files.key.string()});
  const std::vector<std::string> reach{"--url", "https://localhost:" + server.port(), "--ca-cert",
                                       files.certificate.string()};
  const auto call = [&](std::vector<std::string> arguments, const std::vector<std::string>& handler = {}) {
    arguments.insert(arguments.end(), reach.begin(), reach.end());
    arguments.insert(arguments.end(), handler.begin(), handler.end());
    return run_semel(arguments);
  };
  const std::string id = call({"submit", "--handler", "h"}).output.substr(0, 36);

  const Finished done = call({"work", "--queue", "default", "--exit-when-empty"},
                             {"--", "sh", "-c", std::string(places::semel) + " get $SEMEL_TASK_UUID --json"});

  EXPECT_EQ(done.code, 0) << done.errors;
  EXPECT_EQ(done.output, id + "  h  attempt 1  completed\n") << done.errors;
  EXPECT_THAT(call({"result", id}).output, HasSubstr("\"status\":\"running\""));
}

TEST(WorkWire, AStoppedWorkerDoesNotWaitForeverForAServer) {
  std::atomic<Process*> worker = nullptr;
  OneTask server([&](const std::string&, int number) {
    worker.wait(nullptr);
    if (number == 2) worker.load()->signal(SIGTERM);
    return std::string();
  });
  Process process(work_command(server.address(), {"--grace", "10ms"}, {"true"}));
  worker = &process;
  worker.notify_all();

  EXPECT_EQ(process.wait(), 5);

  EXPECT_THAT(process.errors(), HasSubstr("task u1, attempt 1: the server could not be told its outcome"));
}

}  // namespace
}  // namespace semel::test
