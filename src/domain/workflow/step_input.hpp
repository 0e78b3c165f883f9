#pragma once
#include <optional>
#include <string>
#include <vector>

#include "domain/workflow/facts.hpp"

namespace semel::domain {

/// What a step came to that another depends on.
struct Upstream {
  std::string step{};
  StepState state = StepState::completed;
  std::optional<std::string> result{};  // JSON text; absent = nothing was returned, or it did not succeed
  std::optional<std::string> error{};   // JSON text

  bool operator==(const Upstream&) const = default;
};

/// What the handler of a step gets beside its item. It is not copied into the rows of tasks, but read when one is
/// leased.
struct StepInput {
  std::string context{};               // of the run
  std::vector<Upstream> upstream{};    // in the order of `depends_on`
  std::optional<std::size_t> index{};  // of an item

  bool operator==(const StepInput&) const = default;
};

}  // namespace semel::domain
