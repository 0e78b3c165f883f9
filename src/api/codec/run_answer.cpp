#include "api/codec/run_answer.hpp"

#include <algorithm>

#include "api/codec/answers.hpp"
#include "domain/workflow/graph_view.hpp"
#include "domain/workflow/step_task.hpp"

namespace semel::codec {
namespace {

using domain::Step;
using domain::StepFacts;
using json::Writer;

/// The results of a fan-out are those of its items.
void write_kept(Writer& writer, const StoredRun& run, std::size_t step) {
  const domain::StepOutcome* kept = kept_outcome(run, step);
  if (kept == nullptr) return;
  if (kept->result && !run.graph->step(step).for_each) writer.raw("result", *kept->result);
  if (kept->error) writer.raw("error", *kept->error);
}

void write_step(Writer& writer, domain::ExecutionId id, const engine::RunView& view, std::size_t index) {
  const Step& step = view.run.graph->step(index);
  const StepFacts& facts = view.run.facts.steps[index];
  writer.begin_object().string("name", step.name).string("handler", step.handler).string("queue", step.queue);
  writer.key("depends_on").begin_array();
  for (const std::string& upstream : step.depends_on) writer.string(upstream);
  writer.end_array().string("status", domain::status_of_step(view.run.facts, index, view.tasks));
  if (const std::string_view reason = reason_of(facts.state); !reason.empty()) writer.string("reason", reason);
  if (!facts.items.empty()) domain::write_items(writer, facts.items);
  if (facts.made && !step.for_each)
    writer.string("task_uuid", domain::task_id(*view.run.graph, id, {index, std::nullopt}).text());
  write_kept(writer, view.run, index);
  writer.end_object();
}

/// {step: {"status", "result" | "error"}}
void write_upstream(Writer& writer, const std::vector<domain::Upstream>& upstream) {
  writer.key("upstream").begin_object();
  for (const domain::Upstream& each : upstream) {
    writer.key(each.step).begin_object().string("status", shown_state(each.state));
    if (each.result) writer.raw("result", *each.result);
    if (each.error) writer.raw("error", *each.error);
    writer.end_object();
  }
  writer.end_object();
}

}  // namespace

const domain::StepOutcome* kept_outcome(const StoredRun& run, std::size_t step) {
  if (!is_kept_as_outcome(run.graph->step(step), run.facts.steps[step].state)) return nullptr;
  const auto kept = std::find_if(run.outcomes.begin(), run.outcomes.end(),
                                 [&](const domain::StepOutcome& each) { return each.step == step; });
  return kept == run.outcomes.end() ? nullptr : &*kept;
}

void write_step_of(Writer& writer, const domain::ExecutionSpec& spec) {
  if (!spec.step) return;
  writer.string("run_id", spec.step->run.text()).string("task_key", spec.step->task_key);
  if (spec.step->item) writer.raw("item", *spec.step->item);
}

void write_steps(Writer& writer, domain::ExecutionId id, const engine::RunView& view) {
  writer.integer("step_count", view.run.graph->size()).key("steps").begin_array();
  for (std::size_t i = 0; i < view.run.graph->size(); ++i) write_step(writer, id, view, i);
  writer.end_array();
}

void write_input(Writer& writer, const Lease& lease) {
  if (!lease.input) {
    writer.raw("context", lease.execution.spec.context);
    return;
  }
  writer.raw("context", lease.input->context);
  write_upstream(writer, lease.input->upstream);
  write_step_of(writer, lease.execution.spec);
  if (lease.input->index) writer.integer("index", *lease.input->index);
}

Encoded encode_graph(const engine::RunView& view) {
  return {200, domain::graph_json(*view.run.graph, &view.run.facts, view.tasks)};
}

std::string encode_mermaid(const engine::RunView& view) {
  return domain::graph_mermaid(*view.run.graph, &view.run.facts, view.tasks);
}

Encoded encode_history(const engine::HistoryView& view) {
  Writer writer;
  writer.begin_object().key("events").begin_array();
  for (const HistoryEntry& entry : view.entries) {
    writer.begin_object().integer("sequence", entry.sequence).string("at", to_rfc3339(entry.at));
    writer.string("kind", name_of(entry.event.kind));
    if (!entry.event.task_key.empty()) writer.string("task_key", entry.event.task_key);
    if (!entry.event.detail.empty()) writer.raw("detail", entry.event.detail);
    writer.end_object();
  }
  writer.end_array();
  if (view.next) writer.string("next_cursor", std::to_string(*view.next));
  return {200, writer.end_object().take()};
}

}  // namespace semel::codec
