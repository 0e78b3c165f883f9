#pragma once
#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "domain/workflow/step.hpp"

namespace semel::domain {

/// The steps of a template and how they hang together. Steps are named by their numbers, in the order of the template.
class Graph {
 public:
  /// The steps have no fault (find_fault()).
  explicit Graph(std::vector<Step> steps);

  std::size_t size() const { return steps_.size(); }
  const Step& step(std::size_t index) const { return steps_[index]; }
  const std::vector<Step>& steps() const { return steps_; }
  const std::vector<std::size_t>& upstreams(std::size_t index) const { return upstreams_[index]; }
  const std::vector<std::size_t>& downstreams(std::size_t index) const { return downstreams_[index]; }
  std::optional<std::size_t> find(std::string_view name) const;

 private:
  std::vector<Step> steps_;
  std::vector<std::vector<std::size_t>> upstreams_;    // as in depends_on
  std::vector<std::vector<std::size_t>> downstreams_;  // in the order of the template
};

}  // namespace semel::domain
