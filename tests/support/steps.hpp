#pragma once
#include <string>
#include <utility>
#include <vector>

#include "base/json/canonical.hpp"
#include "domain/workflow/graph.hpp"
#include "domain/workflow/step_id.hpp"

/// Steps for tests, one setting at a time.
namespace semel::test {

class StepBuilder {
 public:
  explicit StepBuilder(std::string name, std::vector<std::string> depends_on = {}) {
    step_.handler = "do_" + name;
    step_.name = std::move(name);
    step_.depends_on = std::move(depends_on);
  }

  StepBuilder& on_failure(domain::OnUpstreamFailure policy) {
    step_.on_upstream_failure = policy;
    return *this;
  }
  StepBuilder& key(std::string_view text) {
    step_.idempotency_key = domain::KeyTemplate::parse(text).value();
    return *this;
  }
  /// `of` is a step; empty = the context.
  StepBuilder& when(std::string of, std::string_view path, domain::Comparison comparison, std::string_view value) {
    step_.when.push_back(
        {{std::move(of), json::Pointer::parse(path).value()}, comparison, json::canonicalize(value).value()});
    return *this;
  }
  StepBuilder& for_each(std::string of, std::string_view path, std::optional<int> max_parallel = {},
                        domain::Join join = domain::Join::all) {
    step_.for_each = domain::ForEach{{std::move(of), json::Pointer::parse(path).value()}, max_parallel, join};
    return *this;
  }

  operator domain::Step() const { return step_; }  // NOLINT: a builder is what it builds

 private:
  domain::Step step_;
};

inline domain::Graph graph_of(std::vector<domain::Step> steps) { return domain::Graph(std::move(steps)); }

/// The only task of a step.
inline domain::TaskRef only(std::size_t step) { return {step, std::nullopt}; }
inline domain::TaskRef item(std::size_t step, std::size_t index) { return {step, index}; }

}  // namespace semel::test
