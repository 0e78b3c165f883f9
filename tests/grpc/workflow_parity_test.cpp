#include "tests/grpc/parity_fixture.hpp"

namespace semel::test {
namespace {

/// Workflows that are written as code, and promises, in both tenants.
class WorkflowParity : public Parity {
 protected:
  void SetUp() override {
    Parity::SetUp();
    promises_ = v1::PromiseService::NewStub(rpc().channel);
  }
  void TearDown() override {
    promises_.reset();
    Parity::TearDown();
  }

  Ids start_both(const Json& start) {
    SCOPED_TRACE(start.dump());
    const HttpAnswer rest = post("admin", "/v1/workflows", start);
    Json message = start;
    if (message.contains("deadline")) {
      message["deadline_after"] = message["deadline"];
      message.erase("deadline");
    }
    const auto rpc = ask_rpc(*this->rpc().workflows, &v1::WorkflowService::Stub::StartWorkflow, "globex",
                             make<v1::StartWorkflowRequest>(message));
    expect_same(rest, rpc, without_created(rpc.json(), rest));
    return {rest.json().value("workflow_execution_id", ""), rpc.response.workflow_execution_id()};
  }
  void expect_same_workflow(const Ids& workflow) {
    const auto rpc = ask_rpc(*this->rpc().workflows, &v1::WorkflowService::Stub::GetWorkflow, "globex",
                             make<v1::GetWorkflowRequest>({{"workflow_execution_id", workflow.rpc}}));
    expect_same(get("admin", "/v1/workflows/" + workflow.rest), rpc, rpc.json());
    expect_same_task(workflow);
    const auto history = ask_rpc(*this->rpc().workflows, &v1::WorkflowService::Stub::GetHistory, "globex",
                                 make<v1::GetHistoryRequest>({{"task_uuid", workflow.rpc}}));
    expect_same(get("admin", "/v1/workflows/" + workflow.rest + "/events"), history, history.json());
  }
  void signal_both(const Ids& workflow, const Json& signal) {
    SCOPED_TRACE(signal.dump());
    Json message = signal;
    message["workflow_execution_id"] = workflow.rpc;
    const auto rpc = ask_rpc(*this->rpc().workflows, &v1::WorkflowService::Stub::SignalWorkflow, "globex",
                             make<v1::SignalWorkflowRequest>(message));
    expect_same(post("admin", "/v1/workflows/" + workflow.rest + "/signal", signal), rpc, rpc.json());
  }
  void cancel_both(const Ids& workflow, const Json& cancel) {
    SCOPED_TRACE(cancel.dump());
    Json message = cancel;
    message["workflow_execution_id"] = workflow.rpc;
    const auto rpc = ask_rpc(*this->rpc().workflows, &v1::WorkflowService::Stub::CancelWorkflow, "globex",
                             make<v1::CancelWorkflowRequest>(message));
    expect_same(post("admin", "/v1/workflows/" + workflow.rest + "/cancel", cancel), rpc, rpc.json());
  }

  Ids promise_both(const Json& promise) {
    SCOPED_TRACE(promise.dump());
    const HttpAnswer rest = post("admin", "/v1/promises", promise);
    const auto rpc =
        ask_rpc(*promises_, &v1::PromiseService::Stub::Create, "globex", make<v1::CreatePromiseRequest>(promise));
    expect_same(rest, rpc, without_created(rpc.json(), rest));
    return {rest.json().value("promise_id", ""), rpc.response.promise_id()};
  }
  void expect_same_promise(const Ids& promise) {
    const auto rpc = ask_rpc(*promises_, &v1::PromiseService::Stub::Get, "globex",
                             make<v1::GetPromiseRequest>({{"promise_id", promise.rpc}}));
    expect_same(get("admin", "/v1/promises/" + promise.rest), rpc, rpc.json());
    expect_same_task(promise);
  }
  void resolve_both(const Ids& promise, const Json& body) {
    Json message = body;
    message["promise_id"] = promise.rpc;
    const auto rpc =
        ask_rpc(*promises_, &v1::PromiseService::Stub::Resolve, "globex", make<v1::ResolvePromiseRequest>(message));
    expect_same(post("admin", "/v1/promises/" + promise.rest + "/resolve", body), rpc, rpc.json());
  }
  void reject_both(const Ids& promise, const Json& error) {
    Json message = error;
    message["promise_id"] = promise.rpc;
    const auto rpc =
        ask_rpc(*promises_, &v1::PromiseService::Stub::Reject, "globex", make<v1::RejectPromiseRequest>(message));
    expect_same(post("admin", "/v1/promises/" + promise.rest + "/reject", {{"error", error}}), rpc, rpc.json());
  }

