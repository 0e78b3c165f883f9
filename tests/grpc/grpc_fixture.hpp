#pragma once
#include <grpcpp/grpcpp.h>
#include <semel/v1/admin.grpc.pb.h>
#include <semel/v1/promise.grpc.pb.h>
#include <semel/v1/task.grpc.pb.h>
#include <semel/v1/worker.grpc.pb.h>
#include <semel/v1/workflow.grpc.pb.h>

#include <memory>
#include <string>

#include "tests/grpc/message_json.hpp"
#include "tests/support/server_fixture.hpp"

namespace semel::test {

/// What a call came to.
template <typename Response>
struct RpcAnswer {
  grpc::Status status;
  Response response;

  bool ok() const { return status.ok(); }
  Json json() const { return to_json(response); }
  /// The refusal among the details; empty when there is none.
  v1::Error error() const {
    v1::StatusDetails details;
    v1::Error error;
    if (details.ParseFromString(status.error_details()) && details.details_size() > 0)
      details.details(0).UnpackTo(&error);
    return error;
  }
  std::string code() const { return error().code(); }
};

/// A context of a call, with a key. The deadline only keeps a broken test from waiting forever.
inline std::unique_ptr<grpc::ClientContext> context_for(const std::string& key) {
  auto context = std::make_unique<grpc::ClientContext>();
  if (!key.empty()) context->AddMetadata("authorization", "Bearer " + key);
  context->set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(120));
  return context;
}

/// A connection of its own to a server, and its services.
class RpcClient {
 public:
  explicit RpcClient(const std::string& address,
                     const std::shared_ptr<grpc::ChannelCredentials>& credentials = grpc::InsecureChannelCredentials(),
                     grpc::ChannelArguments arguments = {}) {
    arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
    channel = grpc::CreateCustomChannel(address, credentials, arguments);
    tasks = v1::TaskService::NewStub(channel);
    workers = v1::WorkerService::NewStub(channel);
    workflows = v1::WorkflowService::NewStub(channel);
    admin = v1::AdminService::NewStub(channel);
  }

  std::shared_ptr<grpc::Channel> channel;
  std::unique_ptr<v1::TaskService::Stub> tasks;
  std::unique_ptr<v1::WorkerService::Stub> workers;
  std::unique_ptr<v1::WorkflowService::Stub> workflows;
  std::unique_ptr<v1::AdminService::Stub> admin;
};

/// One worker's stream, message by message.
class WorkerClient {
 public:
  explicit WorkerClient(RpcClient& client, const std::string& key = "worker")
      : context_(context_for(key)), stream_(client.workers->Connect(context_.get())) {}

  bool send(const Json& message) { return stream_->Write(make<v1::WorkerMessage>(message)); }
  bool send(const v1::WorkerMessage& message) { return stream_->Write(message); }
  bool hello(std::uint32_t slots, const std::string& queue = "default") {
    return send({{"hello", {{"worker_id", "w1"}, {"queues", {queue}}}}, {"slots", slots}});
  }
  /// The next message; nothing when the stream has ended.
  std::optional<v1::ServerMessage> read() {
    v1::ServerMessage message;
    if (!stream_->Read(&message)) return std::nullopt;
    return message;
  }
  /// Reads until so many leases have come.
  std::vector<v1::Lease> leases(std::size_t count) {
    std::vector<v1::Lease> leases;
    while (leases.size() < count) {
      const std::optional<v1::ServerMessage> message = read();
      if (!message) break;
      leases.insert(leases.end(), message->leases().begin(), message->leases().end());
    }
    return leases;
  }
  /// Reads until an outcome is answered.
  v1::OutcomeAnswer outcome() {
    while (const std::optional<v1::ServerMessage> message = read()) {
      if (message->outcomes_size() > 0) return message->outcomes(0);
    }
    return {};
  }
  void close() { stream_->WritesDone(); }
  void cancel() { context_->TryCancel(); }
  /// What the stream ended with; reads the rest.
  grpc::Status finish() {
    while (read()) continue;
    return stream_->Finish();
  }

 private:
  std::unique_ptr<grpc::ClientContext> context_;
  std::unique_ptr<grpc::ClientReaderWriter<v1::WorkerMessage, v1::ServerMessage>> stream_;
};

/// A server with both interfaces.
class GrpcFixture : public ServerFixture {
 protected:
  GrpcFixture() {
    options_.grpc.emplace();
    options_.grpc->port = 0;
  }
  void SetUp() override {
    ServerFixture::SetUp();
    connect_rpc();
  }
  void TearDown() override {
    rpc_.reset();
    ServerFixture::TearDown();
  }
  void connect_rpc() { rpc_.emplace(instance().grpc_address()); }

  RpcClient& rpc() { return *rpc_; }

  template <typename Response, typename Service, typename Request>
  RpcAnswer<Response> ask_rpc(Service& service,
                              grpc::Status (Service::*method)(grpc::ClientContext*, const Request&, Response*),
                              const std::string& key, const Request& request) {
    RpcAnswer<Response> answer;
    answer.status = (service.*method)(context_for(key).get(), request, &answer.response);
    return answer;
  }
  auto submit_rpc(const std::string& key, const Json& submission) {
    return ask_rpc(*rpc().tasks, &v1::TaskService::Stub::SubmitTask, key, make<v1::SubmitTaskRequest>(submission));
  }
  auto get_rpc(const std::string& key, const std::string& task_uuid) {
    return ask_rpc(*rpc().tasks, &v1::TaskService::Stub::GetTask, key,
                   make<v1::GetTaskRequest>({{"task_uuid", task_uuid}}));
  }
  std::string create_rpc(const std::string& key, const Json& submission) {
    const auto answer = submit_rpc(key, submission);
    EXPECT_TRUE(answer.ok()) << answer.status.error_message() << "\n  of " << submission;
    return answer.response.task_uuid();
  }
  static Json complete_of(const std::string& attempt_id) {
    return {{"attempt_id", attempt_id}, {"complete", {{"result", result}}}};
  }

 private:
  std::optional<RpcClient> rpc_;
};

inline void expect_status(const grpc::Status& status, grpc::StatusCode code, const std::string& part) {
  EXPECT_EQ(status.error_code(), code) << status.error_message();
  EXPECT_NE(status.error_message().find(part), std::string::npos) << status.error_message();
}

}  // namespace semel::test
