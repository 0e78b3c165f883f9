#include <algorithm>
#include <deque>

#include "base/ensure.hpp"
#include "store/postgres/answer_set.hpp"
#include "store/postgres/runs.hpp"
#include "store/postgres/workflows.hpp"

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
      "SELECT e.tenant, e.id FROM executions e WHERE e.deadline IS NOT NULL AND e.state IN (0, 2)"
      " AND NOT e.cancel_requested AND e.deadline <= $1 ORDER BY e.deadline, e.tenant, e.id LIMIT $2",
      batch.now, max);
  for (const Row row : rows) late.emplace_back(row.text(0), domain::ExecutionId{row.uuid(1)});
  return late;
}

/// Late executions, before they are locked.
struct Late {
  std::set<TenantAndQueue> queues{};   // of tasks with a concurrency_key
  std::vector<TenantAndId> runs{};     // themselves
  std::set<TenantAndId> workflows{};   // too
  Owners owners{};                     // of tasks and promises
  std::vector<TenantAndId> awaited{};  // that tasks of runs are attached to
};

Late look_at(const std::map<TenantAndId, ExecutionRow>& rows) {
  Late late;
  for (const auto& [id, row] : rows) {
    const domain::ExecutionSpec& spec = row.execution.spec;
    if (spec.step) late.owners.add(id.first, *spec.step);
    if (is_code(spec)) late.workflows.insert(id);
    else if (spec.kind == domain::Kind::workflow) late.runs.push_back(id);
    else if (spec.concurrency_key) late.queues.insert(row.queue());
    if (row.awaited) late.awaited.push_back(id);
  }
  return late;
}

/// A waiting task whose time has come.
struct Due {
  TenantAndId id;
  domain::ExecutionSpec spec;  // only kind, tenant, queue, handler and concurrency_key

  bool is_run() const { return spec.kind == domain::Kind::workflow && !is_code(spec); }
};

std::vector<Due> read_due(Batch& batch, std::int64_t max) {
  std::vector<Due> due;
  const Rows rows = batch.connection.run(
      "SELECT e.tenant, e.id, e.queue, e.handler, e.concurrency_key, e.kind FROM executions e WHERE e.phase = 2"
      " AND e.run_at <= $1 ORDER BY e.run_at, e.tenant, e.id LIMIT $2",
      batch.now, max);
  for (const Row row : rows) {
    Due& each = due.emplace_back();
    each.id = {row.text(0), {row.uuid(1)}};
    each.spec.tenant = row.text(0);
    each.spec.queue = row.text(2);
    each.spec.handler = row.text(3);
    each.spec.concurrency_key = row.optional_text(4);
    each.spec.kind = row.as<domain::Kind>(5);
  }
  return due;
}

/// The run's time has come.
void begin(Batch& batch, const TenantAndId& id) {
  const std::optional<ExecutionRow> row = find_execution(batch.connection, id.first, id.second);
  ensure(row.has_value());
  tell(batch, row->execution, domain::State::suspended).timer = row->execution.deadline;
  start_run(batch, id);
}

std::set<TenantAndId> workflows_of(std::span<const DueTimer> timers) {
  std::set<TenantAndId> workflows;
  for (const DueTimer& timer : timers) workflows.insert(timer.workflow);
  return workflows;
}

/// What was decided in this transaction is newer than the row.
void time_out_workflow(Batch& batch, const ExecutionRow& row) {
  HeldWorkflow* const workflow = hold_workflow(batch, row.id());
  if (workflow == nullptr) throw StoreFault("a workflow has no facts");
  observe(*workflow, row.execution);
  if (workflow->is_closed() || workflow->execution.cancel_requested) return;
  cancel_workflow(batch, *workflow, {domain::WhyCancelled::deadline, {}, false});
}

/// Who still waits becomes ready, or blocked where it has a key; runs begin.
std::set<TenantAndId> end_waiting(Batch& batch, const std::vector<Due>& due) {
  std::vector<TenantAndId> ids;
  for (const Due& each : due) ids.push_back(each.id);
  if (ids.empty()) return {};
  const IdArrays wanted(ids);
  const Rows rows = batch.connection.run(
      "WITH locked AS MATERIALIZED (SELECT e.tenant, e.id FROM executions e WHERE (e.tenant, e.id) IN"
      " (SELECT * FROM unnest($1::text[], $2::uuid[])) AND e.phase = 2 ORDER BY e.tenant, e.id FOR UPDATE)"
      " UPDATE executions e SET phase = CASE WHEN e.kind = 1 AND " SEMEL_NO_WORKFLOW_HANDLER
      " THEN 0 WHEN e.concurrency_key IS NULL THEN 1 ELSE 2 END"
      " FROM locked l"
      " WHERE e.tenant = l.tenant AND e.id = l.id RETURNING e.tenant, e.id",
      wanted.tenants, wanted.ids);
  std::set<TenantAndId> ended;
  for (const Row row : rows) ended.insert({row.text(0), {row.uuid(1)}});
  return ended;
}

}  // namespace

