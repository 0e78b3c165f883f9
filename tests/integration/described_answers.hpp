#pragma once
#include <algorithm>
#include <set>

#include "api/http/routes.hpp"
#include "tests/integration/workflow_fixture.hpp"
#include "tests/support/event_source.hpp"
#include "tests/support/open_api.hpp"
#include "tests/support/push_endpoint.hpp"

namespace semel::test {

/// Makes every kind of answer once, and compares it with /openapi.json.
class DescribedAnswers : public WorkflowFixture {
 protected:
  void SetUp() override {
    options_.dispatch.emplace();
    options_.dispatch->allowed_networks = "127.0.0.0/8";
    ServerFixture::SetUp();
    api_.emplace(ask({"GET", "/openapi.json"}).json());
  }

  /// Whether the operation is built.
  static bool serves(const std::string& operation) {
    const auto routes = http::all_routes();
    return std::any_of(routes.begin(), routes.end(), [&](const http::Route& each) {
      return operation == std::string(each.method) + " " + std::string(each.path);
    });
  }

  /// Compares an answer with the document.
  void judge(const HttpRequest& request, const HttpAnswer& answer, int status) {
    SCOPED_TRACE(request.method + " " + request.target + " " + request.body + "\n" + answer.body);
    EXPECT_EQ(answer.status, status);
    for (const std::string& problem : api_->problems(request, answer)) ADD_FAILURE() << problem;
    EXPECT_TRUE(answer.headers.contains("x-request-id"));
    if (const Operation* operation = api_->find(request))
      seen_.insert(operation->name() + " " + std::to_string(status));
  }
  HttpAnswer told(const HttpRequest& request, int status) {
    HttpAnswer answer = ask(request);
    judge(request, answer, status);
    return answer;
  }
  HttpAnswer tell(const std::string& target, const Json& body, int status, const std::string& key = "admin") {
    return told({"POST", target, key, body.dump()}, status);
  }
  std::string submit_new(const Json& submission) {
    return tell("/v1/tasks", submission, 201).json().value("task_uuid", "");
  }

  static Json with(Json submission, const Json& more) {
    submission.update(more);
    return submission;
  }

  /// One task of each state, on a queue of its own with the state's name as its key.
  std::string make(State state) {
    const std::string name(name_of(state));
    const std::string id = submit_new(task_in(state));
    bring_to(state, id, name);
    return id;
  }
  static Json task_in(State state) {
    const std::string name(name_of(state));
    return {{"handler", "charge"}, {"queue", name}, {"idempotency_key", name}, {"context", {{"amount", 100}}}};
  }

  void submit_all();
  void read_all();
  void work_all();
  void put_and_remove_templates();
  void meet_tombstones();
  void administer_all();
  void schedule_all();
  void run_steps();
  void run_workflows();
  void settle_promises();
  void push_all();
  HttpRequest example_of(const Operation& operation, const std::string& key) const;
  void refuse_all();
  void tell_too_much(const HttpRequest& good);

  static inline const Json describe{{"on_duplicate", "describe"}, {"reuse", "reject_duplicate"}};
  static inline const Json return_existing{{"on_duplicate", "return_existing"}, {"reuse", "reject_duplicate"}};
  std::optional<OpenApi> api_;
  std::set<std::string> seen_;
};

}  // namespace semel::test
