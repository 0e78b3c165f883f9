#include "api/codec/answers.hpp"
#include "api/codec/error.hpp"
#include "api/codec/refusal.hpp"
#include "api/codec/run_answer.hpp"
#include "api/codec/submitted_members.hpp"
#include "api/codec/view_members.hpp"
#include "domain/workflow/code/names.hpp"

namespace semel::codec {
namespace {

using json::Writer;

void write_times(Writer& writer, const domain::Execution& execution) {
  writer.string("created_at", to_rfc3339(execution.created_at)).string("run_at", to_rfc3339(execution.run_at));
  time_member(writer, "started_at", execution.started_at);
  time_member(writer, "closed_at", execution.closed_at);
  time_member(writer, "deadline", execution.deadline);
}

void write_timers(Writer& writer, const std::vector<OpenTimer>& timers) {
  writer.key("timers").begin_array();
  for (const OpenTimer& timer : timers)
    writer.begin_object().integer("command", timer.command).string("fire_at", to_rfc3339(timer.fire_at)).end_object();
  writer.end_array();
}

void write_workflow(Writer& writer, const engine::WorkflowView& view) {
  const domain::Execution& execution = view.execution;
  const domain::ExecutionSpec& spec = execution.spec;
  writer.string("workflow_execution_id", spec.id.text());
  if (spec.key) writer.string("workflow_id", *spec.key);
  writer.string("kind", domain::code::kind_of_workflow(spec.handler)).string("status", name_of(execution.state));
  writer.string("queue", spec.queue).integer("priority", spec.priority);
  write_step_of(writer, spec);
  write_times(writer, execution);
  if (execution.cancel_requested) writer.boolean("cancel_requested", true);
  writer.string("created_by", spec.created_by).raw("input", spec.context);
  write_labels(writer, spec.labels);
  if (view.workflow.status) writer.raw("custom_status", *view.workflow.status);
  write_timers(writer, view.workflow.timers);
  writer.integer("history_length", view.workflow.facts.history_length);
  writer.integer("open_children", view.workflow.facts.open_children);
  if (execution.result) writer.raw("result", *execution.result);
  if (execution.error) writer.raw("error", *execution.error);
  if (execution.previous) writer.string("previous_execution_id", execution.previous->text());
}

}  // namespace

Encoded encode_started(const engine::SubmitAnswer& answer) {
  const tl::expected<Submitted, Refusal> settled = settle(answer);
  if (!settled) return {http_status(settled.error().code), encode_refused(settled.error())};
  Writer writer;
  writer.begin_object().string("workflow_execution_id", settled->id.text()).string("workflow_id", settled->task_id);
  writer.string("status", name_of(settled->status)).boolean("idempotency_key_new", settled->key_new());
  write_outcome(writer, *settled, "result");
  return {settled->created ? 201 : 200, writer.end_object().take()};
}

Encoded encode_workflow(const engine::WorkflowView& view) {
  Writer writer;
  writer.begin_object();
  write_workflow(writer, view);
  return {200, writer.end_object().take()};
}

Encoded encode_found_workflow(const engine::KeyView& holder, const engine::WorkflowView* view) {
  Writer writer;
  writer.begin_object().boolean("held", holder.is_held);
  if (view != nullptr) write_workflow(writer, *view);
  writer.key("holder");
  write_holder(writer, holder.held, holder.window_end);
  return {200, writer.end_object().take()};
}

Encoded encode_signalled(bool received) {
  Writer writer;
  writer.begin_object().boolean("already_received", !received);
  return {200, writer.end_object().take()};
}

}  // namespace semel::codec
