#include <cstdio>
#include <fstream>

#include "tests/support/server_fixture.hpp"

namespace semel::test {
namespace {

class Metrics : public ServerFixture {
 protected:
  Metrics() { own_keys_ = true; }  // open: whoever asks from here is an operator

  std::string metrics() {
    const HttpAnswer answer = get("", "/metrics");
    EXPECT_EQ(answer.status, 200);
    EXPECT_EQ(answer.headers.at("content-type"), "text/plain; version=0.0.4; charset=utf-8");
    return answer.body;
  }
  void expect_line(const std::string& line) {
    const std::string text = metrics();
    EXPECT_NE(text.find("\n" + line + "\n"), std::string::npos) << line << "\nis not in\n" << text;
  }
};

TEST_F(Metrics, CountWhatBecomesOfTasks) {
  const Json task{{"handler", "mail"}, {"idempotency_key", "a"}, {"on_duplicate", "return_existing"}};
  create("", task);
  submit("", task);
  submit("", {{"handler", "mail"}, {"idempotency_key", "a"}});
  const std::string attempt = lease("default", "")["attempt_id"];
  post("", "/v1/attempts/" + attempt + "/complete", Json::object());
  create("", {{"handler", "mail"}, {"idempotency_key", "a"}, {"reuse", "allow_duplicate"}});
  const std::string other = create("", {{"handler", "mail"}, {"queue", "slow"}});
  post("", "/v1/tasks/" + other + "/cancel", Json::object());

  expect_line(R"(semel_tasks_created_total{tenant="default"} 3)");
  expect_line(R"(semel_identity_takeovers_total{tenant="default"} 1)");
  expect_line(R"(semel_duplicates_total{answer="200",tenant="default"} 1)");
  expect_line(R"(semel_duplicates_total{answer="409 CONFLICT",tenant="default"} 1)");
  expect_line(R"(semel_leases_total{tenant="default"} 1)");
  expect_line(R"(semel_tasks_closed_total{status="completed",tenant="default"} 1)");
  expect_line(R"(semel_tasks_closed_total{status="cancelled",tenant="default"} 1)");
  expect_line(R"(semel_commit_queue_commands 0)");
  expect_line(R"(semel_commit_failures_total 0)");
}

TEST_F(Metrics, CountALeaseThatEndsByWhatTheTaskBecame) {
  create("", {{"handler", "mail"}});
  lease("default", "");
  const std::string cancelled = create("", {{"handler", "mail"}});
  lease("default", "");
  post("", "/v1/tasks/" + cancelled + "/cancel", Json::object());
  clock_.advance(1h);
  maintain();

  expect_line(R"(semel_tasks_closed_total{status="timed_out",tenant="default"} 1)");
  expect_line(R"(semel_tasks_closed_total{status="cancelled",tenant="default"} 1)");
}

TEST_F(Metrics, ShowHowDeepQueuesAre) {
  create("", {{"handler", "mail"}});
  create("", {{"handler", "mail"}});
  create("", {{"handler", "mail"}, {"delay", "1h"}});
  lease("default", "");

  expect_line(R"(semel_queue_tasks{phase="ready",queue="default",tenant="default"} 1)");
  expect_line(R"(semel_queue_tasks{phase="waiting",queue="default",tenant="default"} 1)");
  expect_line(R"(semel_queue_tasks{phase="running",queue="default",tenant="default"} 1)");
}

TEST_F(Metrics, CountRequestsByRouteAndNotByPath) {
  get("", "/v1/tasks/01900000-0000-7000-8000-000000000000");
  get("", "/v1/tasks/01900000-0000-7000-8000-000000000001");
  get("", "/v1/nothing/here");

  expect_line(R"(semel_http_requests_total{method="GET",route="/v1/tasks/{id}",status="404"} 2)");
  EXPECT_EQ(metrics().find("nothing"), std::string::npos);
}

TEST_F(Metrics, AreForOperators) {
  const std::string admin = post("", "/v1/keys", {{"permissions", {"admin"}}}).json()["key"];
  const std::string tenant = post(admin, "/v1/keys", {{"tenant", "acme"}, {"permissions", {"admin"}}}).json()["key"];

  EXPECT_EQ(get("", "/metrics").status, 401);
  EXPECT_EQ(get(tenant, "/metrics").status, 403);
  EXPECT_EQ(get(admin, "/metrics").status, 200);
}

TEST_F(Metrics, AreWellFormedInTheEyesOfPrometheus) {
  create("", {{"handler", "mail"}, {"idempotency_key", "a"}});
  submit("", {{"handler", "mail"}, {"idempotency_key", "a"}});
  const std::filesystem::path file = folder_ / "metrics.txt";
  std::ofstream(file) << metrics();

  const std::string command = "promtool check metrics < " + file.string() + " 2>&1";
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command.c_str(), "r"), pclose);
  ASSERT_NE(pipe, nullptr);
  std::string said;
  for (int c = std::fgetc(pipe.get()); c != EOF; c = std::fgetc(pipe.get())) said += static_cast<char>(c);

  EXPECT_EQ(said, "");
}

}  // namespace
}  // namespace semel::test
