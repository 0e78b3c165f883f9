#include <algorithm>
#include <deque>

#include "base/ensure.hpp"
#include "store/postgres/answer_set.hpp"

/// What time does to tasks: leases end, deadlines pass, waiting ones become due. And leases that are given back.
namespace semel::store::postgres {
namespace {

using domain::AttemptOutcome;

std::vector<TenantAndAttempt> ended_leases(Batch& batch, std::int64_t max) {
  std::vector<TenantAndAttempt> ended;
  const Rows rows = batch.connection.run(
      "SELECT a.tenant, a.id FROM attempts a WHERE a.outcome = 0 AND a.lease_until <= $1"
      " ORDER BY a.lease_until, a.tenant, a.execution_id LIMIT $2",
      batch.now, max);
  for (const Row row : rows) ended.emplace_back(row.text(0), domain::AttemptId{row.uuid(1)});
  return ended;
}

void expire_leases(AnswerSet& set, const std::vector<TenantAndAttempt>& ended, std::deque<std::string>& errors) {
  for (const auto& [tenant, id] : ended) {
    Current* const current = set.find(tenant, id);
    if (current == nullptr || current->attempt.outcome != AttemptOutcome::running) continue;
    const AttemptOutcome outcome = outcome_of_lease_end(current->of->execution, current->attempt);
    set.end(*current, {outcome}, {std::nullopt, errors.emplace_back(lease_end_error(current->attempt, outcome))});
  }
}

std::vector<TenantAndId> passed_deadlines(Batch& batch, std::int64_t max) {
  std::vector<TenantAndId> late;
  if (max <= 0) return late;
  const Rows rows = batch.connection.run(
      "SELECT e.tenant, e.id FROM executions e WHERE e.deadline IS NOT NULL AND e.state IN (0, 2) AND e.deadline <= $1"
      " ORDER BY e.deadline, e.tenant, e.id LIMIT $2",
      batch.now, max);
  for (const Row row : rows) late.emplace_back(row.text(0), domain::ExecutionId{row.uuid(1)});
  return late;
}

std::set<TenantAndQueue> keyed_queues(const std::map<TenantAndId, ExecutionRow>& rows) {
  std::set<TenantAndQueue> queues;
  for (const auto& [id, row] : rows) {
    if (row.execution.spec.concurrency_key) queues.insert(row.queue());
  }
  return queues;
}

/// A waiting task whose time has come.
struct Due {
  TenantAndId id;
  domain::ExecutionSpec spec;  // only tenant, queue, handler and concurrency_key
};

std::vector<Due> read_due(Batch& batch, std::int64_t max) {
  std::vector<Due> due;
  const Rows rows = batch.connection.run(
      "SELECT e.tenant, e.id, e.queue, e.handler, e.concurrency_key FROM executions e WHERE e.phase = 2"
      " AND e.run_at <= $1 ORDER BY e.run_at, e.tenant, e.id LIMIT $2",
      batch.now, max);
  for (const Row row : rows) {
    Due& each = due.emplace_back();
    each.id = {row.text(0), {row.uuid(1)}};
    each.spec.tenant = row.text(0);
    each.spec.queue = row.text(2);
    each.spec.handler = row.text(3);
    each.spec.concurrency_key = row.optional_text(4);
  }
  return due;
}

/// Who still waits becomes ready, or blocked where it has a key.
std::set<TenantAndId> end_waiting(Batch& batch, const std::vector<Due>& due) {
  std::vector<TenantAndId> ids;
  for (const Due& each : due) ids.push_back(each.id);
  const IdArrays wanted(ids);
  const Rows rows = batch.connection.run(
      "WITH locked AS MATERIALIZED (SELECT e.tenant, e.id FROM executions e WHERE (e.tenant, e.id) IN"
      " (SELECT * FROM unnest($1::text[], $2::uuid[])) AND e.phase = 2 ORDER BY e.tenant, e.id FOR UPDATE)"
      " UPDATE executions e SET phase = CASE WHEN e.concurrency_key IS NULL THEN 1 ELSE 2 END FROM locked l"
      " WHERE e.tenant = l.tenant AND e.id = l.id RETURNING e.tenant, e.id",
      wanted.tenants, wanted.ids);
  std::set<TenantAndId> ended;
  for (const Row row : rows) ended.insert({row.text(0), {row.uuid(1)}});
  return ended;
}

}  // namespace

void time_out(Batch& batch, const ExecutionRow& row) {
  const domain::ExecutionSpec& spec = row.execution.spec;
  const std::optional<domain::State> state = next(row.execution.state, domain::Event::deadline_passed);
  ensure(state.has_value());
  batch.connection.run(
      "UPDATE executions SET state = $3, phase = 0, closed_at = $4, error = $5 WHERE tenant = $1 AND id = $2",
      spec.tenant, spec.id, *state, batch.now, domain::deadline_error());
  batch.usages.closed(spec.tenant, spec.context.size());
  tell(batch, row.execution, *state);
  make_room(batch, spec);
}

Outcome apply(Batch& batch, const ExpireLeases& command) {
  const std::vector<TenantAndAttempt> ended = ended_leases(batch, command.max);
  const std::vector<TenantAndId> late = passed_deadlines(batch, command.max - std::ssize(ended));
  AnswerSet set(batch);
  set.read(ended);
  std::set<TenantAndQueue> queues = set.queues();
  queues.merge(keyed_queues(find_executions(batch.connection, late)));
  batch.queues.lock(queues);
  set.lock_all();
  lock_executions(batch.connection, late);
  std::deque<std::string> errors;
  expire_leases(set, ended, errors);
  set.write();
  const std::map<TenantAndId, ExecutionRow> rows = find_executions(batch.connection, late);
  for (const TenantAndId& id : late) {
    const auto row = rows.find(id);
    if (row == rows.end() || !next(row->second.execution.state, domain::Event::deadline_passed)) continue;
    if (is_late(row->second.execution, batch.now)) time_out(batch, row->second);
  }
  return LeasesExpired{std::ssize(ended) + std::ssize(late) == command.max};
}

Outcome apply(Batch& batch, const PromoteDue& command) {
  const std::vector<Due> due = read_due(batch, command.max);
  if (due.empty()) return Promoted{command.max == 0};
  std::set<TenantAndQueue> queues;
  for (const Due& each : due) {
    if (each.spec.concurrency_key) queues.emplace(each.spec.tenant, each.spec.queue);
  }
  batch.queues.lock(queues);
  const std::set<TenantAndId> ended = end_waiting(batch, due);
  for (const Due& each : due) {
    if (!ended.contains(each.id)) continue;
    bool is_ready = true;
    if (each.spec.concurrency_key) {
      set_phase(batch, {&each.id, 1}, Phase::blocked);
      is_ready = fill_places(batch, key_place(each.spec), each.id.second);
    }
    if (is_ready) batch.ready.push_back({each.spec.tenant, each.spec.queue, each.spec.handler});
  }
  return Promoted{std::ssize(due) == command.max};
}

Outcome apply(Batch& batch, const GiveBack& command) {
  GivenBack back;
  AnswerSet set(batch);
  std::vector<TenantAndAttempt> attempts;
  for (const domain::AttemptId id : command.attempt_ids) attempts.emplace_back(command.tenant, id);
  set.read(attempts);
  batch.queues.lock(set.queues());
  set.lock_all();
  for (const auto& [tenant, id] : attempts) {
    Current* const current = set.find(tenant, id);
    if (current == nullptr || current->attempt.outcome != AttemptOutcome::running) continue;
    set.give_back(*current);
    back.count += 1;
  }
  set.write();
  return back;
}

}  // namespace semel::store::postgres
