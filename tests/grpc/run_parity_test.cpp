#include "tests/grpc/parity_fixture.hpp"

namespace semel::test {
namespace {

/// Runs of a template with steps, in both tenants.
class RunParity : public Parity {
 protected:
  Ids start_both(const Json& steps, const Json& context = Json::object()) {
    const Json document{{"namespace", "shop"},
                        {"name", "order"},
                        {"version", "1.0.0"},
                        {"identity_strategy", "always_unique"},
                        {"steps", steps}};
    for (const std::string key : {"admin", "globex"}) {
      const HttpAnswer put = ask({"PUT", "/v1/templates", key, document.dump()});
      EXPECT_TRUE(put.status == 200 || put.status == 201) << put.body;
    }
    return submit_both({{"namespace", "shop"}, {"name", "order"}, {"context", context}});
  }
  /// The newest of the lists: the tasks of the run in both tenants.
  std::vector<Ids> tasks_of(const Ids& run) {
    const Json rest = get("admin", "/v1/tasks?parent=" + run.rest).json();
    const auto rpc = ask_rpc(*this->rpc().tasks, &v1::TaskService::Stub::ListTasks, "globex",
                             make<v1::ListTasksRequest>({{"parent", run.rpc}}));
    EXPECT_EQ(masked(rpc.json()["tasks"]), masked(rest["tasks"]));
    std::vector<Ids> tasks;
    for (int i = 0; i < rpc.response.tasks_size(); ++i)
      tasks.push_back({rest["tasks"][static_cast<std::size_t>(i)]["task_uuid"], rpc.response.tasks(i).task_uuid()});
    return tasks;
  }
  void expect_same_history(const Ids& run, const Json& page = Json::object()) {
    std::string query;
    for (const auto& [name, value] : page.items())
      query += (query.empty() ? '?' : '&') + name + '=' + std::to_string(value.get<int>());
    Json request = page;
    request["task_uuid"] = run.rpc;
    const auto rpc = ask_rpc(*this->rpc().workflows, &v1::WorkflowService::Stub::GetHistory, "globex",
                             make<v1::GetHistoryRequest>(request));
    Json body = rpc.json();
    if (body.contains("next_cursor")) body["next_cursor"] = std::to_string(body["next_cursor"].get<int>());
    expect_same(get("admin", "/v1/tasks/" + run.rest + "/history" + query), rpc, body);
  }
  void expect_same_graph(const Ids& run) {
    const auto rpc = ask_rpc(*this->rpc().workflows, &v1::WorkflowService::Stub::GetGraph, "globex",
                             make<v1::GetGraphRequest>({{"task_uuid", run.rpc}}));
    expect_same(get("admin", "/v1/tasks/" + run.rest + "/graph"), rpc, rpc.ok() ? rpc.json()["graph"] : Json());
    if (!rpc.ok()) return;
    EXPECT_EQ(rpc.response.mermaid(), get("admin", "/v1/tasks/" + run.rest + "/graph?format=mermaid").body);
  }
  void expect_all_the_same(const Ids& run) {
    expect_same_task(run);
    expect_same_graph(run);
    expect_same_history(run);
    for (const Ids& task : tasks_of(run)) expect_same_task(task);
  }
};

const Json three_steps{
    {{"name", "pay"}, {"handler", "charge"}},
    {{"name", "ship"}, {"handler", "send"}, {"depends_on", {"pay"}}, {"on_upstream_failure", "block"}},
    {{"name", "mail"}, {"handler", "notify"}, {"depends_on", {"ship"}}, {"for_each", {{"path", "/to"}}}}};

TEST_F(RunParity, FromItsBeginToItsEnd) {
  const Ids run = start_both(three_steps, {{"to", {"ann"}}});
  expect_all_the_same(run);
  end_both("default", "/complete", {{"result", {{"receipt", 7}}}});
  expect_all_the_same(run);
  end_both("default", "/complete", {{"result", nullptr}});
  expect_all_the_same(run);
  end_both("default", "/fail", {{"error", failure}, {"retryable", false}});
  expect_all_the_same(run);
  expect_same_history(run, {{"limit", 2}});
  expect_same_history(run, {{"limit", 3}, {"cursor", 2}});
  expect_same_history(run, {{"limit", 0}});
}

TEST_F(RunParity, OfWhatPeopleDo) {
  const Ids run = start_both(three_steps, {{"to", {"ann"}}});
  end_both("default", "/fail", {{"error", failure}, {"retryable", false}});
  expect_all_the_same(run);
  const auto resolve = [&](const std::string& step, const Json& body) {
    SCOPED_TRACE(step + body.dump());
    Json request = body;
    request["task_uuid"] = run.rpc;
    request["step"] = step;
    const auto rpc = ask_rpc(*this->rpc().workflows, &v1::WorkflowService::Stub::ResolveStep, "globex",
                             make<v1::ResolveStepRequest>(request));
    expect_same(post("admin", "/v1/tasks/" + run.rest + "/steps/" + step + "/resolve", body), rpc, rpc.json());
  };
  resolve("pay", {{"result", 1}});
  resolve("nobody", {{"result", 1}});
  resolve("ship", Json::object());
  resolve("ship", {{"result", 1}, {"why", std::string(1'001, 'x')}});
  resolve("ship", {{"result", {{"by", "hand"}}}, {"why", "by phone"}});
  expect_all_the_same(run);

  const auto retry = [&](const Json& body) {
    SCOPED_TRACE(body.dump());
    Json request = body;
    request["task_uuid"] = run.rpc;
    const auto rpc =
        ask_rpc(*this->rpc().tasks, &v1::TaskService::Stub::RetryTask, "globex", make<v1::RetryTaskRequest>(request));
    expect_same(post("admin", "/v1/tasks/" + run.rest + "/retry", body), rpc, rpc.json());
  };
  retry({{"steps", {"nobody"}}});
  retry({{"steps", {"a b"}}});
  retry({{"steps", {"pay"}}, {"why", "mended"}});
  expect_all_the_same(run);

  for (int i = 0; i < 2; ++i) {
    const Json body{{"why", "enough"}};
    const auto rpc = ask_rpc(*this->rpc().tasks, &v1::TaskService::Stub::CancelTask, "globex",
                             make<v1::CancelTaskRequest>({{"task_uuid", run.rpc}, {"why", "enough"}}));
    expect_same(post("admin", "/v1/tasks/" + run.rest + "/cancel", body), rpc, rpc.json());
  }
  expect_all_the_same(run);
}

TEST_F(RunParity, OfATaskWithoutSteps) {
  const Ids task = submit_both({{"handler", "charge"}});
  expect_same_graph(task);
  expect_same_history(task);
}

TEST_F(RunParity, OfWhatAHandlerGets) {
  start_both(three_steps, {{"to", {"ann"}}});
  end_both("default", "/complete", {{"result", {{"receipt", 7}}}});
  end_both("default", "/complete", {{"result", nullptr}});
  const Json rest = lease("default", "admin");

  WorkerClient worker(rpc(), "globex");
  ASSERT_TRUE(worker.hello(1));
  const std::vector<v1::Lease> leases = worker.leases(1);

  ASSERT_EQ(leases.size(), 1u);
  Json told = to_json(leases.front());
  EXPECT_EQ(masked(told), masked(rest));
  EXPECT_EQ(told["item"], "ann");
  EXPECT_EQ(told["upstream"]["ship"]["result"], nullptr);
}

}  // namespace
}  // namespace semel::test
