#include "domain/workflow/graph.hpp"

#include <map>
#include <utility>

#include "base/ensure.hpp"
#include "domain/workflow/check_steps.hpp"

namespace semel::domain {

Graph::Graph(std::vector<Step> steps)
    : steps_(std::move(steps)), upstreams_(steps_.size()), downstreams_(steps_.size()) {
  ensure(!find_fault(steps_));
  std::map<std::string_view, std::size_t> names;
  for (std::size_t i = 0; i < steps_.size(); ++i) names.emplace(steps_[i].name, i);
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    for (const std::string& name : steps_[i].depends_on) {
      const std::size_t upstream = names.at(name);
      upstreams_[i].push_back(upstream);
      downstreams_[upstream].push_back(i);
    }
  }
}

std::optional<std::size_t> Graph::find(std::string_view name) const {
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    if (steps_[i].name == name) return i;
  }
  return std::nullopt;
}

}  // namespace semel::domain
