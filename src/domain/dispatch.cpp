#include "domain/dispatch.hpp"

#include <algorithm>

#include "base/ensure.hpp"
#include "domain/workflow/code/names.hpp"

namespace semel::domain {

std::string_view name_of(DispatchState state) {
  switch (state) {
    case DispatchState::ambiguous: return "ambiguous";
    case DispatchState::unsent: return "unsent";
    case DispatchState::sent: return "sent";
  }
  ensure(false);
  return "";
}

Time lease_after_beat(const Execution& execution, const Attempt& attempt, Time now, Duration lease, BeatBy by) {
  const Time end = lease_end(execution, attempt.started_at, now, lease);
  if (!is_pushed(attempt)) return std::max(attempt.lease_until, end);
  return by == BeatBy::answer ? std::min(attempt.lease_until, end) : end;
}

Time unaccepted_lease_end(const Execution& execution, const Attempt& attempt, Time now) {
  return lease_end(execution, attempt.started_at, now, unaccepted_lease);
}

Duration lease_of_accepted(const QueueSettings& settings) {
  const bool delivers_later = settings.target && settings.target->starts_with("cloudtasks://");
  return delivers_later ? std::max(settings.heartbeat_timeout, settings.target_dedup_window)
                        : settings.heartbeat_timeout;
}

std::string_view task_key_of(const ExecutionSpec& spec) { return spec.step ? spec.step->task_key : spec.handler; }

ExecutionId run_of(const ExecutionSpec& spec) { return spec.step ? spec.step->run : spec.id; }

DispatchIds dispatch_ids_of(const ExecutionSpec& spec, int attempt, int repair) {
  return dispatch_ids(run_of(spec).text(), task_key_of(spec), attempt, repair);
}

Dispatch begin_dispatch(const Execution& execution, AttemptId attempt_id, Time now, Duration hold) {
  Dispatch dispatch;
  dispatch.attempt_id = attempt_id;
  dispatch.execution_id = execution.spec.id;
  dispatch.attempt = execution.attempt;
  dispatch.ids = dispatch_ids_of(execution.spec, execution.attempt);
  dispatch.created_at = now;
  dispatch.due_at = execution.run_at;
  dispatch.next_send_at = now + hold;
  return dispatch;
}

void accept(Dispatch& dispatch, Time now, const std::optional<std::string>& answer) {
  dispatch.state = DispatchState::sent;
  dispatch.next_send_at.reset();
  if (!dispatch.accepted_at) dispatch.accepted_at = now;
  if (answer) dispatch.answer = *answer;
}

void postpone(Dispatch& dispatch, bool is_ambiguous, Time next_send_at, std::string_view answer) {
  dispatch.state = is_ambiguous ? DispatchState::ambiguous : DispatchState::unsent;
  dispatch.next_send_at = next_send_at;
  dispatch.answer = answer;
}

void take(Dispatch& dispatch, Time now, Duration hold) {
  dispatch.state = DispatchState::ambiguous;
  dispatch.next_send_at = now + hold;
  dispatch.sends += 1;
}

void count_no_send(Dispatch& dispatch) { dispatch.sends -= 1; }

void repair(Dispatch& dispatch, const ExecutionSpec& spec, Time now) {
  dispatch.repair += 1;
  dispatch.ids = dispatch_ids_of(spec, dispatch.attempt, dispatch.repair);
  dispatch.state = DispatchState::unsent;
  dispatch.accepted_at.reset();
  dispatch.next_send_at = now;
}

bool was_called(const Dispatch& dispatch, std::string_view external_id) {
  if (dispatch.repair == 0) return false;
  const std::optional<DispatchName> name = parse_dispatch_id(dispatch.ids.internal);
  if (!name) return false;
  for (int before = 0; before < dispatch.repair; ++before) {
    if (dispatch_ids(name->run_id, name->task_key, dispatch.attempt, before).external == external_id) return true;
  }
  return false;
}

bool may_claim(const QueueSettings& settings, bool pushes, std::string_view handler) {
  const bool is_for_dispatcher = settings.target.has_value() && !code::is_workflow_handler(handler);
  return is_for_dispatcher == pushes;
}

}  // namespace semel::domain
