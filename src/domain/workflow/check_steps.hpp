#pragma once
#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "domain/workflow/step.hpp"

namespace semel::domain {

/// What is wrong with the steps of a template, and where.
struct StepFault {
  std::size_t step = 0;
  std::string field{};  // of the step: "name", "depends_on", …
  std::string what{};   // begins with the step's name

  bool operator==(const StepFault&) const = default;
};

/// The first fault in the order of the template; cycles come last, since they can only be seen when all names are good.
std::optional<StepFault> find_fault(std::span<const Step> steps);

}  // namespace semel::domain
