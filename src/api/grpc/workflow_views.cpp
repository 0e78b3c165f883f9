#include "api/grpc/workflow_views.hpp"

#include "api/grpc/values.hpp"
#include "domain/workflow/code/names.hpp"

namespace semel::rpc {
namespace {

/// What workflows and promises have in common.
template <typename Message>
void write_common(Message& to, const domain::Execution& execution) {
  const domain::ExecutionSpec& spec = execution.spec;
  to.set_status(to_wire(execution.state));
  set_time(to.mutable_created_at(), execution.created_at);
  if (execution.closed_at) set_time(to.mutable_closed_at(), *execution.closed_at);
  if (execution.deadline) set_time(to.mutable_deadline(), *execution.deadline);
  to.set_created_by(spec.created_by);
  for (const auto& [name, value] : spec.labels) (*to.mutable_labels())[name] = value;
  if (execution.error) to.set_error(*execution.error);
  if (execution.previous) to.set_previous_execution_id(execution.previous->text());
  if (!spec.step) return;
  to.set_run_id(spec.step->run.text());
  to.set_task_key(spec.step->task_key);
}

template <typename Message>
void write_taken(Message& to, const codec::Submitted& submitted) {
  to.set_status(to_wire(submitted.status));
  to.set_idempotency_key_new(submitted.key_new());
  if (submitted.previous) to.set_previous_execution_id(submitted.previous->text());
  if (submitted.error) to.set_error(*submitted.error);
  if (submitted.closed_at) set_time(to.mutable_closed_at(), *submitted.closed_at);
  if (submitted.result_expired) to.set_result_expired(true);
  to.set_created(submitted.created);
}

}  // namespace

void write_history_event(v1::HistoryEvent& to, const HistoryEntry& entry) {
  to.set_sequence(entry.sequence);
  set_time(to.mutable_at(), entry.at);
  to.set_kind(std::string(name_of(entry.event.kind)));
  if (!entry.event.task_key.empty()) to.set_task_key(entry.event.task_key);
  if (!entry.event.detail.empty()) to.set_detail(entry.event.detail);
}

void write_started(v1::StartWorkflowResponse& to, const codec::Submitted& submitted) {
  to.set_workflow_execution_id(submitted.id.text());
  to.set_workflow_id(submitted.task_id);
  write_taken(to, submitted);
  if (submitted.result) to.set_result(*submitted.result);
}

void write_workflow(v1::WorkflowExecution& to, const engine::WorkflowView& view) {
  const domain::Execution& execution = view.execution;
  const domain::ExecutionSpec& spec = execution.spec;
  to.set_workflow_execution_id(spec.id.text());
  if (spec.key) to.set_workflow_id(*spec.key);
  to.set_kind(std::string(domain::code::kind_of_workflow(spec.handler)));
  to.set_queue(spec.queue);
  to.set_priority(spec.priority);
  set_time(to.mutable_run_at(), execution.run_at);
  if (execution.started_at) set_time(to.mutable_started_at(), *execution.started_at);
  if (execution.cancel_requested) to.set_cancel_requested(true);
  write_common(to, execution);
  to.set_input(spec.context);
  if (view.workflow.status) to.set_custom_status(*view.workflow.status);
  for (const OpenTimer& timer : view.workflow.timers) {
    v1::WorkflowExecution::Timer& open = *to.add_timers();
    open.set_command(timer.command);
    set_time(open.mutable_fire_at(), timer.fire_at);
  }
  to.set_history_length(view.workflow.facts.history_length);
  to.set_open_children(view.workflow.facts.open_children);
  if (execution.result) to.set_result(*execution.result);
}

void write_promised(v1::CreatePromiseResponse& to, const codec::Submitted& submitted) {
  to.set_promise_id(submitted.id.text());
  if (submitted.key_used) to.set_idempotency_key(submitted.task_id);
  write_taken(to, submitted);
  if (submitted.result) to.set_value(*submitted.result);
}

void write_promise(v1::Promise& to, const domain::Execution& promise) {
  to.set_promise_id(promise.spec.id.text());
  if (promise.spec.key) to.set_idempotency_key(*promise.spec.key);
  write_common(to, promise);
  if (promise.result) to.set_value(*promise.result);
}

}  // namespace semel::rpc
