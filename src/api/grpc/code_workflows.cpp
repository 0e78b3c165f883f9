#include "api/grpc/code_workflows.hpp"

#include "api/codec/by_hand_request.hpp"
#include "api/grpc/workflow_requests.hpp"
#include "api/grpc/workflow_views.hpp"

namespace semel::rpc {
namespace {

template <typename Request, typename Response>
Result<domain::ExecutionId> find_workflow(const Call<Request, Response>& call) {
  return find_named(call.engine, call.principal,
                    {domain::Kind::workflow, "workflow_execution_id", call.request.workflow_execution_id(),
                     "workflow_id", call.request.workflow_id()});
}

}  // namespace

void start_workflow(const Call<v1::StartWorkflowRequest, v1::StartWorkflowResponse>& call) {
  Result<domain::Submission> start = read_start(call.request);
  if (!start) return call.to.refuse(start.error());
  call.engine.submit(call.principal, *std::move(start),
                     [to = call.to, response = call.response](engine::SubmitAnswer answer) {
                       to.answer([response, answer = std::move(answer)] {
                         const auto settled = codec::settle(answer);
                         if (!settled) return status_of(settled.error());
                         write_started(*response, *settled);
                         return grpc::Status::OK;
                       });
                     });
}

void get_workflow(const Call<v1::GetWorkflowRequest, v1::WorkflowExecution>& call) {
  const Result<domain::ExecutionId> id = find_workflow(call);
  if (!id) return call.to.refuse(id.error());
  const Result<engine::WorkflowView> view = call.engine.workflow(call.principal, *id);
  if (!view) return call.to.refuse(view.error());
  call.to.answer([&] {
    write_workflow(*call.response, *view);
    return grpc::Status::OK;
  });
}

void signal_workflow(const Call<v1::SignalWorkflowRequest, v1::SignalWorkflowResponse>& call) {
  Result<engine::Engine::SignalRequest> signal = read_signal(call.request);
  if (!signal) return call.to.refuse(signal.error());
  const Result<domain::ExecutionId> id = find_workflow(call);
  if (!id) return call.to.refuse(id.error());
  call.engine.signal(call.principal, *id, *std::move(signal),
                     [to = call.to, response = call.response](const Result<bool>& received) {
                       to.answer([response, received] {
                         if (!received) return status_of(received.error());
                         response->set_already_received(!*received);
                         return grpc::Status::OK;
                       });
                     });
}

void cancel_workflow(const Call<v1::CancelWorkflowRequest, v1::CancelWorkflowResponse>& call) {
  if (Result<void> fits = codec::check_why(call.request.why()); !fits) return call.to.refuse(fits.error());
  const Result<domain::ExecutionId> id = find_workflow(call);
  if (!id) return call.to.refuse(id.error());
  call.engine.cancel(call.principal, *id, {call.request.force(), call.request.why(), true},
                     [to = call.to, response = call.response, id = *id](const Result<CancelAnswer>& answer) {
                       to.answer([response, id, answer] {
                         if (!answer) return status_of(answer.error());
                         response->set_workflow_execution_id(id.text());
                         response->set_status(to_wire(*answer->state));
                         if (answer->kind == CancelAnswer::Kind::requested) response->set_cancel_requested(true);
                         return grpc::Status::OK;
                       });
                     });
}

}  // namespace semel::rpc
