#include "domain/workflow/graph_view.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace semel::domain {
namespace {

using CountedItem = std::pair<std::string_view, ItemState>;
constexpr std::array counted_items{
    CountedItem{"scheduled", ItemState::scheduled}, CountedItem{"completed", ItemState::completed},
    CountedItem{"failed", ItemState::failed}, CountedItem{"timed_out", ItemState::timed_out},
    CountedItem{"cancelled", ItemState::cancelled}};

void write_facts(json::Writer& writer, const StepFacts& facts, std::string_view status) {
  writer.string("status", status);
  if (const std::string_view reason = reason_of(facts.state); !reason.empty()) writer.string("reason", reason);
  if (!facts.items.empty()) write_items(writer, facts.items);
}

/// Names are of letters, digits and -._ only, so that nothing is to be escaped.
std::string box_of(const Step& step, const StepFacts* facts, std::string_view status) {
  std::string label = step.name;
  if (step.for_each) label += " × each";
  if (facts == nullptr) return label;
  label.append("<br/>").append(status);
  if (facts->items.empty()) return label;
  const auto done = std::count(facts->items.begin(), facts->items.end(), ItemState::completed);
  return label + fmt::format(" {}/{}", done, facts->items.size());
}

}  // namespace

std::string_view status_of_step(const RunFacts& facts, std::size_t step, TaskStates tasks) {
  const StepState state = facts.steps[step].state;
  const bool is_known = state == StepState::scheduled && step < tasks.size() && tasks[step];
  return is_known ? name_of(*tasks[step]) : shown_state(state);
}

void write_items(json::Writer& writer, const std::vector<ItemState>& items) {
  const auto count = [&](ItemState state) { return std::count(items.begin(), items.end(), state); };
  writer.key("items").begin_object().integer("total", items.size());
  const auto held = count(ItemState::held) + count(ItemState::held_again);
  if (held > 0) writer.integer("waiting", held);
  for (const auto& [name, state] : counted_items) {
    if (const auto found = count(state); found > 0) writer.integer(name, found);
  }
  writer.end_object();
}

std::string graph_json(const Graph& graph, const RunFacts* facts, TaskStates tasks) {
  json::Writer writer;
  writer.begin_object().key("steps").begin_array();
  for (std::size_t i = 0; i < graph.size(); ++i) {
    const Step& step = graph.step(i);
    writer.begin_object().string("name", step.name).string("handler", step.handler);
    writer.key("depends_on").begin_array();
    for (const std::string& upstream : step.depends_on) writer.string(upstream);
    writer.end_array();
    if (facts != nullptr) write_facts(writer, facts->steps[i], status_of_step(*facts, i, tasks));
    writer.end_object();
  }
  return writer.end_array().end_object().take();
}

std::string graph_mermaid(const Graph& graph, const RunFacts* facts, TaskStates tasks) {
  std::string out = "flowchart TD\n";
  for (std::size_t i = 0; i < graph.size(); ++i) {
    const StepFacts* of_step = facts == nullptr ? nullptr : &facts->steps[i];
    const std::string_view status = facts == nullptr ? std::string_view() : status_of_step(*facts, i, tasks);
    out += fmt::format("  s{}[\"{}\"]\n", i, box_of(graph.step(i), of_step, status));
  }
  for (std::size_t i = 0; i < graph.size(); ++i) {
    for (const std::size_t upstream : graph.upstreams(i)) out += fmt::format("  s{} --> s{}\n", upstream, i);
  }
  return out;
}

}  // namespace semel::domain
