#include "domain/attempt.hpp"

#include <fmt/format.h>

#include "base/ensure.hpp"
#include "base/json/text.hpp"

namespace semel::domain {

std::string_view name_of(Kind kind) {
  switch (kind) {
    case Kind::task: return "task";
    case Kind::workflow: return "workflow";
    case Kind::promise: return "promise";
  }
  ensure(false);
  return "";
}

std::string_view name_of(AttemptOutcome outcome) {
  switch (outcome) {
    case AttemptOutcome::running: return "running";
    case AttemptOutcome::completed: return "completed";
    case AttemptOutcome::failed: return "failed";
    case AttemptOutcome::lease_ended: return "lease_ended";
  }
  ensure(false);
  return "";
}

std::string lease_ended_error(const Attempt& attempt) {
  const std::string message = fmt::format("attempt {} by worker '{}' ended without an answer: its lease ran out",
                                          attempt.number, attempt.worker);
  return R"({"type":"LEASE_ENDED","message":)" + json::quote(message) + "}";
}

std::optional<State> state_after(const Execution& execution, AttemptOutcome outcome) {
  switch (outcome) {
    case AttemptOutcome::completed: return next(execution.state, Event::completed);
    case AttemptOutcome::failed:
      return next(execution.state, execution.cancel_requested ? Event::failed_after_cancel : Event::failed);
    case AttemptOutcome::lease_ended:
      return next(execution.state, execution.cancel_requested ? Event::lease_ended_after_cancel : Event::lease_ended);
    case AttemptOutcome::running: break;
  }
  return std::nullopt;
}

}  // namespace semel::domain
