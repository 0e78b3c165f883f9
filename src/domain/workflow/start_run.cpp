#include "domain/workflow/advance.hpp"

namespace semel::domain {

Decision start_run(const Graph& graph, RunFacts& facts, const RunData& data) {
  facts = RunFacts{RunPhase::open, std::vector<StepFacts>(graph.size())};
  Advance advance(graph, facts, data);
  advance.note_run(HistoryKind::run_started);
  for (std::size_t i = 0; i < graph.size(); ++i) {
    if (graph.upstreams(i).empty()) advance.judge(i);
  }
  return advance.settle();
}

}  // namespace semel::domain
