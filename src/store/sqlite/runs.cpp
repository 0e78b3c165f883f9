#include <algorithm>

#include "domain/workflow/code/names.hpp"
#include "store/sqlite/audit.hpp"
#include "store/sqlite/child_entry.hpp"
#include "store/sqlite/inner.hpp"
#include "store/sqlite/open_run.hpp"
#include "store/sqlite/open_workflow.hpp"

namespace semel::store {
namespace sqlite {
namespace {

bool same_run(const ClosedTask& one, const ClosedTask& other) {
  return one.tenant_id == other.tenant_id && one.step && other.step && one.step->run == other.step->run;
}

/// Tasks of one run that follow each other are told for one reading and one writing of it.
void tell_runs(Batch& batch, const std::vector<ClosedTask>& closed) {
  for (std::size_t i = 0; i < closed.size();) {
    std::size_t end = i + 1;
    while (end < closed.size() && same_run(closed[i], closed[end])) ++end;
    if (closed[i].step && domain::code::command_of(closed[i].step->task_key)) {
      OpenWorkflow workflow(batch, closed[i].tenant_id, closed[i].tenant, closed[i].step->run);
      for (std::size_t each = i; each < end; ++each) workflow.child_closed(closed[each]);
      workflow.save();
    } else if (closed[i].step) {
      OpenRun run(batch, closed[i].tenant_id, closed[i].tenant, closed[i].step->run);
      for (std::size_t each = i; each < end; ++each) run.task_closed(closed[each]);
      run.save();
    }
    i = end;
  }
}

std::vector<domain::ExecutionId> attached_to(Batch& batch, const ClosedTask& closed) {
  std::vector<domain::ExecutionId> tasks;
  Scoped query = batch.connection.use(
      "SELECT id FROM attachments INDEXED BY attachments_by_holder WHERE tenant_id = ?1 AND holder = ?2 ORDER BY id");
  query->bind(1, closed.tenant_id).bind(2, closed.id.uuid);
  while (query->step()) tasks.push_back({query->uuid(0)});
  return tasks;
}

/// The task goes on by itself.
void resume(Batch& batch, const ClosedTask& closed, ExecutionRow& task) {
  const domain::StepOf& step = *task.execution.spec.step;
  if (domain::code::command_of(step.task_key)) {
    OpenWorkflow workflow(batch, closed.tenant_id, closed.tenant, step.run);
    workflow.resume(task);
    workflow.save();
    return;
  }
  OpenRun run(batch, closed.tenant_id, closed.tenant, step.run);
  run.resume(task);
  run.save();
}

/// Those that are attached to a task that has closed get its result, or go on without it.
void tell_attached(Batch& batch, const ClosedTask& closed) {
  const std::vector<domain::ExecutionId> tasks = attached_to(batch, closed);
  if (tasks.empty()) return;
  const auto holder = find_by_id(batch.connection, closed.tenant, closed.tenant_id, closed.id);
  for (const domain::ExecutionId id : tasks) {
    detach(batch, closed.tenant_id, id);
    auto task = find_by_id(batch.connection, closed.tenant, closed.tenant_id, id);
    const domain::ExecutionSpec& spec = task->execution.spec;
    const bool decides = closed.state == domain::State::completed || spec.kind == domain::Kind::promise;
    if (decides)
      close_child(batch, closed.tenant_id, *task, {closed.state, holder->execution.result, holder->execution.error});
    else resume(batch, closed, *task);
  }
}

/// A closed run is open again. Who holds its identity has been asked.
void reopen_run(Batch& batch, std::int64_t tenant_id, ExecutionRow& run) {
  domain::Execution& execution = run.execution;
  if (is_open(execution.state)) return;
  if (const auto other = other_holder(batch, tenant_id, execution.spec)) hand_over(batch, tenant_id, *other);
  reopen_execution(execution, batch.now);
  execution.state = domain::State::suspended;
  if (!execution.started_at) execution.started_at = batch.now;
  write_reopened(batch, run, Phase::neither);
  reclaim(batch, tenant_id, run);
  batch.usages.opened(tenant_id, execution.spec.context.size());
  tell(batch, execution, execution.state).timer = execution.deadline;
}

Result<std::vector<std::size_t>> find_steps(const domain::Graph& graph, const std::vector<std::string>& names) {
  std::vector<std::size_t> steps;
  for (const std::string& name : names) {
    const std::optional<std::size_t> step = graph.find(name);
    if (!step) return bad_request("the run has no step '{}'", name);
    steps.push_back(*step);
  }
  return steps;
}

RunAnswer refused(const ExecutionRow& run, const Error& error) {
  return {RunAnswer::Kind::refused, run.execution.state, std::nullopt, error.message};
}

RunAnswer done(Batch& batch, std::int64_t tenant_id, const ExecutionRow& run) {
  settle_runs(batch);
  const domain::ExecutionSpec& spec = run.execution.spec;
  const auto now = find_by_id(batch.connection, spec.tenant, tenant_id, spec.id);
  return {RunAnswer::Kind::done, now->execution.state, std::nullopt, {}};
}

/// Who holds the identity of a closed run, and does not give it away.
std::optional<domain::ExecutionId> rival(Batch& batch, std::int64_t tenant_id, const domain::Execution& run) {
  if (is_open(run.state)) return std::nullopt;
  const auto other = other_holder(batch, tenant_id, run.spec);
  if (!other || takes_over(decide(other->holder(), domain::Reuse::reject_duplicate, batch.now))) return std::nullopt;
  return other->holder().id;
}

}  // namespace

void has_closed(Batch& batch, std::int64_t tenant_id, const domain::Execution& execution, domain::State state,
                bool awaited, const Outputs& outputs) {
  const domain::ExecutionSpec& spec = execution.spec;
  if (!spec.step && !awaited) return;
  ClosedTask& closed = batch.closed.emplace_back();
  closed = {spec.tenant, tenant_id, spec.id, spec.step, state, awaited, {state, std::nullopt, std::nullopt}};
  if (!spec.step || !domain::code::command_of(spec.step->task_key)) return;
  closed.outcome.result = outputs.result;
  closed.outcome.error = outputs.error;
}

void settle_runs(Batch& batch) {
  while (!batch.closed.empty()) {
    const std::vector<ClosedTask> closed = std::exchange(batch.closed, {});
    tell_runs(batch, closed);
    for (const ClosedTask& each : closed) {
      if (each.awaited) tell_attached(batch, each);
    }
  }
}

void cancel_run(Batch& batch, std::int64_t tenant_id, const ExecutionRow& run, domain::WhyCancelled why,
                const Cancel& how) {
  batch.begin_writing();
  batch.connection.use("UPDATE executions SET cancel_requested = 1 WHERE seq = ?1")->bind(1, run.seq).run();
  OpenRun open(batch, tenant_id, run.execution.spec.tenant, run.execution.spec.id);
  open.by_force = how.force;
  open.carry_out(cancel_run(*open.loaded.graph, open.loaded.facts, open, {why, {how.by, how.why}, how.force}));
  open.save();
  settle_runs(batch);
}

RunAnswer retry_run(Batch& batch, const RetrySteps& command) {
  const auto tenant_id = batch.tenants.find(command.tenant);
  if (!tenant_id) return {};
  OpenRun open(batch, *tenant_id, command.tenant, command.run);
  if (!open.exists()) return {};
  auto run = find_by_id(batch.connection, command.tenant, *tenant_id, command.run);
  const auto steps = find_steps(*open.loaded.graph, command.steps);
  if (!steps) return refused(*run, steps.error());
  const auto decision = retry_steps(*open.loaded.graph, open.loaded.facts, open, *steps, {command.by, command.why});
  if (!decision) return refused(*run, decision.error());
  if (const auto other = rival(batch, *tenant_id, run->execution))
    return {RunAnswer::Kind::identity_held, run->execution.state, other, {}};
  batch.begin_writing();
  write_audit(batch, *tenant_id, command.by, "run.retry", command.run.text());
  reopen_run(batch, *tenant_id, *run);
  OpenRun again(batch, *tenant_id, command.tenant, command.run);
  again.loaded.facts = open.loaded.facts;
  again.carry_out(*decision);
  again.save();
  return done(batch, *tenant_id, *run);
}

Outcome apply(Batch& batch, const RetrySteps& command) { return retry_run(batch, command); }

Outcome apply(Batch& batch, const ResolveStep& command) {
  const auto tenant_id = batch.tenants.find(command.tenant);
  if (!tenant_id) return RunAnswer{};
  OpenRun open(batch, *tenant_id, command.tenant, command.run);
  if (!open.exists()) return RunAnswer{};
  const auto run = find_by_id(batch.connection, command.tenant, *tenant_id, command.run);
  const auto step = find_steps(*open.loaded.graph, {command.step});
  if (!step) return refused(*run, step.error());
  const auto decision = resolve_step(*open.loaded.graph, open.loaded.facts, open, step->front(), command.result,
                                     {command.by, command.why});
  if (!decision) return refused(*run, decision.error());
  batch.begin_writing();
  write_audit(batch, *tenant_id, command.by, "run.resolve", command.run.text() + "/" + command.step);
  open.carry_out(*decision);
  open.save();
  return done(batch, *tenant_id, *run);
}

void remove_run(Batch& batch, std::int64_t tenant_id, domain::ExecutionId id) {
  Hash32 plan{};
  {
    Scoped query = batch.connection.use("SELECT plan FROM runs WHERE tenant_id = ?1 AND id = ?2");
    query->bind(1, tenant_id).bind(2, id.uuid);
    if (!query->step()) return;
    plan = query->hash(0);
  }
  const auto remove = [&](std::string_view literal) {
    batch.connection.use(literal)->bind(1, tenant_id).bind(2, id.uuid).run();
  };
  remove("DELETE FROM runs WHERE tenant_id = ?1 AND id = ?2");
  remove("DELETE FROM outcomes WHERE tenant_id = ?1 AND run = ?2");
  remove("DELETE FROM history WHERE tenant_id = ?1 AND run = ?2");
  batch.connection
      .use(
          "DELETE FROM plans WHERE tenant_id = ?1 AND hash = ?2"
          " AND NOT EXISTS (SELECT 1 FROM runs WHERE tenant_id = ?1 AND plan = ?2)")
      ->bind(1, tenant_id)
      .bind(2, plan)
      .run();
}

}  // namespace sqlite
}  // namespace semel::store
