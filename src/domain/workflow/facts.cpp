#include "domain/workflow/facts.hpp"

#include "base/ensure.hpp"

namespace semel::domain {

std::string_view shown_state(StepState state) {
  switch (state) {
    case StepState::waiting: return "waiting";
    case StepState::scheduled: return "scheduled";
    case StepState::blocked: return "blocked";
    case StepState::completed:
    case StepState::resolved: return "completed";
    case StepState::failed:
    case StepState::unfit: return "failed";
    case StepState::timed_out: return "timed_out";
    case StepState::cancelled:
    case StepState::upstream_failed:
    case StepState::dropped: return "cancelled";
    case StepState::skipped: return "skipped";
  }
  ensure(false);
  return "";
}

std::string_view reason_of(StepState state) {
  switch (state) {
    case StepState::blocked:
    case StepState::upstream_failed: return "upstream_failed";
    case StepState::dropped: return "run_cancelled";
    case StepState::resolved: return "resolved";
    case StepState::unfit: return "unfit";
    default: return "";
  }
}

}  // namespace semel::domain
