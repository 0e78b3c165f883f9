#include "base/ensure.hpp"
#include "store/sqlite/child_entry.hpp"
#include "store/sqlite/open_run.hpp"

/// How the tasks of a run are made, released, opened again and cancelled.
namespace semel::store::sqlite {

using domain::State;

AddEvent OpenRun::recorder() {
  return [this](const domain::HistoryEvent& event) { record(event); };
}

void OpenRun::make(const domain::ExecutionSpec& task, bool held) {
  ChildEntry entry;
  entry.superseded = task.identity.mode != domain::Mode::none;
  if (!held) entry = enter_child(batch_, tenant_id_, task, batch_.now);
  NewRow row{batch_.last_seq + 1, tenant_id_, batch_.now, batch_.now, entry.phase, entry.previous};
  row.state = entry.state;
  row.superseded = entry.superseded;
  insert_execution(batch_.connection, row, task);
  batch_.last_seq = row.seq;
  batch_.usages.opened(tenant_id_, task.context.size());
  if (task.identity.mode != domain::Mode::none && !entry.superseded)
    batch_.identities.stage({tenant_id_, task.identity.hash}, row.seq);
  settle_entry(batch_, tenant_id_, task, entry, recorder());
  Change change = change_of(task, entry.state);
  change.is_new = true;
  change.took_over = entry.previous.has_value();
  change.is_ready = entry.phase == Phase::ready;
  batch_.changes.push_back(std::move(change));
  if (entry.outcome) close_child(batch_, tenant_id_, task_row(task.id), *entry.outcome);
}

ExecutionRow OpenRun::task_row(domain::ExecutionId task) const {
  std::optional<ExecutionRow> row = find_by_id(batch_.connection, loaded.spec.tenant, tenant_id_, task);
  ensure(row.has_value());  // the facts say which tasks were made
  return *std::move(row);
}

void OpenRun::release(domain::ExecutionId id) {
  ExecutionRow task = task_row(id);
  const domain::ExecutionSpec& spec = task.execution.spec;
  const ChildEntry entry = enter_child(batch_, tenant_id_, spec, batch_.now);
  write_entry(batch_, tenant_id_, task, entry, recorder());
  if (entry.state != State::pending) tell(batch_, task.execution, entry.state);
  else if (entry.phase == Phase::ready) batch_.ready.push_back({spec.tenant, spec.queue, spec.handler});
  task.execution.state = entry.state;
  if (entry.outcome) close_child(batch_, tenant_id_, task, *entry.outcome);
}

void OpenRun::reopen(domain::ExecutionId id) {
  ExecutionRow task = task_row(id);
  reopen_execution(task.execution, batch_.now);
  const ChildEntry entry = enter_child(batch_, tenant_id_, task.execution.spec, batch_.now);
  task.execution.state = entry.state;
  write_reopened(batch_, task, entry.phase, entry.superseded);
  write_entry(batch_, tenant_id_, task, entry, recorder());
  batch_.usages.opened(tenant_id_, task.execution.spec.context.size());
  tell(batch_, task.execution, entry.state).is_ready = entry.phase == Phase::ready;
  if (entry.outcome) close_child(batch_, tenant_id_, task, *entry.outcome);
}

void OpenRun::cancel(domain::ExecutionId id) { cancel_row(batch_, tenant_id_, task_row(id), by_force); }

}  // namespace semel::store::sqlite