void time_out(Batch& batch, const ExecutionRow& row) {
  const domain::ExecutionSpec& spec = row.execution.spec;
  if (is_code(spec)) return time_out_workflow(batch, row);
  if (spec.kind == domain::Kind::workflow) return cancel_run(batch, row, domain::WhyCancelled::deadline, {});
  const std::optional<domain::State> state = next(row.execution.state, domain::Event::deadline_passed);
  ensure(state.has_value());
  const domain::TaskOutcome outcome{*state, std::nullopt, domain::deadline_error(spec.kind)};
  if (spec.step && row.execution.state == domain::State::suspended) detach(batch, spec);
  batch.connection.run(
      "UPDATE executions SET state = $3, phase = 0, closed_at = $4, error = $5 WHERE tenant = $1 AND id = $2",
      spec.tenant, spec.id, *state, batch.now, outcome.error);
  batch.usages.closed(spec.tenant, spec.context.size());
  tell(batch, row.execution, *state);
  make_room(batch, spec);
  has_closed(batch, row, outcome);
}

Outcome apply(Batch& batch, const ExpireLeases& command) {
  const std::vector<TenantAndAttempt> ended = ended_leases(batch, command.max);
  const std::vector<TenantAndId> late = passed_deadlines(batch, command.max - std::ssize(ended));
  AnswerSet set(batch);
  set.read(ended);
  std::set<TenantAndQueue> queues = set.queues();
  Late seen = look_at(find_executions(batch.connection, late));
  queues.merge(seen.queues);
  Owners owners = owners_attached_to(batch, seen.awaited);
  std::vector<TenantAndId> runs(owners.runs.begin(), owners.runs.end());
  queues.merge(queues_of(batch, runs));
  runs.insert(runs.end(), seen.runs.begin(), seen.runs.end());
  owners.workflows.merge(seen.owners.workflows);
  batch.queues.lock(queues);
  set.lock_runs();
  lock_before_cancelling(batch, runs);
  lock_before_cancelling_code(batch, seen.workflows);
  hold_workflows(batch, owners.workflows);
  set.lock_all();
  lock_executions(batch.connection, late);
  std::deque<std::string> errors;
  expire_leases(set, ended, errors);
  set.write();
  std::map<TenantAndId, ExecutionRow> rows = find_executions(batch.connection, late);
  for (const TenantAndId& id : late) {
    const auto row = rows.find(id);
    if (row == rows.end() || !next(row->second.execution.state, domain::Event::deadline_passed)) continue;
    if (row->second.execution.cancel_requested || !is_late(row->second.execution, batch.now)) continue;
    time_out(batch, row->second);
    if (!is_code(row->second.execution.spec)) continue;
    do_what_is_noted(batch);  // what it has begun may be late too, and has ended by that
    rows = find_executions(batch.connection, late);
  }
  return LeasesExpired{std::ssize(ended) + std::ssize(late) == command.max};
}

Outcome apply(Batch& batch, const PromoteDue& command) {
  const std::vector<Due> due = read_due(batch, command.max);
  const std::vector<DueTimer> timers = read_due_timers(batch, command.max - std::ssize(due));
  const std::int64_t count = std::ssize(due) + std::ssize(timers);
  if (count == 0) return Promoted{command.max == 0};
  std::set<TenantAndQueue> queues;
  std::vector<TenantAndId> runs;
  for (const Due& each : due) {
    if (each.is_run()) runs.push_back(each.id);
    else if (each.spec.concurrency_key) queues.emplace(each.spec.tenant, each.spec.queue);
  }
  queues.merge(queues_of(batch, runs));
  batch.queues.lock(queues);
  hold_runs(batch, runs);
  hold_workflows(batch, workflows_of(timers));
  const std::set<TenantAndId> ended = end_waiting(batch, due);
  for (const Due& each : due) {
    if (!ended.contains(each.id)) continue;
    if (each.is_run()) {
      begin(batch, each.id);
      continue;
    }
    bool is_ready = true;
    if (each.spec.concurrency_key) {
      set_phase(batch, {&each.id, 1}, Phase::blocked);
      is_ready = fill_places(batch, key_place(each.spec), each.id.second);
    }
    if (is_ready) batch.ready.push_back({each.spec.tenant, each.spec.queue, each.spec.handler});
  }
  fire_timers(batch, timers);
  return Promoted{count == command.max};
}

Outcome apply(Batch& batch, const GiveBack& command) {
  GivenBack back;
  AnswerSet set(batch);
  std::vector<TenantAndAttempt> attempts;
  for (const domain::AttemptId id : command.attempt_ids) attempts.emplace_back(command.tenant, id);
  set.read(attempts);
  batch.queues.lock(set.queues());
  set.lock_runs();
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
