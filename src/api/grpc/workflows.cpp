#include "api/grpc/workflows.hpp"

#include "api/codec/answers.hpp"
#include "api/codec/by_hand_request.hpp"
#include "api/codec/query.hpp"
#include "api/codec/work_values.hpp"
#include "api/grpc/call.hpp"
#include "api/grpc/code_workflows.hpp"
#include "api/grpc/workflow_views.hpp"
#include "domain/names.hpp"

namespace semel::rpc {
namespace {

constexpr std::string_view workflow_service = "semel.v1.WorkflowService";
constexpr Method start_workflow_method{workflow_service, "StartWorkflow"};
constexpr Method get_workflow_method{workflow_service, "GetWorkflow", true};
constexpr Method signal_workflow_method{workflow_service, "SignalWorkflow", true};
constexpr Method cancel_workflow_method{workflow_service, "CancelWorkflow", true};
constexpr Method get_history_method{workflow_service, "GetHistory", true};
constexpr Method get_graph_method{workflow_service, "GetGraph", true};
constexpr Method resolve_step_method{workflow_service, "ResolveStep", true};

void get_history(const Call<v1::GetHistoryRequest, v1::GetHistoryResponse>& call) {
  const auto id = codec::parse_id<domain::ExecutionId>(call.request.task_uuid());
  if (!id) return call.to.refuse(id.error());
  const Result<std::size_t> limit =
      codec::page_limit(call.request.has_limit() ? std::optional<std::int64_t>(call.request.limit()) : std::nullopt);
  if (!limit) return call.to.refuse(limit.error());
  const Result<engine::HistoryView> view = call.engine.history(call.principal, *id, call.request.cursor(), *limit);
  if (!view) return call.to.refuse(view.error());
  call.to.answer([&] {
    for (const HistoryEntry& entry : view->entries) write_history_event(*call.response->add_events(), entry);
    if (view->next) call.response->set_next_cursor(*view->next);
    return grpc::Status::OK;
  });
}

void get_graph(const Call<v1::GetGraphRequest, v1::GetGraphResponse>& call) {
  const auto id = codec::parse_id<domain::ExecutionId>(call.request.task_uuid());
  if (!id) return call.to.refuse(id.error());
  const Result<engine::RunView> view = call.engine.run(call.principal, *id);
  if (!view) return call.to.refuse(view.error());
  call.to.answer([&] {
    call.response->set_graph(codec::encode_graph(*view).body);
    call.response->set_mermaid(codec::encode_mermaid(*view));
    return grpc::Status::OK;
  });
}

Result<engine::Engine::ResolveRequest> read_step_result(const v1::ResolveStepRequest& request) {
  if (Result<void> fits = domain::check_name("step", request.step()); !fits) return pass_on(fits.error());
  if (Result<void> fits = codec::check_why(request.why()); !fits) return pass_on(fits.error());
  if (!request.has_result()) return bad_request("result is required: what the step would have returned, or null");
  std::string canonical;  // checked like a context, stored as written
  const Result<std::string_view> result = codec::read_value("result", request.result(), canonical);
  if (!result) return pass_on(result.error());
  if (Result<void> fits = codec::check_payload("result", result->size()); !fits) return pass_on(fits.error());
  return engine::Engine::ResolveRequest{request.step(), std::string(*result), request.why()};
}

void resolve_step(const Call<v1::ResolveStepRequest, v1::ResolveStepResponse>& call) {
  const auto id = codec::parse_id<domain::ExecutionId>(call.request.task_uuid());
  if (!id) return call.to.refuse(id.error());
  const Result<engine::Engine::ResolveRequest> request = read_step_result(call.request);
  if (!request) return call.to.refuse(request.error());
  call.engine.resolve(call.principal, *id, *request,
                      [to = call.to, response = call.response, id = *id](const Result<domain::State>& state) {
                        to.answer([response, id, state] {
                          if (!state) return status_of(state.error());
                          response->set_task_uuid(id.text());
                          response->set_status(to_wire(*state));
                          return grpc::Status::OK;
                        });
                      });
}

}  // namespace

WorkflowService::Reactor* WorkflowService::StartWorkflow(Context* context, const v1::StartWorkflowRequest* request,
                                                         v1::StartWorkflowResponse* response) {
  return begin(backend_, start_workflow_method, context, request, response, start_workflow);
}

WorkflowService::Reactor* WorkflowService::GetWorkflow(Context* context, const v1::GetWorkflowRequest* request,
                                                       v1::WorkflowExecution* response) {
  return begin(backend_, get_workflow_method, context, request, response, get_workflow);
}

WorkflowService::Reactor* WorkflowService::SignalWorkflow(Context* context, const v1::SignalWorkflowRequest* request,
                                                          v1::SignalWorkflowResponse* response) {
  return begin(backend_, signal_workflow_method, context, request, response, signal_workflow);
}

WorkflowService::Reactor* WorkflowService::CancelWorkflow(Context* context, const v1::CancelWorkflowRequest* request,
                                                          v1::CancelWorkflowResponse* response) {
  return begin(backend_, cancel_workflow_method, context, request, response, cancel_workflow);
}

WorkflowService::Reactor* WorkflowService::GetHistory(Context* context, const v1::GetHistoryRequest* request,
                                                      v1::GetHistoryResponse* response) {
  return begin(backend_, get_history_method, context, request, response, get_history);
}

WorkflowService::Reactor* WorkflowService::GetGraph(Context* context, const v1::GetGraphRequest* request,
                                                    v1::GetGraphResponse* response) {
  return begin(backend_, get_graph_method, context, request, response, get_graph);
}

WorkflowService::Reactor* WorkflowService::ResolveStep(Context* context, const v1::ResolveStepRequest* request,
                                                       v1::ResolveStepResponse* response) {
  return begin(backend_, resolve_step_method, context, request, response, resolve_step);
}

}  // namespace semel::rpc