  static Json without_created(Json body, const HttpAnswer& rest) {
    EXPECT_EQ(body["created"], rest.status == 201);
    body.erase("created");
    return body;
  }

  std::unique_ptr<v1::PromiseService::Stub> promises_;
};

TEST_F(WorkflowParity, OfWhatAStartMaySay) {
  const Json all{{"workflow_id", "order-1"},
                 {"kind", "order"},
                 {"input", {{"n", 1}, {"text", "é"}}},
                 {"queue", "q"},
                 {"idempotency_key_ttl_seconds", 3600},
                 {"priority", 7},
                 {"priority_seconds", 60},
                 {"delay", "5s"},
                 {"deadline", "2h"},
                 {"reuse", "reject_duplicate"},
                 {"on_duplicate", "describe"},
                 {"on_payload_mismatch", "ignore"},
                 {"traceparent", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"},
                 {"labels", {{"team", "billing"}}}};
  expect_same_workflow(start_both(all));
  start_both(all);
  expect_same_workflow(start_both({{"workflow_id", "order-2"}, {"kind", "order"}}));
  start_both({{"workflow_id", "order-2"}, {"kind", "order"}, {"on_duplicate", "return_existing"}});
  start_both({{"workflow_id", "order-2"}, {"kind", "order"}, {"input", 1}});
  start_both({{"workflow_id", "order-2"}, {"kind", "other"}});
}

TEST_F(WorkflowParity, OfWhatIsRefused) {
  for (const Json& bad : std::vector<Json>{
           {{"kind", "order"}},
           {{"workflow_id", "w"}},
           {{"workflow_id", std::string(256, 'w')}, {"kind", "order"}},
           {{"workflow_id", "a\nb"}, {"kind", "order"}},
           {{"workflow_id", "w"}, {"kind", "a b"}},
           {{"workflow_id", "w"}, {"kind", "workflow:order"}},
           {{"workflow_id", "w"}, {"kind", "order"}, {"queue", ""}},
           {{"workflow_id", "w"}, {"kind", "order"}, {"priority", 101}},
           {{"workflow_id", "w"}, {"kind", "order"}, {"task_uuid", "no"}},
           {{"workflow_id", "w"}, {"kind", "order"}, {"delay", "1s"}, {"run_at", "2031-01-20T12:30:00Z"}},
           {{"workflow_id", "w"}, {"kind", "order"}, {"idempotency_key_ttl_seconds", 0}},
           {{"workflow_id", "w"}, {"kind", "order"}, {"input", std::string((1 << 20) + 1, 'x')}},
       })
    start_both(bad);
}

TEST_F(WorkflowParity, OfSignalsAndCancellations) {
  const Ids workflow = start_both({{"workflow_id", "order-1"}, {"kind", "order"}});
  signal_both(workflow, {{"name", "note"}, {"value", {{"n", 1}}}, {"key", "k"}});
  signal_both(workflow, {{"name", "note"}, {"value", {{"n", 1}}}, {"key", "k"}});
  signal_both(workflow, {{"name", "note"}});
  signal_both(workflow, Json::object());
  signal_both(workflow, {{"name", "a\nb"}});
  signal_both(workflow, {{"name", "a"}, {"key", std::string(256, 'k')}});
  signal_both(workflow, {{"name", "a"}, {"value", std::string((1 << 20) + 1, 'x')}});
  expect_same_workflow(workflow);

  cancel_both(workflow, {{"why", std::string(1'001, 'x')}});
  cancel_both(workflow, {{"why", "enough"}});
  cancel_both(workflow, {{"why", "enough"}});
  signal_both(workflow, {{"name", "note"}});
  expect_same_workflow(workflow);
  const Ids nobody{"019bddae-0000-7000-8000-000000000000", "019bddae-0000-7000-8000-000000000000"};
  cancel_both(nobody, Json::object());
  signal_both(nobody, {{"name", "note"}});
  cancel_both(submit_both({{"handler", "charge"}}), Json::object());
}

TEST_F(WorkflowParity, OfPromises) {
  const Ids kept = promise_both({{"idempotency_key", "approve-1"},
                                 {"idempotency_key_ttl_seconds", 60},
                                 {"timeout_ms", 60'000},
                                 {"queue", "q"},
                                 {"reuse", "reject_duplicate"},
                                 {"labels", {{"team", "billing"}}}});
  expect_same_promise(kept);
  promise_both({{"idempotency_key", "approve-1"}});
  promise_both({{"idempotency_key", "approve-1"}, {"on_duplicate", "return_existing"}});
  resolve_both(kept, {{"value", {{"by", "Ada"}}}});
  resolve_both(kept, {{"value", 2}});
  expect_same_promise(kept);
  promise_both({{"idempotency_key", "approve-1"}, {"on_duplicate", "describe"}});

  const Ids broken = promise_both(Json::object());
  reject_both(broken, {{"type", "DECLINED"}, {"message", "no"}, {"details", {{"n", 1}}}});
  reject_both(broken, {{"type", "DECLINED"}, {"message", "no"}});
  expect_same_promise(broken);
  resolve_both(submit_both({{"handler", "charge"}}), {{"value", 1}});
}

TEST_F(WorkflowParity, OfPromisesByTheirKey) {
  const auto resolve = [&](const Json& body) {
    SCOPED_TRACE(body.dump());
    const auto rpc =
        ask_rpc(*promises_, &v1::PromiseService::Stub::Resolve, "globex", make<v1::ResolvePromiseRequest>(body));
    expect_same(post("admin", "/v1/promises:resolve", body), rpc, rpc.json());
  };
  const auto reject = [&](const std::string& key, const Json& error) {
    Json message = error;
    message["key"] = key;
    const auto rpc =
        ask_rpc(*promises_, &v1::PromiseService::Stub::Reject, "globex", make<v1::RejectPromiseRequest>(message));
    expect_same(post("admin", "/v1/promises:reject", {{"key", key}, {"error", error}}), rpc, rpc.json());
  };
  const Ids kept = promise_both({{"idempotency_key", "kept"}});
  const Ids broken = promise_both({{"idempotency_key", "broken"}});

  resolve({{"key", "kept"}, {"value", {{"by", "Ada"}}}});
  resolve({{"key", "kept"}, {"value", 2}});
  reject("kept", {{"type", "DECLINED"}, {"message", "no"}});
  reject("broken", {{"type", "DECLINED"}, {"message", "no"}});
  resolve({{"key", "broken"}});
  resolve({{"key", "nobody"}, {"value", 1}});
  expect_same_promise(kept);
  expect_same_promise(broken);
  submit_both({{"handler", "charge"}, {"idempotency_key", "task"}});
  resolve({{"key", "task"}, {"value", 1}});
}

TEST_F(WorkflowParity, OfHistoriesInPages) {
  const Ids workflow = start_both({{"workflow_id", "order-1"}, {"kind", "order"}});
  for (int i = 0; i < 5; ++i) signal_both(workflow, {{"name", "note"}, {"value", i}});

  std::optional<std::int64_t> cursor;
  int pages = 0;
  do {
    Json request{{"task_uuid", workflow.rpc}, {"limit", 2}};
    std::string query = "?limit=2";
    if (cursor) {
      request["cursor"] = *cursor;
      query += "&cursor=" + std::to_string(*cursor);
    }
    const HttpAnswer rest = get("admin", "/v1/workflows/" + workflow.rest + "/events" + query);
    const auto rpc = ask_rpc(*this->rpc().workflows, &v1::WorkflowService::Stub::GetHistory, "globex",
                             make<v1::GetHistoryRequest>(request));
    Json body = rest.json();
    const bool has_next = body.contains("next_cursor");
    body.erase("next_cursor");  // a text there, a number here
    Json events = rpc.json();
    events.erase("next_cursor");
    EXPECT_EQ(masked(events), masked(body));
    ASSERT_EQ(rpc.response.has_next_cursor(), has_next);
    cursor = has_next ? std::optional(rpc.response.next_cursor()) : std::nullopt;
    ++pages;
  } while (cursor);
  EXPECT_EQ(pages, 3);
}

TEST_F(WorkflowParity, OfPromisesThatAreRefused) {
  for (const Json& bad : std::vector<Json>{{{"idempotency_key", ""}},
                                           {{"idempotency_key_ttl_seconds", 10}},
                                           {{"timeout_ms", 0}},
                                           {{"queue", "a b"}},
                                           {{"labels", {{"", "v"}}}}})
    promise_both(bad);
  const Ids promise = promise_both(Json::object());
  resolve_both(promise, {{"value", std::string((1 << 20) + 1, 'x')}});
  reject_both(promise, {{"type", "NO"}, {"message", std::string((1 << 20) + 1, 'x')}});
}

}  // namespace
}  // namespace semel::test
