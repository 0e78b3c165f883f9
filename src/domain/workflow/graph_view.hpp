#pragma once
#include <string>

#include "domain/workflow/facts.hpp"
#include "domain/workflow/graph.hpp"

namespace semel::domain {

/// {"steps": [{"name", "handler", "depends_on", "status", "reason"?, "items"?}, …]}, in the order of the template.
/// Without facts, as the template describes them.
std::string graph_json(const Graph& graph, const RunFacts* facts = nullptr);

/// The same as a flow chart for Mermaid, with the states in the boxes.
std::string graph_mermaid(const Graph& graph, const RunFacts* facts = nullptr);

}  // namespace semel::domain
