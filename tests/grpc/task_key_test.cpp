#include "tests/grpc/grpc_fixture.hpp"

/// The five cases that the idempotency keys of tasks were first asked for with: of tasks that workflows schedule, and
/// of tasks that stand alone. The three of REST are in tests/integration.
namespace semel::test {
namespace {

class TaskKeys : public GrpcFixture {
 protected:
  std::string start_workflow(const std::string& workflow_id) {
    const auto started =
        ask_rpc(*rpc().workflows, &v1::WorkflowService::Stub::StartWorkflow, "admin",
                make<v1::StartWorkflowRequest>({{"workflow_id", workflow_id}, {"kind", "task-with-key"}}));
    EXPECT_TRUE(started.ok()) << started.status.error_message();
    return started.response.workflow_execution_id();
  }
  auto find_rpc(const std::string& key) {
    return ask_rpc(*rpc().tasks, &v1::TaskService::Stub::FindTaskByKey, "admin",
                   make<v1::FindTaskByKeyRequest>({{"key", key}}));
  }
  Json workflow_of(const std::string& id) { return get("admin", "/v1/workflows/" + id).json(); }
  std::size_t tasks_of(const std::string& handler) {
    return get("admin", "/v1/tasks?kind=task&handler=" + handler).json()["tasks"].size();
  }

  static Json hello() {
    return {
        {"hello",
         {{"worker_id", "w1"}, {"queues", {"default"}}, {"handlers", {"charge"}}, {"workflows", {"task-with-key"}}}},
        {"slots", 1}};
  }
  static Json answer_of(const v1::Lease& lease, const Json& said) {
    Json activation{{"workflow_execution_id", lease.task_uuid()}, {"seen", lease.activation().history_length()}};
    activation.update(said);
    return {{"outcomes", {{{"attempt_id", lease.attempt_id()}, {"activation", activation}}}}};
  }
  static Json charge_with_key(const std::string& key) {
    return {{"commands", {{{"number", 1}, {"schedule_task", {{"kind", "charge"}, {"idempotency_key", key}}}}}}};
  }
  static Json with_slot(Json message) {
    message["slots"] = 1;
    return message;
  }
  static v1::Lease next_lease(WorkerClient& worker) {
    const std::vector<v1::Lease> leases = worker.leases(1);
    EXPECT_EQ(leases.size(), 1u);
    return leases.empty() ? v1::Lease{} : leases[0];
  }
};

TEST_F(TaskKeys, test_schedule_task_with_idempotency_key) {
  const std::string workflow = start_workflow("w-1");
  WorkerClient worker(rpc());
  worker.send(hello());
  worker.send(with_slot(answer_of(next_lease(worker), charge_with_key("job:batch_12345"))));
  const v1::Lease task = next_lease(worker);

  const auto found = find_rpc("job:batch_12345");
  EXPECT_TRUE(found.response.held());
  EXPECT_EQ(found.response.holder().execution_id(), task.task_uuid());
  EXPECT_EQ(get("admin", "/v1/tasks/by-key?key=job:batch_12345").json()["task_uuid"], task.task_uuid());
  worker.send({{"outcomes", {complete_of(task.attempt_id())}}, {"slots", 1}});
  worker.send(answer_of(next_lease(worker), {{"complete", {{"result", "done"}}}}));
  EXPECT_EQ(worker.outcome().recorded().status(), v1::TASK_STATUS_COMPLETED);
  EXPECT_EQ(workflow_of(workflow)["result"], "done");
}

TEST_F(TaskKeys, test_schedule_task_idempotency_key_duplicate) {
  start_workflow("w-1");
  WorkerClient worker(rpc());
  worker.send(hello());
  const Json said = answer_of(next_lease(worker), charge_with_key("job:1"));
  worker.send(said);
  EXPECT_FALSE(worker.outcome().recorded().has_already_recorded());
  worker.send(said);
  EXPECT_TRUE(worker.outcome().recorded().already_recorded());

  const std::string other = start_workflow("w-2");
  worker.send({{"slots", 2}});
  std::vector<v1::Lease> leases = worker.leases(2);
  ASSERT_EQ(leases.size(), 2u);
  if (leases[0].has_activation()) std::swap(leases[0], leases[1]);
  worker.send(answer_of(leases[1], charge_with_key("job:1")));
  EXPECT_EQ(worker.outcome().recorded().status(), v1::TASK_STATUS_SUSPENDED);
  EXPECT_EQ(tasks_of("charge"), 2u) << "the task, and the step that waits for it";
  EXPECT_EQ(get("admin", "/v1/workflows/" + other + "/events").json()["events"][2]["kind"], "task_attached");
  worker.send({{"outcomes", {complete_of(leases[0].attempt_id())}}, {"slots", 2}});
  for (const v1::Lease& woken : worker.leases(2)) {
    ASSERT_TRUE(woken.has_activation()) << "the step that waited was not run by itself";
    const v1::HistoryEvent& last = *woken.activation().events().rbegin();
    EXPECT_EQ(last.kind(), "task_completed");
    EXPECT_EQ(Json::parse(last.detail())["result"], result);
  }
}

TEST_F(TaskKeys, test_submit_task_with_idempotency_key) {
  const auto made = submit_rpc("admin", {{"handler", "charge"}, {"idempotency_key", "k"}});

  ASSERT_TRUE(made.ok()) << made.status.error_message();
  EXPECT_TRUE(made.response.idempotency_key_used());
  EXPECT_TRUE(made.response.idempotency_key_new());
  EXPECT_EQ(find_rpc("k").response.holder().execution_id(), made.response.task_uuid());
}

TEST_F(TaskKeys, test_submit_task_idempotency_key_existing) {
  const Json task{{"handler", "charge"}, {"idempotency_key", "k"}, {"on_duplicate", "return_existing"}};
  const std::string id = create_rpc("admin", task);

  const auto again = submit_rpc("admin", task);
  const auto other = submit_rpc("admin", {{"handler", "refund"}, {"idempotency_key", "k"}});

  EXPECT_EQ(again.response.task_uuid(), id);
  EXPECT_FALSE(again.response.idempotency_key_new());
  EXPECT_EQ(other.code(), "IDEMPOTENCY_KEY_CONFLICT");
  EXPECT_EQ(tasks_of("charge"), 1u);
}

TEST_F(TaskKeys, test_task_without_idempotency_key_backward_compatible) {
  const auto one = submit_rpc("admin", {{"handler", "charge"}});
  const auto other = submit_rpc("admin", {{"handler", "charge"}});
  EXPECT_NE(one.response.task_uuid(), other.response.task_uuid());
  EXPECT_FALSE(one.response.idempotency_key_used());
  EXPECT_EQ(get("admin", "/v1/tasks/" + one.response.task_uuid()).json()["identity"]["mode"], "none");

  const std::string workflow = start_workflow("w-1");
  WorkerClient worker(rpc());
  worker.send(
      {{"hello", {{"worker_id", "w1"}, {"queues", {"default"}}, {"workflows", {"task-with-key"}}}}, {"slots", 1}});
  const Json task{{"kind", "charge"}};
  worker.send(answer_of(next_lease(worker), {{"commands",
                                              {{{"number", 1}, {"schedule_task", task}},  //
                                               {{"number", 2}, {"schedule_task", task}}}}}));
  EXPECT_EQ(worker.outcome().recorded().status(), v1::TASK_STATUS_SUSPENDED);
  EXPECT_EQ(get("admin", "/v1/tasks?parent=" + workflow).json()["tasks"].size(), 2u);
}

}  // namespace
}  // namespace semel::test
