#pragma once
#include <future>
#include <string>
#include <utility>
#include <vector>

#include "domain/workflow/code/names.hpp"
#include "tests/support/server_fixture.hpp"

namespace semel::test {

namespace code = domain::code;

/// Workflows that are written as code, and promises, over HTTP. What their code says is said to the engine itself: no
/// worker over HTTP runs code.
class WorkflowFixture : public ServerFixture {
 protected:
  static Json order(const Json& more = Json::object()) {
    Json start{{"workflow_id", "order-1"}, {"kind", "process_order"}, {"input", {{"order", 7}}}};
    start.update(more);
    return start;
  }
  HttpAnswer start_workflow(const Json& start, const std::string& key = "admin") {
    return post(key, "/v1/workflows", start);
  }
  /// Starts one, expects a new one, and gives its id.
  std::string started(const Json& start = order(), const std::string& key = "admin") {
    const HttpAnswer answer = start_workflow(start, key);
    EXPECT_EQ(answer.status, 201) << answer.body;
    return answer.json().value("workflow_execution_id", "");
  }
  HttpAnswer signal(const std::string& id, const Json& signal, const std::string& key = "admin") {
    return post(key, "/v1/workflows/" + id + "/signal", signal);
  }
  Json workflow(const std::string& id) { return get("admin", "/v1/workflows/" + id).json(); }
  /// "run_started, signal_received"
  std::string events(const std::string& id) {
    std::string text;
    const Json page = get("admin", "/v1/workflows/" + id + "/events").json();
    for (const Json& each : page["events"]) text += (text.empty() ? "" : ", ") + each["kind"].get<std::string>();
    return text;
  }

  HttpAnswer promise(const Json& request = Json::object(), const std::string& key = "admin") {
    return post(key, "/v1/promises", request);
  }
  std::string promised(const Json& request = Json::object(), const std::string& key = "admin") {
    const HttpAnswer answer = promise(request, key);
    EXPECT_EQ(answer.status, 201) << answer.body;
    return answer.json().value("promise_id", "");
  }

  /// Leases the only workflow of this kind that is ready.
  Lease lease_workflow(const std::string& kind) {
    engine::Engine::PollRequest request;
    request.worker = "w1";
    request.queues = {"default"};
    request.handlers = {code::handler_of_workflow(kind)};
    std::promise<Result<std::vector<Lease>>> polled;
    instance().engine().poll(admin_, std::move(request),
                             [&](Result<std::vector<Lease>> leases) { polled.set_value(std::move(leases)); });
    const std::vector<Lease> leases = polled.get_future().get().value();
    return leases.at(0);
  }
  /// Leases it, and answers for its code. The commands are numbered from its last one on.
  void run_code(code::Answer said, const std::string& kind = "process_order") {
    const Lease lease = lease_workflow(kind);
    said.seen = lease.activation->history_length;
    std::int64_t number = lease.activation->last_command;
    for (code::Command& command : said.commands) command.number = ++number;
    std::vector<Result<engine::Engine::Ending>> endings;
    endings.push_back(
        engine::Engine::Ending{lease.attempt_id, engine::Engine::CodeAnswer{lease.execution.spec.id, std::move(said)}});
    std::promise<std::vector<Result<AttemptAnswer>>> ended;
    instance().engine().end(admin_, std::move(endings), [&](auto answers) { ended.set_value(std::move(answers)); });
    const auto answers = ended.get_future().get();
    ASSERT_TRUE(answers.front()) << answers.front().error().message;
  }
  static code::Answer says(std::vector<decltype(code::Command::what)> commands) {
    code::Answer answer;
    for (auto& each : commands) answer.commands.push_back({0, std::move(each)});
    return answer;
  }
  static code::Answer ends_with(const std::string& result) {
    code::Answer answer;
    answer.conclusion = code::Complete{result};
    return answer;
  }
  static code::ScheduleTask task_of(const std::string& handler, const std::string& context = "{}") {
    code::ScheduleTask task;
    task.handler = handler;
    task.context = context;
    return task;
  }

 private:
  const domain::Principal admin_{"acme", "admin", domain::all_permissions};
};

}  // namespace semel::test
