#include <map>
#include <thread>

#include "tests/grpc/grpc_fixture.hpp"

/// TaskService.StreamTasks, and what the calls of TaskService have beyond REST.
namespace semel::test {
namespace {

class TaskStreamClient {
 public:
  explicit TaskStreamClient(RpcClient& client, const std::string& key = "reader")
      : context_(context_for(key)), stream_(client.tasks->StreamTasks(context_.get())) {}

  bool send(std::uint64_t batch_id, const Json& tasks) {
    return stream_->Write(make<v1::SubmitTasksRequest>({{"batch_id", batch_id}, {"tasks", tasks}}));
  }
  std::optional<v1::SubmitTasksResponse> read() {
    v1::SubmitTasksResponse response;
    if (!stream_->Read(&response)) return std::nullopt;
    return response;
  }
  void close() { stream_->WritesDone(); }
  grpc::Status finish() {
    while (read()) continue;
    return stream_->Finish();
  }

 private:
  std::unique_ptr<grpc::ClientContext> context_;
  std::unique_ptr<grpc::ClientReaderWriter<v1::SubmitTasksRequest, v1::SubmitTasksResponse>> stream_;
};

class GrpcTaskStream : public GrpcFixture {};

TEST_F(GrpcTaskStream, AnswersEveryBatchByItsNumber) {
  TaskStreamClient stream(rpc());
  for (std::uint64_t i = 1; i <= 50; ++i) {
    const std::string key = "order-" + std::to_string(i);
    stream.send(i, {{{"handler", "charge"}, {"idempotency_key", key}},
                    {{"handler", "charge"}, {"idempotency_key", key}},
                    {{"handler", "a b"}}});
  }
  stream.close();

  std::map<std::uint64_t, v1::SubmitTasksResponse> answers;
  while (const auto answer = stream.read()) answers[answer->batch_id()] = *answer;

  ASSERT_EQ(answers.size(), 50u);
  for (const auto& [id, answer] : answers) {
    ASSERT_EQ(answer.results_size(), 3);
    EXPECT_EQ(answer.results(0).task().task_id(), "order-" + std::to_string(id));
    EXPECT_TRUE(answer.results(0).task().created());
    EXPECT_EQ(answer.results(1).error().code(), "CONFLICT");
    EXPECT_EQ(answer.results(1).error().grpc_status(), static_cast<int>(grpc::StatusCode::ALREADY_EXISTS));
    EXPECT_EQ(answer.results(2).error().code(), "BAD_REQUEST");
  }
  EXPECT_TRUE(stream.finish().ok());
}

TEST_F(GrpcTaskStream, TakesMoreThanItReadsAtATime) {
  Json tasks = Json::array();
  for (int i = 0; i < 1'000; ++i) tasks.push_back({{"handler", "charge"}});
  TaskStreamClient stream(rpc());
  std::jthread writing([&] {
    for (std::uint64_t i = 0; i < 12; ++i) stream.send(i, tasks);
    stream.close();
  });

  int created = 0;
  while (const auto answer = stream.read()) {
    for (const v1::SubmitTaskResult& each : answer->results()) created += each.task().created() ? 1 : 0;
  }

  writing.join();
  EXPECT_EQ(created, 12'000);
}

TEST_F(GrpcTaskStream, ABatchThatIsNoneEndsTheStreamAfterWhatCameBefore) {
  for (const int size : {0, 1'001}) {
    Json tasks = Json::array();
    for (int i = 0; i < size; ++i) tasks.push_back({{"handler", "charge"}});
    TaskStreamClient stream(rpc());
    stream.send(1, {{{"handler", "charge"}}});
    stream.send(2, tasks);

    const auto first = stream.read();
    ASSERT_TRUE(first.has_value());
    EXPECT_EQ(first->batch_id(), 1u);
    expect_status(stream.finish(), grpc::StatusCode::INVALID_ARGUMENT, "tasks");
  }
}

TEST_F(GrpcTaskStream, WithoutThePermissionEachIsRefused) {
  TaskStreamClient stream(rpc(), "viewer");
  stream.send(1, {{{"handler", "charge"}}});

  EXPECT_EQ(stream.read()->results(0).error().code(), "FORBIDDEN");
}

TEST_F(GrpcTaskStream, EndsWhenTheServerStopsWithAllThatCameAnswered) {
  TaskStreamClient stream(rpc());
  stream.send(1, {{{"handler", "charge"}, {"idempotency_key", "k"}}});
  ASSERT_TRUE(stream.read()->results(0).task().created());

  instance().stop(600s);

  expect_status(stream.finish(), grpc::StatusCode::UNAVAILABLE, "the server stops");
}

class GrpcTasks : public GrpcFixture {};

TEST_F(GrpcTasks, AWaitEndsWithTheResult) {
  const std::string id = create_rpc("reader", {{"handler", "charge"}});
  v1::AwaitResultRequest request;
  request.set_task_uuid(id);
  std::optional<RpcAnswer<v1::AwaitResultResponse>> answer;
  const std::size_t before = keys_.requests();
  std::jthread waiting([&] { answer = ask_rpc(*rpc().tasks, &v1::TaskService::Stub::AwaitResult, "reader", request); });
  keys_.wait_for_requests(before + 1);

  bring_to(State::completed, id, "default");
  waiting.join();

  ASSERT_TRUE(answer->ok());
  EXPECT_EQ(answer->json()["status"], "completed");
  EXPECT_EQ(answer->json()["result"], result);
}

/// The wait is cut, so that the state arrives before the caller stops listening.
TEST_F(GrpcTasks, AWaitEndsBeforeTheDeadlineOfItsCaller) {
  const std::string id = create_rpc("reader", {{"handler", "charge"}});
  grpc::ClientContext context;
  context.AddMetadata("authorization", "Bearer reader");
  context.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(5));
  v1::AwaitResultResponse response;

  const grpc::Status status =
      rpc().tasks->AwaitResult(&context, make<v1::AwaitResultRequest>({{"task_uuid", id}, {"wait", "60s"}}), &response);

  EXPECT_TRUE(status.ok()) << status.error_message();
  EXPECT_EQ(response.status(), v1::TASK_STATUS_PENDING);
}

TEST_F(GrpcTasks, ASubmissionThatWaitsIsAnsweredWithTheResult) {
  std::optional<RpcAnswer<v1::SubmitTaskResponse>> answer;
  WorkerClient worker(rpc());
  worker.hello(1);
  std::jthread waiting([&] { answer = submit_rpc("reader", {{"handler", "charge"}, {"wait", "60s"}}); });

  worker.send({{"outcomes", {complete_of(worker.leases(1).at(0).attempt_id())}}});
  waiting.join();

  EXPECT_EQ(answer->json()["status"], "completed");
  EXPECT_EQ(answer->json()["result"], result);
  EXPECT_TRUE(answer->response.created());
}

TEST_F(GrpcTasks, WhoWaitsIsAnsweredWhenTheServerStops) {
  const std::string id = create_rpc("reader", {{"handler", "charge"}});
  std::optional<RpcAnswer<v1::AwaitResultResponse>> answer;
  const std::size_t before = keys_.requests();
  std::jthread waiting([&] {
    answer = ask_rpc(*rpc().tasks, &v1::TaskService::Stub::AwaitResult, "reader",
                     make<v1::AwaitResultRequest>({{"task_uuid", id}, {"wait", "60s"}}));
  });
  keys_.wait_for_requests(before + 1);

  instance().stop(600s);
  waiting.join();

  ASSERT_TRUE(answer->ok()) << answer->status.error_message();
  EXPECT_EQ(answer->response.status(), v1::TASK_STATUS_PENDING);
}

TEST_F(GrpcTasks, WhatIsInFlightWhenTheServerStopsIsAnsweredAndThere) {
  constexpr int count = 100;
  std::vector<v1::SubmitTaskRequest> requests(count);
  std::vector<v1::SubmitTaskResponse> responses(count);
  std::vector<std::unique_ptr<grpc::ClientContext>> contexts;
  std::vector<grpc::Status> statuses(count);
  std::atomic<int> missing = count;
  std::shared_ptr<void> stalled = stall_commits();
  const std::size_t before = keys_.requests();
  for (std::size_t i = 0; i < count; ++i) {
    from_json(requests[i], {{"handler", "charge"}, {"idempotency_key", "order-" + std::to_string(i)}});
    contexts.push_back(context_for("reader"));
    rpc().tasks->async()->SubmitTask(contexts[i].get(), &requests[i], &responses[i],
                                     [&statuses, &missing, i](grpc::Status status) {
                                       statuses[i] = std::move(status);
                                       if (missing.fetch_sub(1) == 1) missing.notify_all();
                                     });
  }
  keys_.wait_for_requests(before + count);

  std::jthread stopping([this] { instance().stop(600s); });
  stalled.reset();
  for (int left = missing; left > 0; left = missing) missing.wait(left);
  stopping.join();
  restart();

  for (std::size_t i = 0; i < count; ++i) {
    ASSERT_TRUE(statuses[i].ok()) << statuses[i].error_message();
    EXPECT_EQ(task(responses[i].task_uuid())["task_id"], "order-" + std::to_string(i));
  }
}

TEST_F(GrpcTasks, AThousandIdenticalSubmissionsCreateOne) {
  constexpr std::size_t count = 1'000;
  const auto request = make<v1::SubmitTaskRequest>(
      {{"handler", "charge"}, {"idempotency_key", "once"}, {"on_duplicate", "return_existing"}});
  std::vector<std::unique_ptr<RpcClient>> clients;
  for (int i = 0; i < 8; ++i) clients.push_back(std::make_unique<RpcClient>(instance().grpc_address()));
  std::vector<v1::SubmitTaskResponse> responses(count);
  std::vector<grpc::Status> statuses(count);
  std::vector<std::unique_ptr<grpc::ClientContext>> contexts;
  std::atomic<std::size_t> missing = count;

  for (std::size_t i = 0; i < count; ++i) {
    contexts.push_back(context_for("reader"));
    clients[i % clients.size()]->tasks->async()->SubmitTask(contexts[i].get(), &request, &responses[i],
                                                            [&statuses, &missing, i](grpc::Status status) {
                                                              statuses[i] = std::move(status);
                                                              if (missing.fetch_sub(1) == 1) missing.notify_all();
                                                            });
  }
  for (std::size_t left = missing; left > 0; left = missing) missing.wait(left);

  std::size_t created = 0;
  for (std::size_t i = 0; i < count; ++i) {
    ASSERT_TRUE(statuses[i].ok()) << statuses[i].error_message();
    created += responses[i].created() ? 1 : 0;
    EXPECT_EQ(responses[i].task_uuid(), responses[0].task_uuid());
    EXPECT_EQ(responses[i].created(), responses[i].idempotency_key_new());
  }
  EXPECT_EQ(created, 1u);
}

TEST_F(GrpcTasks, AContextThatIsNoJsonIsRefused) {
  for (const std::string& context :
       {std::string(""), std::string("{"), std::string("1 2"), std::string("{\"a\":1,\"a\":2}"),
        std::string("\"\xff\""), std::string("1},\"handler\":\"x\"")}) {
    v1::SubmitTaskRequest request;
    request.set_handler("charge");
    request.set_context(context);

    const auto answer = ask_rpc(*rpc().tasks, &v1::TaskService::Stub::SubmitTask, "reader", request);

    expect_status(answer.status, grpc::StatusCode::INVALID_ARGUMENT, "context: ");
    EXPECT_EQ(answer.code(), "BAD_REQUEST");
  }
}

TEST_F(GrpcTasks, UnknownFieldsAndEnumeratorsAreRefused) {
  auto request = make<v1::SubmitTaskRequest>({{"handler", "charge"}});
  request.set_reuse(static_cast<v1::Reuse>(9));
  expect_status(ask_rpc(*rpc().tasks, &v1::TaskService::Stub::SubmitTask, "reader", request).status,
                grpc::StatusCode::INVALID_ARGUMENT, "reuse has an unknown value 9");
  request.clear_reuse();
  request.GetReflection()->MutableUnknownFields(&request)->AddVarint(500, 1);
  expect_status(ask_rpc(*rpc().tasks, &v1::TaskService::Stub::SubmitTask, "reader", request).status,
                grpc::StatusCode::INVALID_ARGUMENT, "SubmitTaskRequest has a field 500");
}

}  // namespace
}  // namespace semel::test
