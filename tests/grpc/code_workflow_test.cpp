#include "tests/grpc/grpc_fixture.hpp"

/// Workflows that are written as code, and promises, over gRPC.
namespace semel::test {
namespace {

class GrpcCodeWorkflow : public GrpcFixture {
 protected:
  auto start_rpc(const Json& request, const std::string& key = "admin") {
    return ask_rpc(*rpc().workflows, &v1::WorkflowService::Stub::StartWorkflow, key,
                   make<v1::StartWorkflowRequest>(request));
  }
  auto workflow_rpc(const Json& request, const std::string& key = "admin") {
    return ask_rpc(*rpc().workflows, &v1::WorkflowService::Stub::GetWorkflow, key,
                   make<v1::GetWorkflowRequest>(request));
  }
  auto signal_rpc(const Json& request) {
    return ask_rpc(*rpc().workflows, &v1::WorkflowService::Stub::SignalWorkflow, "admin",
                   make<v1::SignalWorkflowRequest>(request));
  }
  auto cancel_rpc(const Json& request) {
    return ask_rpc(*rpc().workflows, &v1::WorkflowService::Stub::CancelWorkflow, "admin",
                   make<v1::CancelWorkflowRequest>(request));
  }
  std::string begin(const std::string& workflow_id) {
    const auto started = start_rpc({{"workflow_id", workflow_id}, {"kind", "order"}, {"input", {{"n", 1}}}});
    EXPECT_TRUE(started.ok()) << started.status.error_message();
    return started.response.workflow_execution_id();
  }
  static Json hello(std::uint32_t slots) {
    return {
        {"hello", {{"worker_id", "w1"}, {"queues", {"default"}}, {"handlers", {"charge"}}, {"workflows", {"order"}}}},
        {"slots", slots}};
  }
  static Json answer_of(const v1::Lease& lease, const Json& said) {
    Json activation{{"workflow_execution_id", lease.task_uuid()}, {"seen", lease.activation().history_length()}};
    activation.update(said);
    return {{"outcomes", {{{"attempt_id", lease.attempt_id()}, {"activation", activation}}}}, {"slots", 1}};
  }
};

TEST_F(GrpcCodeWorkflow, IsStartedOnceAndRead) {
  const std::string id = begin("order-1");

  const auto again = start_rpc(
      {{"workflow_id", "order-1"}, {"kind", "order"}, {"input", {{"n", 1}}}, {"on_duplicate", "return_existing"}});
  const auto other = start_rpc({{"workflow_id", "order-1"}, {"kind", "order"}, {"input", {{"n", 2}}}});

  EXPECT_EQ(again.response.workflow_execution_id(), id);
  EXPECT_FALSE(again.response.created());
  EXPECT_FALSE(again.response.idempotency_key_new());
  EXPECT_EQ(other.code(), "IDEMPOTENCY_KEY_MISMATCH");
  const Json read = workflow_rpc({{"workflow_id", "order-1"}}).json();
  EXPECT_EQ(read["workflow_execution_id"], id);
  EXPECT_EQ(read["kind"], "order");
  EXPECT_EQ(read["input"], (Json{{"n", 1}}));
  EXPECT_EQ(read["status"], "pending");
  EXPECT_EQ(workflow_rpc({{"workflow_execution_id", id}}).json(), read);
}

TEST_F(GrpcCodeWorkflow, HasAHistoryThatWorkersMayReadAndOthersMayNot) {
  const std::string id = begin("order-1");
  const auto history = [&](const std::string& key) {
    return ask_rpc(*rpc().workflows, &v1::WorkflowService::Stub::GetHistory, key,
                   make<v1::GetHistoryRequest>({{"task_uuid", id}}));
  };

  EXPECT_EQ(history("worker").response.events_size(), 1);
  EXPECT_EQ(history("maker").code(), "NOT_FOUND");
  EXPECT_EQ(history("globex").code(), "NOT_FOUND");
  EXPECT_EQ(workflow_rpc({{"workflow_execution_id", id}}, "worker").code(), "NOT_FOUND") << "what it says of itself";
}

TEST_F(GrpcCodeWorkflow, RefusesWhatIsMissingOrDoubled) {
  expect_status(start_rpc({{"kind", "order"}}).status, grpc::INVALID_ARGUMENT, "workflow_id is required");
  expect_status(start_rpc({{"workflow_id", "w"}}).status, grpc::INVALID_ARGUMENT, "kind is required");
  expect_status(workflow_rpc(Json::object()).status, grpc::INVALID_ARGUMENT, "exactly one of");
  expect_status(signal_rpc({{"workflow_id", "w"}}).status, grpc::INVALID_ARGUMENT, "name is required");
  expect_status(workflow_rpc({{"workflow_id", "w"}}).status, grpc::NOT_FOUND, "no workflow with the workflow_id 'w'");
  expect_status(cancel_rpc({{"workflow_execution_id", create("admin", {{"handler", "charge"}})}}).status,
                grpc::NOT_FOUND, "there is no workflow");
}

TEST_F(GrpcCodeWorkflow, GoesFromActivationToActivationUntilItsEnd) {
  const std::string id = begin("order-1");
  WorkerClient worker(rpc());
  worker.send(hello(1));
  const std::vector<v1::Lease> first = worker.leases(1);
  ASSERT_EQ(first.size(), 1u);
  const v1::Activation& begun = first[0].activation();
  EXPECT_EQ(begun.first_event(), 1);
  EXPECT_EQ(begun.history_length(), 1);
  ASSERT_EQ(begun.events_size(), 1);
  EXPECT_EQ(begun.events(0).kind(), "run_started");

  worker.send(answer_of(first[0], {{"commands",
                                    {{{"number", 1},
                                      {"schedule_task",
                                       {{"kind", "charge"},
                                        {"input", 7},
                                        {"idempotency_key", "p"},
                                        {"idempotency_key_ttl_seconds", 60},
                                        {"priority_seconds", 5}}}},
                                     {{"number", 2}, {"record_marker", {{"name", "m"}, {"value", 3}}}}}},
                                   {"status", "charging"}}));
  const std::vector<v1::Lease> task_lease = worker.leases(1);
  ASSERT_EQ(task_lease.size(), 1u);
  EXPECT_EQ(task_lease[0].handler(), "charge");
  EXPECT_EQ(task_lease[0].context(), "7");
  EXPECT_EQ(workflow_rpc({{"workflow_execution_id", id}}).json()["custom_status"], "charging");
  EXPECT_EQ(workflow_rpc({{"workflow_execution_id", id}}).json()["status"], "suspended");

  worker.send({{"outcomes", {complete_of(task_lease[0].attempt_id())}}, {"slots", 1}});
  const std::vector<v1::Lease> second = worker.leases(1);
  ASSERT_EQ(second.size(), 1u);
  EXPECT_EQ(second[0].activation().last_command(), 2);
  ASSERT_EQ(second[0].activation().events_size(), 1) << "what its own answer wrote is not told again";
  EXPECT_EQ(second[0].activation().events(0).kind(), "task_completed");

  worker.send(answer_of(second[0], {{"complete", {{"result", "done"}}}}));
  EXPECT_EQ(worker.outcome().recorded().status(), v1::TASK_STATUS_COMPLETED);
  EXPECT_EQ(workflow_rpc({{"workflow_execution_id", id}}).json()["result"], "done");
}

TEST_F(GrpcCodeWorkflow, RefusesABadCommandAndGoesOn) {
  begin("order-1");
  WorkerClient worker(rpc());
  worker.send(hello(1));
  const std::vector<v1::Lease> leases = worker.leases(1);
  ASSERT_EQ(leases.size(), 1u);
  const auto expect_refused = [&](const Json& command, const std::string& because) {
    worker.send(answer_of(leases[0], {{"commands", {command}}}));
    const std::string message = worker.outcome().error().message();
    EXPECT_NE(message.find(because), std::string::npos) << message;
  };

  expect_refused({{"number", 1}, {"schedule_task", {{"kind", "workflow:order"}}}}, "handler");
  expect_refused(
      {{"number", 1},
       {"schedule_task", {{"kind", "charge"}, {"task_execution_id", "018f2f6e-0000-7000-8000-000000000000"}}}},
      "task_execution_id");
  expect_refused({{"number", 1}, {"start_child", {{"kind", "order"}, {"key_conflict", "attach"}}}}, "cannot attach");
  expect_refused({{"number", 1}, {"start_timer", Json::object()}}, "fire_at");
  expect_refused({{"number", 2}, {"cancel", {{"target", 1}}}}, "command 2");

  worker.send(answer_of(leases[0], {{"fail", {{"error", failure}}}}));
  EXPECT_EQ(worker.outcome().recorded().status(), v1::TASK_STATUS_FAILED);
}

TEST_F(GrpcCodeWorkflow, KeepsSignalsThatNobodyHasTakenWhenItContinuesAsNew) {
  begin("order-1");
  EXPECT_FALSE(signal_rpc({{"workflow_id", "order-1"}, {"name", "note"}, {"value", 5}, {"key", "k"}})
                   .response.already_received());
  EXPECT_TRUE(signal_rpc({{"workflow_id", "order-1"}, {"name", "note"}, {"value", 5}, {"key", "k"}})
                  .response.already_received());
  WorkerClient worker(rpc());
  worker.send(hello(1));
  const std::vector<v1::Lease> first = worker.leases(1);
  ASSERT_EQ(first.size(), 1u);
  ASSERT_EQ(first[0].activation().events_size(), 2);

  worker.send(answer_of(first[0],
                        {{"continue_as_new", {{"input", 2}, {"unread_signals", {{{"name", "note"}, {"value", 5}}}}}}}));
  const std::vector<v1::Lease> second = worker.leases(1);

  ASSERT_EQ(second.size(), 1u);
  EXPECT_EQ(second[0].context(), "2");
  ASSERT_EQ(second[0].activation().events_size(), 2);
  EXPECT_EQ(second[0].activation().events(0).kind(), "continued");
  EXPECT_EQ(Json::parse(second[0].activation().events(1).detail())["value"], 5);
}

TEST_F(GrpcCodeWorkflow, IsCancelledByItsId) {
  const std::string id = begin("order-1");

  const auto cancelled = cancel_rpc({{"workflow_id", "order-1"}, {"why", "no money"}});

  EXPECT_EQ(cancelled.response.workflow_execution_id(), id);
  EXPECT_EQ(cancelled.response.status(), v1::TASK_STATUS_CANCELLED);
}

class GrpcPromise : public GrpcFixture {
 protected:
  void SetUp() override {
    GrpcFixture::SetUp();
    promises_ = v1::PromiseService::NewStub(rpc().channel);
  }
  void TearDown() override {
    promises_.reset();
    GrpcFixture::TearDown();
  }
  auto make_promise(const Json& request) {
    return ask_rpc(*promises_, &v1::PromiseService::Stub::Create, "admin", make<v1::CreatePromiseRequest>(request));
  }
  auto resolve(const Json& request) {
    return ask_rpc(*promises_, &v1::PromiseService::Stub::Resolve, "admin", make<v1::ResolvePromiseRequest>(request));
  }
  auto reject(const Json& request) {
    return ask_rpc(*promises_, &v1::PromiseService::Stub::Reject, "admin", make<v1::RejectPromiseRequest>(request));
  }
  auto read(const Json& request) {
    return ask_rpc(*promises_, &v1::PromiseService::Stub::Get, "admin", make<v1::GetPromiseRequest>(request));
  }

