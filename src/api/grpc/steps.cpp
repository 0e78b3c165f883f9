#include "api/grpc/steps.hpp"

#include <algorithm>

#include "api/codec/run_answer.hpp"
#include "domain/workflow/graph_view.hpp"
#include "domain/workflow/step_task.hpp"

namespace semel::rpc {
namespace {

using domain::ItemState;

void write_step_items(v1::Step::Items& to, const std::vector<ItemState>& items) {
  const auto count = [&](ItemState state) {
    return static_cast<std::uint64_t>(std::count(items.begin(), items.end(), state));
  };
  to.set_total(items.size());
  if (const auto held = count(ItemState::held) + count(ItemState::held_again); held > 0) to.set_waiting(held);
  if (const auto found = count(ItemState::scheduled); found > 0) to.set_scheduled(found);
  if (const auto found = count(ItemState::completed); found > 0) to.set_completed(found);
  if (const auto found = count(ItemState::failed); found > 0) to.set_failed(found);
  if (const auto found = count(ItemState::timed_out); found > 0) to.set_timed_out(found);
  if (const auto found = count(ItemState::cancelled); found > 0) to.set_cancelled(found);
}

void write_step(v1::Step& to, domain::ExecutionId id, const engine::RunView& view, std::size_t index) {
  const domain::Step& step = view.run.graph->step(index);
  const domain::StepFacts& facts = view.run.facts.steps[index];
  to.set_name(step.name);
  to.set_handler(step.handler);
  to.set_queue(step.queue);
  for (const std::string& upstream : step.depends_on) to.add_depends_on(upstream);
  to.set_status(std::string(domain::status_of_step(view.run.facts, index, view.tasks)));
  if (const std::string_view reason = reason_of(facts.state); !reason.empty()) to.set_reason(std::string(reason));
  if (!facts.items.empty()) write_step_items(*to.mutable_items(), facts.items);
  if (facts.made && !step.for_each)
    to.set_task_uuid(domain::task_id(*view.run.graph, id, {index, std::nullopt}).text());
  const domain::StepOutcome* kept = codec::kept_outcome(view.run, index);
  if (kept == nullptr) return;
  if (kept->result && !step.for_each) to.set_result(*kept->result);
  if (kept->error) to.set_error(*kept->error);
}

}  // namespace

void write_steps(v1::Task& to, domain::ExecutionId id, const engine::RunView& view) {
  to.set_step_count(static_cast<std::uint32_t>(view.run.graph->size()));
  for (std::size_t i = 0; i < view.run.graph->size(); ++i) write_step(*to.add_steps(), id, view, i);
}

}  // namespace semel::rpc
