#include <algorithm>
#include <utility>

#include "base/ensure.hpp"
#include "store/postgres/places.hpp"
#include "store/postgres/runs.hpp"
#include "store/postgres/workflows.hpp"

/// How tasks of runs, and what code workflows begin, are made, released, opened again and cancelled: all of a kind
/// together, where no key is involved.
namespace semel::store::postgres {
namespace {

using domain::State;
using domain::TaskOutcome;

bool has_key(const domain::ExecutionSpec& spec) { return spec.identity.mode != domain::Mode::none; }

Change& tell_entered(Batch& batch, const ExecutionRow& row) {
  Change& change = tell(batch, row.execution, row.execution.state);
  const bool is_pending = row.execution.state == State::pending;
  change.is_ready = is_pending && row.phase == Phase::ready;
  change.timer = row.execution.deadline;
  if (is_pending && row.phase == Phase::waiting)
    change.timer = pending_timer(false, row.execution.run_at, row.execution.deadline);
  return change;
}

void tell_made(Batch& batch, const ExecutionRow& row) {
  Change& change = tell_entered(batch, row);
  change.is_new = true;
  change.took_over = row.execution.previous.has_value();
}

/// Those whose keys nobody has get them, and are named.
std::set<TenantAndId> claim_keys(Batch& batch, const std::vector<NewTask>& made) {
  std::set<TenantAndId> claimed;
  Array tenants(Type::text), hashes(Type::bytes), ids(Type::uuid);
  for (const NewTask& task : made) {
    if (task.held || !has_key(task.spec)) continue;
    tenants.add(task.spec.tenant);
    hashes.add(task.spec.identity.hash);
    ids.add(task.spec.id);
  }
  if (ids.size() == 0) return claimed;
  const Rows rows = batch.connection.run(
      "INSERT INTO identities (tenant, hash, execution_id) SELECT b.tenant, b.hash, b.id"
      " FROM unnest($1::text[], $2::bytea[], $3::uuid[]) WITH ORDINALITY AS b (tenant, hash, id, arrival)"
      " ORDER BY b.tenant COLLATE \"C\", b.hash, b.arrival ON CONFLICT (tenant, hash) DO NOTHING"
      " RETURNING tenant, execution_id",
      tenants, hashes, ids);
  for (const Row row : rows) claimed.insert({row.text(0), {row.uuid(1)}});
  return claimed;
}

/// The phase of a task that has its key, if it has one; nothing where others with its concurrency_key decide that.
std::optional<Phase> settled_phase(const ExecutionRow& row, Time now) {
  if (row.execution.spec.kind == domain::Kind::promise) return Phase::neither;
  if (row.execution.run_at > now) return Phase::waiting;
  return row.execution.spec.concurrency_key ? std::nullopt : std::optional(Phase::ready);
}

ExecutionRow row_of(const NewTask& task, Time now) {
  ExecutionRow row;
  row.execution.spec = task.spec;
  row.execution.created_at = now;
  row.execution.run_at = task.run_at;
  row.execution.deadline = task.deadline;
  return row;
}

/// It is made without the key, which another has.
void part_from_key(Batch& batch, ExecutionRow& row, domain::ExecutionId holder) {
  domain::ExecutionSpec& spec = row.execution.spec;
  add_history(batch, spec, domain::code::key_conflict_event(spec, holder));
  spec.identity = {};
  batch.connection.run(
      "UPDATE executions SET identity_mode = $3, strategy = $4, scope = $5, hash = NULL WHERE tenant = $1 AND id = $2",
      spec.tenant, spec.id, spec.identity.mode, spec.identity.strategy, spec.identity.scope);
}

/// A task with its row, which has its key, if it has one, and is in no queue yet.
void enter_place(Batch& batch, ExecutionRow& row) {
  lock_place(batch, row.execution.spec);
  const TenantAndId id = row.id();
  set_phase(batch, {&id, 1}, Phase::blocked);
  row.phase = fill_places(batch, key_place(row.execution.spec), id.second) ? Phase::ready : Phase::blocked;
}

/// One task after the other: with keys, the order says who gets what.
void resume(Batch& batch, ExecutionRow& row, void (*tell_of)(Batch&, const ExecutionRow&),
            domain::code::KeyConflict on_conflict = domain::code::KeyConflict::attach) {
  const std::optional<TaskOutcome> outcome = enter_task(batch, row, on_conflict);
  tell_of(batch, row);
  if (outcome) close_task(batch, row, *outcome);
}

void tell_released(Batch& batch, const ExecutionRow& row) {
  const domain::ExecutionSpec& spec = row.execution.spec;
  if (row.execution.state != State::pending) tell_entered(batch, row);
  else if (row.phase == Phase::ready) batch.ready.push_back({spec.tenant, spec.queue, spec.handler});
}

void tell_resumed(Batch& batch, const ExecutionRow& row) {
  if (row.execution.state == State::pending) tell_entered(batch, row);
}

void tell_reopened(Batch& batch, const ExecutionRow& row) { tell_entered(batch, row); }

void write_reopened_tasks(Batch& batch, std::span<const ExecutionRow> rows) {
  if (rows.empty()) return;
  Array tenants(Type::text), ids(Type::uuid), phases(Type::integer), uncounted(Type::integer);
  for (const ExecutionRow& row : rows) {
    tenants.add(row.execution.spec.tenant);
    ids.add(row.execution.spec.id);
    phases.add(row.phase);
    uncounted.add(row.execution.uncounted_attempts);
  }
  batch.connection.run(
      "UPDATE executions e SET state = 0, phase = b.phase, order_at = $5 - (e.run_at - e.order_at), run_at = $5,"
      " uncounted_attempts = b.uncounted, closed_at = NULL, result = NULL, error = NULL, released_at = NULL,"
      " progress = NULL, progress_message = NULL, cancel_requested = false, awaited = false"
      " FROM unnest($1::text[], $2::uuid[], $3::bigint[], $4::bigint[]) AS b (tenant, id, phase, uncounted)"
      " WHERE e.tenant = b.tenant AND e.id = b.id",
      tenants, ids, phases, uncounted, batch.now);
}

/// The rows in the order of the ids, locked.
std::vector<ExecutionRow> lock_tasks(Batch& batch, std::span<const TenantAndId> ids) {
  lock_executions(batch.connection, ids);
  std::map<TenantAndId, ExecutionRow> found = find_executions(batch.connection, ids);
  std::vector<ExecutionRow> rows;
  for (const TenantAndId& id : ids) {
    ensure(found.contains(id));  // the facts say which tasks were made
    rows.push_back(std::move(found.at(id)));
  }
  return rows;
}

}  // namespace

void make_tasks(Batch& batch) {
  const std::vector<NewTask> made = std::exchange(batch.runs.made, {});
  if (made.empty()) return;
  const std::set<TenantAndId> claimed = claim_keys(batch, made);
  std::vector<NewRow> inserted;
  std::vector<ExecutionRow> rows;
  std::vector<bool> is_settled;
  for (const NewTask& task : made) {
    rows.push_back(row_of(task, batch.now));
    const bool got_key = !has_key(task.spec) || claimed.contains({task.spec.tenant, task.spec.id});
    const std::optional<Phase> phase = task.held || !got_key ? std::nullopt : settled_phase(rows.back(), batch.now);
    rows.back().phase = phase.value_or(Phase::neither);
    inserted.push_back({&task.spec, task.run_at, rows.back().phase, std::nullopt, task.deadline});
    is_settled.push_back(task.held || phase);
  }
  insert_tasks(batch, inserted);
  for (std::size_t i = 0; i < made.size(); ++i) {
    ExecutionRow& row = rows[i];
    batch.usages.opened(made[i].spec.tenant, made[i].spec.context.size());
    if (is_settled[i]) tell_made(batch, row);
    else resume(batch, row, tell_made, made[i].on_conflict);
    if (is_code(made[i].spec) && row.execution.state == State::pending)
      add_workflow(batch, row.execution.spec, made[i].run_at, made[i].deadline, made[i].abandon);
  }
}

void release_tasks(Batch& batch) {
  const std::vector<TenantAndId> released = std::exchange(batch.runs.released, {});
  if (released.empty()) return;
  const IdArrays ids(released);
  const Rows rows = batch.connection.run(
      "UPDATE executions e SET phase = 1 FROM unnest($1::text[], $2::uuid[]) AS u (tenant, id)"
      " WHERE e.tenant = u.tenant AND e.id = u.id AND e.hash IS NULL AND e.concurrency_key IS NULL"
      " RETURNING e.tenant, e.id, e.queue, e.handler",
      ids.tenants, ids.ids);
  std::set<TenantAndId> done;
  for (const Row row : rows) {
    done.insert({row.text(0), {row.uuid(1)}});
    batch.ready.push_back({row.text(0), row.text(2), row.text(3)});
  }
  std::vector<TenantAndId> keyed;
  for (const TenantAndId& id : released) {
    if (!done.contains(id)) keyed.push_back(id);
  }
  for (ExecutionRow& row : lock_tasks(batch, keyed)) resume(batch, row, tell_released);
}

void reopen_tasks(Batch& batch) {
  const std::vector<TenantAndId> reopened = std::exchange(batch.runs.reopened, {});
  if (reopened.empty()) return;
  std::vector<ExecutionRow> plain;
  for (ExecutionRow& row : lock_tasks(batch, reopened)) {
    reopen_execution(row.execution, batch.now);
    row.awaited = false;
    batch.usages.opened(row.execution.spec.tenant, row.execution.spec.context.size());
    const bool is_plain = !has_key(row.execution.spec) && !row.execution.spec.concurrency_key;
    row.phase = is_plain ? Phase::ready : Phase::neither;
    if (is_plain) {
      plain.push_back(std::move(row));
      continue;
    }
    write_reopened_tasks(batch, {&row, 1});
    resume(batch, row, tell_reopened);
  }
  write_reopened_tasks(batch, plain);
  for (const ExecutionRow& row : plain) tell_reopened(batch, row);
}

std::optional<TaskOutcome> enter_task(Batch& batch, ExecutionRow& row, domain::code::KeyConflict on_conflict) {
  domain::Execution& execution = row.execution;
  domain::ExecutionSpec& spec = execution.spec;
  KeyAnswered answered;
  if (has_key(spec)) answered = ask_for_key(batch, row, on_conflict);
  if (answered.holder) part_from_key(batch, row, *answered.holder);
  const bool enters = answered.answer == domain::KeyAnswer::claim || answered.answer == domain::KeyAnswer::apart;
  if (enters && execution.state == State::suspended) execution.state = *next(execution.state, domain::Event::resumed);
  if (!enters && execution.state == State::pending) execution.state = *next(execution.state, domain::Event::suspended);
  if (answered.previous) execution.previous = answered.previous;
  const std::optional<Phase> phase = enters ? settled_phase(row, batch.now) : Phase::neither;
  row.phase = phase.value_or(Phase::neither);
  batch.connection.run("UPDATE executions SET state = $3, phase = $4, previous = $5 WHERE tenant = $1 AND id = $2",
                       spec.tenant, spec.id, execution.state, row.phase, execution.previous);
  if (!phase) enter_place(batch, row);
  return answered.outcome;
}

void close_task(Batch& batch, ExecutionRow& row, const TaskOutcome& outcome) {
  domain::Execution& execution = row.execution;
  execution.state = outcome.state;
  batch.connection.run(
      "UPDATE executions SET state = $3, phase = 0, closed_at = $4, result = $5, error = $6"
      " WHERE tenant = $1 AND id = $2",
      execution.spec.tenant, execution.spec.id, execution.state, batch.now, outcome.result, outcome.error);
  batch.usages.closed(execution.spec.tenant, execution.spec.context.size());
  tell(batch, execution, execution.state);
  has_closed(batch, row, outcome);
}

void detach(Batch& batch, const domain::ExecutionSpec& task) {
  batch.connection.run("DELETE FROM attachments WHERE tenant = $1 AND id = $2", task.tenant, task.id);
}

void tell_attached(Batch& batch, const TenantAndId& closed) {
  const Rows attached = batch.connection.run(
      "DELETE FROM attachments a WHERE a.tenant = $1 AND a.holder = $2 RETURNING a.id", closed.first, closed.second);
  std::vector<TenantAndId> ids;
  for (const Row row : attached) ids.emplace_back(closed.first, domain::ExecutionId{row.uuid(0)});
  if (ids.empty()) return;
  std::sort(ids.begin(), ids.end());
  Owners owners;
  for (const auto& [id, row] : find_executions(batch.connection, ids)) owners.add(id.first, *row.execution.spec.step);
  hold_owners(batch, owners);
  const std::optional<ExecutionRow> holder = find_execution(batch.connection, closed.first, closed.second);
  for (ExecutionRow& row : lock_tasks(batch, ids)) {
    if (row.execution.state != State::suspended) continue;
    const bool is_promise = row.execution.spec.kind == domain::Kind::promise;  // it comes to whatever the other came to
    if (holder && (is_promise || holder->execution.state == State::completed))
      close_task(batch, row, {holder->execution.state, holder->execution.result, holder->execution.error});
    else resume(batch, row, tell_resumed);
  }
}

}  // namespace semel::store::postgres
