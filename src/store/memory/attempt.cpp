#include <algorithm>

#include "base/ensure.hpp"
#include "domain/workflow/step_task.hpp"
#include "store/memory/tables.hpp"

/// What ends an attempt, or keeps it alive (DESIGN §4).
namespace semel::store::memory {
namespace {

using domain::AttemptOutcome;

/// An attempt and the record that it belongs to.
struct Found {
  Record& record;
  domain::Attempt& attempt;
};

std::optional<Found> find_attempt(Tables& tables, const std::string& tenant, domain::AttemptId id) {
  const auto known = tables.attempts.find({tenant, id});
  if (known == tables.attempts.end()) return std::nullopt;
  Record& record = tables.executions.at({tenant, known->second});
  for (domain::Attempt& attempt : record.attempts) {
    if (attempt.id == id) return Found{record, attempt};
  }
  ensure(false);  // the index names attempts that exist
  return std::nullopt;
}

AttemptAnswer answer(AttemptAnswer::Kind kind, const domain::Execution& execution) {
  AttemptAnswer given;
  given.kind = kind;
  given.execution_id = execution.spec.id;
  given.state = execution.state;
  return given;
}

/// Ends a running attempt, and with it the execution, unless there will be another attempt.
void end(Tables& tables, Found found, const domain::Ending& ending, std::optional<std::string> error, Time now) {
  domain::Execution& execution = found.record.execution;
  if (find_workflow(tables, execution.spec) != nullptr)
    return end_activation_badly(tables, found.record, found.attempt, ending, std::move(error), now);
  const domain::Aftermath after = aftermath(execution, found.attempt, ending, now);
  execution.state = after.state;
  if (after.run_at) {
    execution.run_at = *after.run_at;
    enter_queue(tables, found.record, now);
  } else {
    execution.closed_at = now;
    execution.error = error;
  }
  found.attempt.ended_at = now;
  found.attempt.outcome = ending.outcome;
  found.attempt.error = std::move(error);
  tell(tables, found.record);
  make_room(tables, execution.spec);
  if (is_closed(execution.state)) has_closed(tables, found.record);
}

/// The answer to a result for an attempt that has ended: a repetition is welcome, all else came too late.
AttemptAnswer answer_late(Found found, AttemptOutcome outcome) {
  const domain::Execution& execution = found.record.execution;
  if (found.attempt.outcome == outcome) return answer(AttemptAnswer::Kind::already_recorded, execution);
  found.attempt.stale_results += 1;
  return answer(AttemptAnswer::Kind::stale, execution);
}

bool is_running(const domain::Attempt& attempt) { return attempt.outcome == AttemptOutcome::running; }

/// The oldest first, as many as may be.
template <typename T, typename TimeOf>
void keep_oldest(std::vector<T>& items, std::size_t max, TimeOf time_of) {
  std::stable_sort(items.begin(), items.end(),
                   [&](const T& left, const T& right) { return time_of(left) < time_of(right); });
  if (items.size() > max) items.erase(items.begin() + static_cast<std::ptrdiff_t>(max), items.end());
}

std::size_t expire_leases(Tables& tables, std::size_t max, Time now) {
  std::vector<std::pair<Record*, std::size_t>> ended;  // and the place of the attempt
  for (auto& [id, record] : tables.executions) {
    for (std::size_t i = 0; i < record.attempts.size(); ++i) {
      if (is_running(record.attempts[i]) && record.attempts[i].lease_until <= now) ended.emplace_back(&record, i);
    }
  }
  keep_oldest(ended, max, [](const auto& each) { return each.first->attempts[each.second].lease_until; });
  for (const auto& [record, place] : ended) {
    domain::Attempt& attempt = record->attempts[place];
    const AttemptOutcome outcome = outcome_of_lease_end(record->execution, attempt);
    end(tables, {*record, attempt}, {outcome}, lease_end_error(attempt, outcome), now);
  }
  return ended.size();
}

std::size_t expire_deadlines(Tables& tables, std::size_t max, Time now) {
  std::vector<Record*> late;
  for (auto& [id, record] : tables.executions) {
    const domain::Execution& execution = record.execution;
    const bool is_open = next(execution.state, domain::Event::deadline_passed) && !execution.cancel_requested;
    if (is_open && is_late(execution, now)) late.push_back(&record);
  }
  keep_oldest(late, max, [](const Record* record) { return *record->execution.deadline; });
  for (Record* record : late) {
    const domain::Execution& execution = record->execution;  // one before may have begun it, and ended it
    const bool is_still_open = next(execution.state, domain::Event::deadline_passed) && !execution.cancel_requested;
    if (is_still_open) time_out(tables, *record, now);
  }
  return late.size();
}

}  // namespace

void time_out(Tables& tables, Record& record, Time now) {
  domain::Execution& execution = record.execution;
  if (find_workflow(tables, execution.spec) != nullptr)
    return cancel_workflow(tables, record, {domain::WhyCancelled::deadline, {}, false}, now);
  if (tables.runs.contains({execution.spec.tenant, execution.spec.id}))
    return cancel_run(tables, record, domain::WhyCancelled::deadline, {}, now);
  execution.state = *next(execution.state, domain::Event::deadline_passed);
  execution.closed_at = now;
  execution.error = domain::deadline_error(execution.spec.kind);
  tell(tables, record);
  make_room(tables, execution.spec);
  has_closed(tables, record);
}

bool cancel_record(Tables& tables, Record& record, bool force, Time now) {
  domain::Execution& execution = record.execution;
  if (is_closed(execution.state)) return true;  // in the step that also ends its run
  if (find_workflow(tables, execution.spec) != nullptr) {
    cancel_workflow(tables, record, {domain::WhyCancelled::asked_for, {}, force}, now);
    return is_closed(execution.state);
  }
  const domain::Event event = force ? domain::Event::cancelled_by_force : domain::Event::cancelled;
  const std::optional<domain::State> state = next(execution.state, event);
  if (!state) {
    execution.cancel_requested = true;
    return false;
  }
  if (execution.state == domain::State::running) {
    record.attempts.back().ended_at = now;
    record.attempts.back().outcome = AttemptOutcome::cancelled;
  }
  execution.state = *state;
  execution.closed_at = now;
  tell(tables, record);
  make_room(tables, execution.spec);
  has_closed(tables, record);
  return true;
}

Outcome apply(Tables& tables, const Complete& complete, Time now) {
  const std::optional<Found> found = find_attempt(tables, complete.tenant, complete.attempt_id);
  if (!found) return AttemptAnswer{};
  if (find_workflow(tables, found->record.execution.spec) != nullptr)
    return Rejected{{ErrorCode::bad_request, domain::code::answered_by_commands}};
  if (!is_running(found->attempt)) return answer_late(*found, AttemptOutcome::completed);
  found->record.execution.result = complete.result;
  end(tables, *found, {AttemptOutcome::completed}, std::nullopt, now);
  return answer(AttemptAnswer::Kind::recorded, found->record.execution);
}

Outcome apply(Tables& tables, const Fail& fail, Time now) {
  const std::optional<Found> found = find_attempt(tables, fail.tenant, fail.attempt_id);
  if (!found) return AttemptAnswer{};
  if (!is_running(found->attempt)) return answer_late(*found, AttemptOutcome::failed);
  const domain::Dispatch* const dispatch = find_dispatch(found->record, fail.attempt_id);
  if (dispatch != nullptr && fail.repair && dispatch->repair != *fail.repair)
    return answer(AttemptAnswer::Kind::stale, found->record.execution);
  end(tables, *found, {AttemptOutcome::failed, fail.retryable, fail.retry_after}, fail.error, now);
  return answer(AttemptAnswer::Kind::recorded, found->record.execution);
}

Outcome apply(Tables& tables, const Heartbeat& heartbeat, Time now) {
  const std::optional<Found> found = find_attempt(tables, heartbeat.tenant, heartbeat.attempt_id);
  if (!found) return AttemptAnswer{};
  domain::Execution& execution = found->record.execution;
  domain::Attempt& attempt = found->attempt;
  if (!is_running(attempt)) return answer(AttemptAnswer::Kind::stale, execution);
  domain::Dispatch* const dispatch = find_dispatch(found->record, attempt.id);
  if (dispatch != nullptr && heartbeat.accepted && dispatch->repair != heartbeat.repair)
    return answer(AttemptAnswer::Kind::stale, execution);
  attempt.lease_until = lease_after_beat(execution, attempt, now, heartbeat.lease, heartbeat.by());
  attempt.last_heartbeat_at = now;
  if (dispatch != nullptr) accept(*dispatch, now, heartbeat.accepted);
  if (heartbeat.progress) execution.progress = heartbeat.progress;
  AttemptAnswer given = answer(AttemptAnswer::Kind::recorded, execution);
  given.lease_until = attempt.lease_until;
  given.should_cancel = execution.cancel_requested;
  return given;
}

Outcome apply(Tables& tables, const GiveBack& given, Time now) {
  GivenBack back;
  for (const domain::AttemptId id : given.attempt_ids) {
    const std::optional<Found> found = find_attempt(tables, given.tenant, id);
    if (!found || !is_running(found->attempt)) continue;
    domain::Execution& execution = found->record.execution;
    back.count += 1;
    if (find_workflow(tables, execution.spec) != nullptr) {
      end_activation_badly(tables, found->record, found->attempt, {AttemptOutcome::undelivered}, std::nullopt, now);
      continue;
    }
    execution.state = *next(execution.state, domain::Event::retried);
    found->attempt.ended_at = now;
    found->attempt.outcome = AttemptOutcome::undelivered;
    if (execution.cancel_requested) {
      execution.state = *next(execution.state, domain::Event::cancelled);
      execution.closed_at = now;
    } else {
      execution.uncounted_attempts += 1;
      enter_queue(tables, found->record, now);
    }
    tell(tables, found->record);
    make_room(tables, execution.spec);
    if (is_closed(execution.state)) has_closed(tables, found->record);
  }
  return back;
}

/// One task. Where it is a part of something, that remembers who asked for it; again only when it is to end by force.
void cancel_task(Tables& tables, Record& record, const Cancel& cancel, Time now) {
  const domain::ExecutionSpec& spec = record.execution.spec;
  const bool is_news = cancel.force || !record.execution.cancel_requested;
  if (spec.step && is_news)
    add_history(tables, {spec.tenant, spec.step->run}, cancel_event(spec, {cancel.by, cancel.why}), now);
  cancel_record(tables, record, cancel.force, now);
}

Outcome apply(Tables& tables, const Cancel& cancel, Time now) {
  Record* record = find_record(tables, cancel.tenant, cancel.id);
  if (record == nullptr) return CancelAnswer{};
  domain::Execution& execution = record->execution;
  CancelAnswer given{CancelAnswer::Kind::already_closed, execution.state, execution.spec.created_by};
  if (is_closed(execution.state)) return given;
  if (cancel.force) note(tables, cancel.tenant, {0, now, cancel.by, "task.cancel.force", cancel.id.text()});
  if (find_workflow(tables, execution.spec) != nullptr)
    cancel_workflow(tables, *record, {domain::WhyCancelled::asked_for, {cancel.by, cancel.why}, cancel.force}, now);
  else if (execution.spec.kind == domain::Kind::workflow)
    cancel_run(tables, *record, domain::WhyCancelled::asked_for, cancel, now);
  else cancel_task(tables, *record, cancel, now);
  settle_runs(tables, now);
  given.kind = is_closed(execution.state) ? CancelAnswer::Kind::cancelled : CancelAnswer::Kind::requested;
  given.state = execution.state;
  return given;
}

Outcome apply(Tables& tables, const ExpireLeases& expire, Time now) {
  const std::size_t max = static_cast<std::size_t>(expire.max);
  std::size_t count = expire_leases(tables, max, now);
  count += expire_deadlines(tables, max - count, now);
  return LeasesExpired{count == max};
}

}  // namespace semel::store::memory
