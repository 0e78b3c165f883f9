#pragma once
#include <semel/v1/task.grpc.pb.h>

#include "api/grpc/backend.hpp"

namespace semel::rpc {

class TaskService final : public v1::TaskService::CallbackService {
 public:
  explicit TaskService(Backend& backend) : backend_(backend) {}

  using Context = grpc::CallbackServerContext;
  using Reactor = grpc::ServerUnaryReactor;

  Reactor* SubmitTask(Context*, const v1::SubmitTaskRequest*, v1::SubmitTaskResponse*) override;
  Reactor* SubmitTasks(Context*, const v1::SubmitTasksRequest*, v1::SubmitTasksResponse*) override;
  grpc::ServerBidiReactor<v1::SubmitTasksRequest, v1::SubmitTasksResponse>* StreamTasks(Context*) override;
  Reactor* GetTask(Context*, const v1::GetTaskRequest*, v1::Task*) override;
  Reactor* FindTaskByKey(Context*, const v1::FindTaskByKeyRequest*, v1::FindTaskByKeyResponse*) override;
  Reactor* AwaitResult(Context*, const v1::AwaitResultRequest*, v1::AwaitResultResponse*) override;
  Reactor* CancelTask(Context*, const v1::CancelTaskRequest*, v1::CancelTaskResponse*) override;
  Reactor* RetryTask(Context*, const v1::RetryTaskRequest*, v1::RetryTaskResponse*) override;
  Reactor* ListTasks(Context*, const v1::ListTasksRequest*, v1::ListTasksResponse*) override;

 private:
  Backend& backend_;
};

}  // namespace semel::rpc
