#pragma once
#include <span>
#include <string>

#include "base/bytes.hpp"
#include "domain/workflow/step.hpp"

namespace semel::domain {

/// The steps of a run with all questions answered, as they are stored: once for all runs that have the same.
struct RunPlan {
  Hash32 hash{};           // of the document, which it names
  std::string document{};  // encode_steps()

  bool operator==(const RunPlan&) const = default;
};

/// Steps without a fault; each says its queue, retry and timeout itself.
RunPlan plan_of_run(std::span<const Step> steps);

}  // namespace semel::domain
