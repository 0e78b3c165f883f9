#include <utility>

#include "store/postgres/runs.hpp"
#include "store/postgres/workflows.hpp"

/// How tasks of runs, and what code workflows have begun, are cancelled: thousands at once, where a fan-out is.
namespace semel::store::postgres {
namespace {

/// What is written of those that end, and of those whose workers are asked.
struct Cancelling {
  std::vector<TenantAndId> ended{};
  std::vector<TenantAndId> running{};   // of those
  std::vector<TenantAndId> attached{};  // too
  std::vector<TenantAndId> asked{};
};

void write_cancelled(Batch& batch, const Cancelling& tasks) {
  if (!tasks.running.empty()) {
    const IdArrays ids(tasks.running);
    batch.connection.run(
        "UPDATE attempts a SET ended_at = $3, outcome = $4 FROM unnest($1::text[], $2::uuid[]) AS u (tenant, id)"
        " WHERE a.tenant = u.tenant AND a.execution_id = u.id AND a.outcome = 0",
        ids.tenants, ids.ids, batch.now, domain::AttemptOutcome::cancelled);
  }
  if (!tasks.attached.empty()) {
    const IdArrays ids(tasks.attached);
    batch.connection.run(
        "DELETE FROM attachments a USING unnest($1::text[], $2::uuid[]) AS u (tenant, id)"
        " WHERE a.tenant = u.tenant AND a.id = u.id",
        ids.tenants, ids.ids);
  }
  if (!tasks.ended.empty()) {
    const IdArrays ids(tasks.ended);
    batch.connection.run(
        "UPDATE executions e SET state = $4, phase = 0, closed_at = $3 FROM unnest($1::text[], $2::uuid[])"
        " AS u (tenant, id) WHERE e.tenant = u.tenant AND e.id = u.id",
        ids.tenants, ids.ids, batch.now, domain::State::cancelled);
  }
  if (!tasks.asked.empty()) {
    const IdArrays ids(tasks.asked);
    batch.connection.run(
        "UPDATE executions e SET cancel_requested = true FROM unnest($1::text[], $2::uuid[]) AS u (tenant, id)"
        " WHERE e.tenant = u.tenant AND e.id = u.id",
        ids.tenants, ids.ids);
  }
}

/// A workflow that another has begun, unless what was decided before has ended it.
void cancel_child(Batch& batch, const ExecutionRow& row, bool by_force) {
  HeldWorkflow* const child = hold_workflow(batch, row.id());
  if (child == nullptr) throw StoreFault("a workflow has no facts");
  observe(*child, row.execution);
  if (!child->is_closed()) cancel_workflow(batch, *child, {domain::WhyCancelled::asked_for, {}, by_force});
}

}  // namespace

/// What code has begun may have ended by itself; and a number may be that of something else.
void cancel_tasks(Batch& batch) {
  const std::vector<std::pair<TenantAndId, bool>> cancelled = std::exchange(batch.runs.cancelled, {});
  if (cancelled.empty()) return;
  std::vector<TenantAndId> ids;
  for (const auto& [id, by_force] : cancelled) ids.push_back(id);
  lock_executions(batch.connection, ids);
  const std::map<TenantAndId, ExecutionRow> rows = find_executions(batch.connection, ids);
  Cancelling tasks;
  std::set<TenantAndId> done;
  for (const auto& [id, by_force] : cancelled) {
    const auto found = rows.find(id);
    if (found == rows.end() || domain::is_closed(found->second.execution.state) || !done.insert(id).second) continue;
    const ExecutionRow& row = found->second;
    if (is_code(row.execution.spec)) {
      cancel_child(batch, row, by_force);
      continue;
    }
    if (row.execution.spec.concurrency_key) {  // the next with the key may be the next of these
      cancel_execution(batch, row, by_force);
      continue;
    }
    const domain::State before = row.execution.state;
    const auto state = next(before, by_force ? domain::Event::cancelled_by_force : domain::Event::cancelled);
    (state ? tasks.ended : tasks.asked).push_back(id);
    if (!state) continue;
    if (before == domain::State::running) tasks.running.push_back(id);
    if (before == domain::State::suspended) tasks.attached.push_back(id);
    batch.usages.closed(id.first, row.execution.spec.context.size());
    tell(batch, row.execution, *state);
    has_closed(batch, row, {*state, std::nullopt, std::nullopt});
  }
  write_cancelled(batch, tasks);
}

}  // namespace semel::store::postgres
