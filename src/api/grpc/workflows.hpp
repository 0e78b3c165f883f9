#pragma once
#include <semel/v1/workflow.grpc.pb.h>

#include "api/grpc/backend.hpp"

namespace semel::rpc {

class WorkflowService final : public v1::WorkflowService::CallbackService {
 public:
  explicit WorkflowService(Backend& backend) : backend_(backend) {}

  using Context = grpc::CallbackServerContext;
  using Reactor = grpc::ServerUnaryReactor;

  Reactor* StartWorkflow(Context*, const v1::StartWorkflowRequest*, v1::StartWorkflowResponse*) override;
  Reactor* GetWorkflow(Context*, const v1::GetWorkflowRequest*, v1::WorkflowExecution*) override;
  Reactor* SignalWorkflow(Context*, const v1::SignalWorkflowRequest*, v1::SignalWorkflowResponse*) override;
  Reactor* CancelWorkflow(Context*, const v1::CancelWorkflowRequest*, v1::CancelWorkflowResponse*) override;
  Reactor* GetHistory(Context*, const v1::GetHistoryRequest*, v1::GetHistoryResponse*) override;
  Reactor* GetGraph(Context*, const v1::GetGraphRequest*, v1::GetGraphResponse*) override;
  Reactor* ResolveStep(Context*, const v1::ResolveStepRequest*, v1::ResolveStepResponse*) override;

 private:
  Backend& backend_;
};

}  // namespace semel::rpc
