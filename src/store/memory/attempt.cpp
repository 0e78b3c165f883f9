#include <algorithm>

#include "base/ensure.hpp"
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

/// Ends a running attempt, and with it the execution.
void end(Tables& tables, Found found, AttemptOutcome outcome, std::optional<std::string> error, Time now) {
  domain::Execution& execution = found.record.execution;
  const std::optional<domain::State> state = state_after(execution, outcome);
  ensure(state.has_value());
  execution.state = *state;
  tables.changes.push_back(change_of(execution.spec, *state));
  if (is_closed(*state)) execution.closed_at = now;
  execution.error = error;
  found.attempt.ended_at = now;
  found.attempt.outcome = outcome;
  found.attempt.error = std::move(error);
}

/// The answer to a result for an attempt that has ended: a repetition is welcome, all else came too late.
AttemptAnswer answer_late(Found found, AttemptOutcome outcome) {
  const domain::Execution& execution = found.record.execution;
  if (found.attempt.outcome == outcome) return answer(AttemptAnswer::Kind::already_recorded, execution);
  found.attempt.stale_results += 1;
  return answer(AttemptAnswer::Kind::stale, execution);
}

bool is_running(const domain::Attempt& attempt) { return attempt.outcome == AttemptOutcome::running; }

}  // namespace

Outcome apply(Tables& tables, const Complete& complete, Time now) {
  const std::optional<Found> found = find_attempt(tables, complete.tenant, complete.attempt_id);
  if (!found) return AttemptAnswer{};
  if (!is_running(found->attempt)) return answer_late(*found, AttemptOutcome::completed);
  end(tables, *found, AttemptOutcome::completed, std::nullopt, now);
  found->record.execution.result = complete.result;
  return answer(AttemptAnswer::Kind::recorded, found->record.execution);
}

Outcome apply(Tables& tables, const Fail& fail, Time now) {
  const std::optional<Found> found = find_attempt(tables, fail.tenant, fail.attempt_id);
  if (!found) return AttemptAnswer{};
  if (!is_running(found->attempt)) return answer_late(*found, AttemptOutcome::failed);
  end(tables, *found, AttemptOutcome::failed, fail.error, now);
  return answer(AttemptAnswer::Kind::recorded, found->record.execution);
}

Outcome apply(Tables& tables, const Heartbeat& heartbeat, Time now) {
  const std::optional<Found> found = find_attempt(tables, heartbeat.tenant, heartbeat.attempt_id);
  if (!found) return AttemptAnswer{};
  const domain::Execution& execution = found->record.execution;
  if (!is_running(found->attempt)) return answer(AttemptAnswer::Kind::stale, execution);
  found->attempt.lease_until = std::max(found->attempt.lease_until, now + heartbeat.lease);
  AttemptAnswer given = answer(AttemptAnswer::Kind::recorded, execution);
  given.lease_until = found->attempt.lease_until;
  given.should_cancel = execution.cancel_requested;
  return given;
}

Outcome apply(Tables& tables, const Cancel& cancel, Time now) {
  Record* record = find_record(tables, cancel.tenant, cancel.id);
  if (record == nullptr) return CancelAnswer{};
  domain::Execution& execution = record->execution;
  CancelAnswer given{CancelAnswer::Kind::already_closed, execution.state, execution.spec.created_by};
  if (is_closed(execution.state)) return given;
  if (const std::optional<domain::State> state = next(execution.state, domain::Event::cancelled)) {
    execution.state = *state;
    tables.changes.push_back(change_of(execution.spec, *state));
    execution.closed_at = now;
    given.kind = CancelAnswer::Kind::cancelled;
  } else {
    execution.cancel_requested = true;
    given.kind = CancelAnswer::Kind::requested;
  }
  given.state = execution.state;
  return given;
}

Outcome apply(Tables& tables, const ExpireLeases& expire, Time now) {
  std::vector<Found> ended;
  for (auto& [id, record] : tables.executions) {
    for (domain::Attempt& attempt : record.attempts) {
      if (is_running(attempt) && attempt.lease_until <= now) ended.push_back({record, attempt});
    }
  }
  std::vector<Found*> oldest_first;
  for (Found& found : ended) oldest_first.push_back(&found);
  std::stable_sort(oldest_first.begin(), oldest_first.end(), [](const Found* left, const Found* right) {
    return left->attempt.lease_until < right->attempt.lease_until;
  });
  const std::size_t max = static_cast<std::size_t>(expire.max);
  if (oldest_first.size() > max) oldest_first.resize(max);

  LeasesExpired expired;
  for (const Found* found : oldest_first) {
    end(tables, *found, AttemptOutcome::lease_ended, lease_ended_error(found->attempt), now);
  }
  expired.more = oldest_first.size() == max;
  return expired;
}

}  // namespace semel::store::memory
