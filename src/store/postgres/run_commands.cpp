#include "base/ensure.hpp"
#include "store/postgres/reopen.hpp"
#include "store/postgres/runs.hpp"
#include "store/postgres/workflows.hpp"

/// How runs begin, and what people do to them.
namespace semel::store::postgres {
namespace {

using domain::State;

Result<std::vector<std::size_t>> find_steps(const domain::Graph& graph, const std::vector<std::string>& names) {
  std::vector<std::size_t> steps;
  for (const std::string& name : names) {
    const std::optional<std::size_t> step = graph.find(name);
    if (!step) return bad_request("the run has no step '{}'", name);
    steps.push_back(*step);
  }
  return steps;
}

/// A run that is locked by hand, with its execution.
struct LockedRun {
  HeldRun* held = nullptr;
  ExecutionRow row{};
};

/// Nothing when there is no such run. Its identity is locked first, since it may be opened again.
std::optional<LockedRun> lock_run(Batch& batch, const TenantAndId& id) {
  settle_runs(batch);  // what was decided before
  const std::optional<ExecutionRow> seen = find_execution(batch.connection, id.first, id.second);
  const bool is_run = seen && seen->execution.spec.kind == domain::Kind::workflow && !is_code(seen->execution.spec);
  if (!is_run) return std::nullopt;
  const TenantAndHash identity{id.first, seen->execution.spec.identity.hash};
  if (seen->execution.spec.identity.mode != domain::Mode::none) lock_identities(batch.connection, {&identity, 1});
  if (seen->execution.spec.concurrency_key) batch.queues.lock(queues_of(batch, {&id, 1}));
  HeldRun* const held = hold_run(batch, id);
  std::optional<ExecutionRow> row = lock_execution(batch.connection, id.first, id.second);
  if (held == nullptr || !row) throw Contention("the run was removed meanwhile");
  held->state = row->execution.state;
  return LockedRun{held, *std::move(row)};
}

RunAnswer refused(const HeldRun& run, const Error& error) {
  return {RunAnswer::Kind::refused, run.state, std::nullopt, error.message};
}

/// A closed run is open again, and waits for its tasks.
void open_again(Batch& batch, HeldRun& run, domain::Execution& execution) {
  reopen_execution(execution, batch.now);
  execution.state = *next(execution.state, domain::Event::suspended);
  write_reopened(batch, execution, Phase::neither);
  batch.connection.run("UPDATE executions SET started_at = coalesce(started_at, $3) WHERE tenant = $1 AND id = $2",
                       execution.spec.tenant, execution.spec.id, batch.now);
  batch.usages.opened(execution.spec.tenant, execution.spec.context.size());
  run.state = execution.state;
  tell(batch, execution, execution.state).timer = execution.deadline;
}

}  // namespace

void add_run(Batch& batch, const Submit& command, bool begins) {
  const TenantAndId id{command.spec.tenant, command.spec.id};
  HeldRun run;
  run.loaded.spec = command.spec;
  run.loaded.spec.context.clear();
  run.loaded.graph = batch.plans.get(command.plan->hash, [&] { return command.plan->document; });
  run.loaded.facts.steps.resize(run.loaded.graph->size());
  run.plan = command.plan->hash;
  run.state = begins ? State::suspended : State::pending;
  run.context_bytes = command.spec.context.size();
  run.context = command.spec.context;
  run.is_keyed = is_keyed(run.loaded);
  run.is_new = true;
  run.is_changed = true;
  batch.runs.documents.try_emplace({id.first, run.plan}, command.plan->document);
  batch.runs.held.insert_or_assign(id, std::move(run));
  if (begins) start_run(batch, id);
}

void start_run(Batch& batch, const TenantAndId& id) {
  HeldRun* const run = hold_run(batch, id);
  if (run == nullptr) throw StoreFault("a run has no facts");
  batch.runs.begun.push_back(id);
  run->state = State::suspended;
  const auto rows = rows_of(batch, *run);
  carry_out(batch, *run, domain::start_run(*run->loaded.graph, run->loaded.facts, *rows));
  if (run->is_keyed) settle_runs(batch);
}

void cancel_run(Batch& batch, const ExecutionRow& row, domain::WhyCancelled why, const Cancel& how) {
  const TenantAndId id = row.id();
  HeldRun* const run = hold_run(batch, id);
  if (run == nullptr) throw StoreFault("a run has no facts");
  run->state = row.execution.state;
  batch.connection.run("UPDATE executions SET cancel_requested = true WHERE tenant = $1 AND id = $2", id.first,
                       id.second);
  const auto rows = rows_of(batch, *run, how.force);
  const domain::Decision decision =
      domain::cancel_run(*run->loaded.graph, run->loaded.facts, *rows, {why, {how.by, how.why}, how.force});
  carry_out(batch, *run, decision, how.force);
  settle_runs(batch);
}

RunAnswer retry_run(Batch& batch, const RetrySteps& command) {
  std::optional<LockedRun> locked = lock_run(batch, {command.tenant, command.run});
  if (!locked) return {};
  HeldRun& run = *locked->held;
  const auto steps = find_steps(*run.loaded.graph, command.steps);
  if (!steps) return refused(run, steps.error());
  const domain::RunFacts before = run.loaded.facts;
  const auto rows = rows_of(batch, run);
  const auto decision =
      domain::retry_steps(*run.loaded.graph, run.loaded.facts, *rows, *steps, {command.by, command.why});
  if (!decision) {
    run.loaded.facts = before;
    return refused(run, decision.error());
  }
  domain::Execution& execution = locked->row.execution;
  if (domain::is_closed(execution.state)) {
    const bool has_identity = execution.spec.identity.mode != domain::Mode::none;
    if (const auto other = has_identity ? reclaim(batch, execution.spec) : std::nullopt) {
      run.loaded.facts = before;
      return {RunAnswer::Kind::identity_held, execution.state, other, {}};
    }
    open_again(batch, run, execution);
  }
  write_audit(batch, command.tenant, command.by, "run.retry", command.run.text());
  carry_out(batch, run, *decision);
  settle_runs(batch);
  return {RunAnswer::Kind::done, run.state, std::nullopt, {}};
}

Outcome apply(Batch& batch, const RetrySteps& command) { return retry_run(batch, command); }

Outcome apply(Batch& batch, const ResolveStep& command) {
  const std::optional<LockedRun> locked = lock_run(batch, {command.tenant, command.run});
  if (!locked) return RunAnswer{};
  HeldRun& run = *locked->held;
  const auto step = find_steps(*run.loaded.graph, {command.step});
  if (!step) return refused(run, step.error());
  const domain::RunFacts before = run.loaded.facts;
  const auto rows = rows_of(batch, run);
  const auto decision = domain::resolve_step(*run.loaded.graph, run.loaded.facts, *rows, step->front(), command.result,
                                             {command.by, command.why});
  if (!decision) {
    run.loaded.facts = before;
    return refused(run, decision.error());
  }
  write_audit(batch, command.tenant, command.by, "run.resolve", command.run.text() + "/" + command.step);
  carry_out(batch, run, *decision);
  settle_runs(batch);
  return RunAnswer{RunAnswer::Kind::done, run.state, std::nullopt, {}};
}

}  // namespace semel::store::postgres
