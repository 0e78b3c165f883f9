#include <algorithm>

#include "base/ensure.hpp"
#include "store/sqlite/batch.hpp"

namespace semel::store::sqlite {
namespace {

using domain::AttemptOutcome;

/// An attempt with what its execution says about it.
struct Current {
  std::int64_t seq = 0;
  domain::Attempt attempt;
  domain::Execution execution;  // only state, cancel_requested
  Change change;                // its next state is not known yet
};

std::optional<Current> find_attempt(Batch& batch, const std::string& tenant, domain::AttemptId id) {
  const auto tenant_id = batch.tenants.find(tenant);
  if (!tenant_id) return std::nullopt;
  Scoped query = batch.connection.use(
      "SELECT a.seq, a.number, a.worker, a.lease_until, a.outcome, e.id, e.state, e.cancel_requested, e.queue,"
      " e.handler, coalesce(e.namespace, ''), coalesce(e.name, '')"
      " FROM attempts a JOIN executions e ON e.seq = a.seq WHERE a.id = ?1 AND a.tenant_id = ?2");
  query->bind(1, id.uuid).bind(2, *tenant_id);
  if (!query->step()) return std::nullopt;
  Current current;
  current.seq = query->integer(0);
  current.attempt.id = id;
  current.attempt.number = query->small(1);
  current.attempt.worker = query->text(2);
  current.attempt.lease_until = query->time(3);
  current.attempt.outcome = static_cast<AttemptOutcome>(query->integer(4));
  current.execution.state = static_cast<domain::State>(query->integer(6));
  current.execution.cancel_requested = query->integer(7) != 0;
  current.change = {tenant,         {query->uuid(5)}, current.execution.state, query->text(8),
                    query->text(9), query->text(10),  query->text(11),         false};
  return current;
}

struct Ending {
  AttemptOutcome outcome;
  std::optional<std::string_view> result = std::nullopt;
  std::optional<std::string_view> error = std::nullopt;
};

domain::State end(Batch& batch, Current& current, const Ending& ending) {
  const std::optional<domain::State> state = domain::state_after(current.execution, ending.outcome);
  ensure(state.has_value());  // an attempt that runs belongs to an execution that runs
  batch.begin_writing();
  batch.connection.use("UPDATE attempts SET ended_at = ?2, outcome = ?3, error = ?4 WHERE id = ?1")
      ->bind(1, current.attempt.id.uuid)
      .bind(2, batch.now)
      .bind(3, static_cast<std::int64_t>(ending.outcome))
      .bind(4, ending.error)
      .run();
  batch.connection.use("UPDATE executions SET state = ?2, closed_at = ?3, result = ?4, error = ?5 WHERE seq = ?1")
      ->bind(1, current.seq)
      .bind(2, static_cast<std::int64_t>(*state))
      .bind(3, batch.now)
      .bind(4, ending.result)
      .bind(5, ending.error)
      .run();
  batch.usages.closed(batch.connection, current.seq);
  current.change.state = *state;
  batch.changes.push_back(std::move(current.change));
  return *state;
}

void count_stale_result(Batch& batch, const Current& current) {
  batch.begin_writing();
  batch.connection.use("UPDATE attempts SET stale_results = stale_results + 1 WHERE id = ?1")
      ->bind(1, current.attempt.id.uuid)
      .run();
}

/// Only the current attempt ends its task; saying the same again is told so; anything else is stale, and counted.
Outcome answer(Batch& batch, const std::string& tenant, domain::AttemptId id, const Ending& ending) {
  AttemptAnswer answered;
  std::optional<Current> current = find_attempt(batch, tenant, id);
  if (!current) return answered;
  answered.execution_id = current->change.id;
  answered.state = current->execution.state;
  if (current->attempt.outcome == AttemptOutcome::running) {
    answered.kind = AttemptAnswer::Kind::recorded;
    answered.state = end(batch, *current, ending);
  } else if (current->attempt.outcome == ending.outcome) {
    answered.kind = AttemptAnswer::Kind::already_recorded;
  } else {
    count_stale_result(batch, *current);
  }
  return answered;
}

}  // namespace

Outcome apply(Batch& batch, const Complete& command) {
  Ending ending{AttemptOutcome::completed};
  if (command.result) ending.result = *command.result;
  return answer(batch, command.tenant, command.attempt_id, ending);
}

Outcome apply(Batch& batch, const Fail& command) {
  return answer(batch, command.tenant, command.attempt_id, {AttemptOutcome::failed, std::nullopt, command.error});
}

Outcome apply(Batch& batch, const Heartbeat& command) {
  AttemptAnswer answered;
  const std::optional<Current> current = find_attempt(batch, command.tenant, command.attempt_id);
  if (!current) return answered;
  answered.execution_id = current->change.id;
  answered.state = current->execution.state;
  if (current->attempt.outcome != AttemptOutcome::running) return answered;
  answered.kind = AttemptAnswer::Kind::recorded;
  answered.lease_until = std::max(current->attempt.lease_until, batch.now + command.lease);
  answered.should_cancel = current->execution.cancel_requested;
  batch.begin_writing();
  batch.connection.use("UPDATE attempts SET lease_until = ?2 WHERE id = ?1")
      ->bind(1, command.attempt_id.uuid)
      .bind(2, answered.lease_until)
      .run();
  return answered;
}

Outcome apply(Batch& batch, const ExpireLeases& command) {
  LeasesExpired expired;
  std::vector<std::pair<std::string, domain::AttemptId>> ended;
  {
    Scoped query = batch.connection.use(
        "SELECT id, tenant_id FROM attempts WHERE outcome = 0 AND lease_until <= ?1 ORDER BY lease_until LIMIT ?2");
    query->bind(1, batch.now).bind(2, std::int64_t{command.max});
    while (query->step())
      ended.emplace_back(batch.tenants.name_of(query->integer(1)), domain::AttemptId{query->uuid(0)});
  }
  for (const auto& [tenant, id] : ended) {
    std::optional<Current> current = find_attempt(batch, tenant, id);
    ensure(current.has_value());
    const std::string error = domain::lease_ended_error(current->attempt);
    end(batch, *current, {AttemptOutcome::lease_ended, std::nullopt, error});
  }
  expired.more = ended.size() == static_cast<std::size_t>(command.max);
  return expired;
}

std::vector<domain::Attempt> read_attempts(Connection& connection, std::int64_t tenant_id, domain::ExecutionId id) {
  std::vector<domain::Attempt> attempts;
  Scoped query = connection.use(
      "SELECT a.id, a.number, a.worker, a.started_at, a.lease_until, a.ended_at, a.outcome, a.error, a.stale_results"
      " FROM executions e JOIN attempts a ON a.seq = e.seq WHERE e.tenant_id = ?1 AND e.id = ?2 ORDER BY a.number");
  query->bind(1, tenant_id).bind(2, id.uuid);
  while (query->step()) {
    domain::Attempt& attempt = attempts.emplace_back();
    attempt.id = {query->uuid(0)};
    attempt.execution_id = id;
    attempt.number = query->small(1);
    attempt.worker = query->text(2);
    attempt.started_at = query->time(3);
    attempt.lease_until = query->time(4);
    attempt.ended_at = query->optional_time(5);
    attempt.outcome = static_cast<AttemptOutcome>(query->integer(6));
    attempt.error = query->optional_text(7);
    attempt.stale_results = query->small(8);
  }
  return attempts;
}

}  // namespace semel::store::sqlite
