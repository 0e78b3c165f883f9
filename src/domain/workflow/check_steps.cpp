#include "domain/workflow/check_steps.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <vector>

#include "base/nearest.hpp"

namespace semel::domain {
namespace {

using StepsByName = std::map<std::string_view, std::size_t>;  // step by name

constexpr std::size_t shown_max = 10;  // steps that a message names

/// "; did you mean 'x'?" where a name is near, else what there is.
std::string guess(std::string_view wrong, const StepsByName& names, std::string_view own) {
  std::vector<std::string_view> others;
  for (const auto& [name, step] : names) {
    if (name != own) others.push_back(name);
  }
  if (const auto meant = nearest(wrong, others)) return fmt::format("; did you mean '{}'?", *meant);
  if (others.empty()) return "; there is no other step";
  const bool is_cut = others.size() > shown_max;
  others.resize(std::min(others.size(), shown_max));
  return fmt::format("; the others are {}{}", fmt::join(others, ", "), is_cut ? ", …" : "");
}

std::optional<StepFault> check_names(std::span<const Step> steps, StepsByName& names) {
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const auto [first, is_new] = names.emplace(steps[i].name, i);
    if (!is_new)
      return StepFault{i, "name", fmt::format("step '{}' is there twice; give each its own name", steps[i].name)};
  }
  return std::nullopt;
}

std::optional<std::string> check_upstreams(const Step& step, const StepsByName& names) {
  std::set<std::string_view> seen;
  for (const std::string& upstream : step.depends_on) {
    if (upstream == step.name) return fmt::format("step '{}' depends on itself", step.name);
    if (!names.contains(upstream))
      return fmt::format("step '{}' depends on '{}', which is no step{}", step.name, upstream,
                         guess(upstream, names, step.name));
    if (!seen.insert(upstream).second) return fmt::format("step '{}' depends on '{}' twice", step.name, upstream);
  }
  return std::nullopt;
}

/// Results are there only once their steps have closed; that is known of direct upstreams.
std::optional<std::string> check_source(const Step& step, std::string_view field, const Source& source) {
  const auto& upstreams = step.depends_on;
  if (source.step.empty() || std::find(upstreams.begin(), upstreams.end(), source.step) != upstreams.end())
    return std::nullopt;
  return fmt::format("step '{}': {} looks at '{}', so '{}' must be in its depends_on", step.name, field, source.step,
                     source.step);
}

std::optional<std::string> check_step_key(const Step& step) {
  if (!step.idempotency_key) return std::nullopt;
  const bool tells_apart = step.idempotency_key->tells_items_apart();
  if (step.for_each && !tells_apart)
    return fmt::format("step '{}': all items would have one key; put {{{{index}}}} or {{{{item}}}} into it", step.name);
  if (!step.for_each && tells_apart)
    return fmt::format("step '{}': {{{{item}}}} and {{{{index}}}} are for steps with for_each", step.name);
  return std::nullopt;
}

std::optional<StepFault> check_step(std::size_t index, const Step& step, const StepsByName& names) {
  if (auto what = check_upstreams(step, names)) return StepFault{index, "depends_on", *what};
  for (const Condition& condition : step.when) {
    if (auto what = check_source(step, "when", condition.source)) return StepFault{index, "when", *what};
  }
  if (step.for_each) {
    if (auto what = check_source(step, "for_each", step.for_each->over)) return StepFault{index, "for_each", *what};
  }
  if (auto what = check_step_key(step)) return StepFault{index, "idempotency_key", *what};
  return std::nullopt;
}

/// Walks from upstream to upstream until it comes back to a step of its way, without recursion: a template may be one
/// long chain.
class CycleSearch {
 public:
  CycleSearch(std::span<const Step> steps, const StepsByName& names)
      : steps_(steps), names_(names), marks_(steps.size()) {}

  std::vector<std::size_t> find() {
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      if (marks_[i] == Mark::unseen && walk_from(i)) return way_;
    }
    return {};
  }

 private:
  enum class Mark : std::uint8_t { unseen, on_the_way, done };

  /// True when `way_` is a cycle.
  bool walk_from(std::size_t first) {
    std::vector<std::size_t> next;  // for each step of the way, the upstream to look at next
    const auto enter = [&](std::size_t step) {
      marks_[step] = Mark::on_the_way;
      way_.push_back(step);
      next.push_back(0);
    };
    enter(first);
    while (!way_.empty()) {
      const Step& step = steps_[way_.back()];
      if (next.back() == step.depends_on.size()) {
        marks_[way_.back()] = Mark::done;
        way_.pop_back();
        next.pop_back();
        continue;
      }
      const std::size_t upstream = names_.at(step.depends_on[next.back()++]);
      if (marks_[upstream] == Mark::on_the_way) {
        way_.erase(way_.begin(), std::find(way_.begin(), way_.end(), upstream));
        return true;
      }
      if (marks_[upstream] == Mark::unseen) enter(upstream);
    }
    return false;
  }

  std::span<const Step> steps_;
  const StepsByName& names_;
  std::vector<Mark> marks_;
  std::vector<std::size_t> way_;
};

std::optional<StepFault> check_cycles(std::span<const Step> steps, const StepsByName& names) {
  std::vector<std::size_t> cycle = CycleSearch(steps, names).find();
  if (cycle.empty()) return std::nullopt;
  // Told from the step that comes first in the template, in the order in which they would run.
  std::reverse(cycle.begin(), cycle.end());
  std::rotate(cycle.begin(), std::min_element(cycle.begin(), cycle.end()), cycle.end());
  std::vector<std::string_view> shown;
  for (const std::size_t step : cycle) shown.push_back(steps[step].name);
  if (shown.size() > shown_max) {
    shown.resize(shown_max - 1);
    shown.emplace_back("…");
  }
  shown.push_back(shown.front());
  return StepFault{cycle.front(), "depends_on",
                   fmt::format("the steps go round in a circle: {}; take one of them out of the next one's depends_on",
                               fmt::join(shown, " → "))};
}

}  // namespace

std::optional<StepFault> find_fault(std::span<const Step> steps) {
  StepsByName names;
  if (auto fault = check_names(steps, names)) return fault;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (auto fault = check_step(i, steps[i], names)) return fault;
  }
  return check_cycles(steps, names);
}

}  // namespace semel::domain
