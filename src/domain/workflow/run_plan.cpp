#include "domain/workflow/run_plan.hpp"

#include "base/sha256.hpp"
#include "domain/workflow/steps_text.hpp"

namespace semel::domain {

RunPlan plan_of_run(std::span<const Step> steps) {
  RunPlan plan;
  plan.document = encode_steps(steps);
  plan.hash = sha256(plan.document);
  return plan;
}

}  // namespace semel::domain