  std::unique_ptr<v1::PromiseService::Stub> promises_;
};

TEST_F(GrpcPromise, IsKeptOnceByItsKey) {
  const auto made = make_promise({{"idempotency_key", "approve-1"}, {"timeout_ms", 60'000}});
  ASSERT_TRUE(made.ok()) << made.status.error_message();
  EXPECT_TRUE(made.response.created());
  EXPECT_EQ(read({{"key", "approve-1"}}).json()["status"], "pending");
  EXPECT_TRUE(read({{"key", "approve-1"}}).response.has_deadline());

  EXPECT_FALSE(resolve({{"key", "approve-1"}, {"value", true}}).response.already_resolved());
  EXPECT_TRUE(resolve({{"promise_id", made.response.promise_id()}, {"value", false}}).response.already_resolved());

  EXPECT_EQ(read({{"promise_id", made.response.promise_id()}}).json()["value"], true);
}

TEST_F(GrpcPromise, IsBrokenWithAReason) {
  const std::string id = make_promise(Json::object()).response.promise_id();

  expect_status(reject({{"promise_id", id}}).status, grpc::INVALID_ARGUMENT, "type is required");
  EXPECT_EQ(reject({{"promise_id", id}, {"type", "DECLINED"}, {"message", "card declined"}}).response.status(),
            v1::TASK_STATUS_FAILED);

  EXPECT_EQ(read({{"promise_id", id}}).json()["error"], failure);
}

TEST_F(GrpcPromise, IsNoTask) {
  const std::string task = create("admin", {{"handler", "charge"}});

  expect_status(read({{"promise_id", task}}).status, grpc::NOT_FOUND, "there is no promise");
  expect_status(resolve({{"promise_id", task}}).status, grpc::NOT_FOUND, "there is no promise");
  expect_status(resolve({{"key", "nobody"}}).status, grpc::NOT_FOUND, "there is no promise");
  expect_status(resolve(Json::object()).status, grpc::INVALID_ARGUMENT, "exactly one of promise_id and key");
}

}  // namespace
}  // namespace semel::test
