#pragma once
#include <optional>
#include <span>
#include <string>

#include "base/json/writer.hpp"
#include "domain/workflow/facts.hpp"
#include "domain/workflow/graph.hpp"

namespace semel::domain {

/// The state of the only task of each step, where it is open and known: what is shown instead of "scheduled".
using TaskStates = std::span<const std::optional<State>>;

/// {"steps": [{"name", "handler", "depends_on", "status", "reason"?, "items"?}, …]}, in the order of the template.
/// Without facts, as the template describes them.
std::string graph_json(const Graph& graph, const RunFacts* facts = nullptr, TaskStates tasks = {});

/// The same as a flow chart for Mermaid, with the states in the boxes.
std::string graph_mermaid(const Graph& graph, const RunFacts* facts = nullptr, TaskStates tasks = {});

/// "waiting", "running", …: of one step.
std::string_view status_of_step(const RunFacts& facts, std::size_t step, TaskStates tasks);
/// The member "items" of a fan-out: {"total", "waiting", "scheduled", …}, without what is zero but the total.
void write_items(json::Writer& writer, const std::vector<ItemState>& items);

}  // namespace semel::domain
