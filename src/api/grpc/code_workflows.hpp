#pragma once
#include "api/grpc/call.hpp"
#include "api/grpc/workflows.hpp"

/// The calls of WorkflowService that are about workflows that are written as code.
namespace semel::rpc {

void start_workflow(const Call<v1::StartWorkflowRequest, v1::StartWorkflowResponse>& call);
void get_workflow(const Call<v1::GetWorkflowRequest, v1::WorkflowExecution>& call);
void signal_workflow(const Call<v1::SignalWorkflowRequest, v1::SignalWorkflowResponse>& call);
void cancel_workflow(const Call<v1::CancelWorkflowRequest, v1::CancelWorkflowResponse>& call);

}  // namespace semel::rpc
