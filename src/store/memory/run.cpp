#include "store/common/run_rows.hpp"

#include "base/ensure.hpp"
#include "domain/workflow/code/names.hpp"
#include "store/common/plans.hpp"
#include "store/memory/tables.hpp"

/// What happens to runs: decided by the domain, carried out here (ADR 0010).
namespace semel::store::memory {
namespace {

using domain::State;

/// A run of the tables, as decisions about it see it.
class Rows final : public RunRows {
 public:
  Rows(Tables& tables, const TenantAndId& id, Time now)
      : tables_(tables), id_(id), record_(tables.executions.at(id)), run_(tables.runs.at(id)), now_(now) {
    loaded.spec = record_.execution.spec;
    loaded.graph = tables.plans.at({id.first, run_.plan});
    loaded.facts = run_.facts;
  }

  /// Carries out what was decided about `loaded`.
  void carry_out(const domain::Decision& decision) {
    run_.facts = loaded.facts;
    store::carry_out(decision, loaded, *this);
  }

  std::string context() const override { return record_.execution.spec.context; }
  std::optional<std::string> result_of(std::size_t step) const override {
    if (is_kept_as_outcome(loaded.graph->step(step), loaded.facts.steps[step].state))
      return run_.outcomes.at(step).result;
    return task({step, std::nullopt}).execution.result;
  }
  std::vector<domain::TaskOutcome> items_of(std::size_t step) const override {
    std::vector<domain::TaskOutcome> items;
    for (std::size_t i = 0; i < loaded.facts.steps[step].items.size(); ++i) {
      const domain::Execution& execution = task({step, i}).execution;
      items.push_back({execution.state, execution.result, execution.error});
    }
    return items;
  }

  void record(const domain::HistoryEvent& event) override { add_history(tables_, id_, event, now_); }
  void keep(const domain::StepOutcome& outcome) override { run_.outcomes[outcome.step] = outcome; }
  void make(const domain::ExecutionSpec& spec, bool held) override {
    Record made;
    made.seq = ++tables_.last_seq;
    made.phase = Phase::none;
    made.execution.spec = spec;
    made.execution.created_at = now_;
    made.execution.run_at = now_;
    const auto [place, is_new] = tables_.executions.emplace(TenantAndId{spec.tenant, spec.id}, std::move(made));
    ensure(is_new);  // the facts say which tasks were made
    std::optional<domain::TaskOutcome> outcome;
    if (!held) outcome = enter_task(tables_, place->second, now_);
    tell(tables_, place->second);
    tables_.changes.back().is_new = true;
    tables_.changes.back().took_over = place->second.execution.previous.has_value();
    if (outcome) close_task(tables_, place->second, *std::move(outcome), now_);
  }
  void release(domain::ExecutionId task) override {
    Record& held = tables_.executions.at({id_.first, task});
    std::optional<domain::TaskOutcome> outcome = enter_task(tables_, held, now_);
    const domain::ExecutionSpec& spec = held.execution.spec;
    if (held.execution.state != State::pending) tell(tables_, held);
    else if (held.phase == Phase::ready) tables_.ready.push_back({spec.tenant, spec.queue, spec.handler});
    if (outcome) close_task(tables_, held, *std::move(outcome), now_);
  }
  void reopen(domain::ExecutionId task) override {
    Record& closed = tables_.executions.at({id_.first, task});
    reopen_execution(closed.execution, now_);
    std::optional<domain::TaskOutcome> outcome = enter_task(tables_, closed, now_);
    tell(tables_, closed);
    if (outcome) close_task(tables_, closed, *std::move(outcome), now_);
  }
  void cancel(domain::ExecutionId task) override {
    cancel_record(tables_, tables_.executions.at({id_.first, task}), by_force, now_);
  }
  void end(const domain::RunEnd& end) override {
    domain::Execution& execution = record_.execution;
    execution.state = *next(execution.state, event_of(end.state));
    execution.closed_at = now_;
    execution.result = end.result;
    execution.error = end.error;
    tell(tables_, record_);
  }
  domain::QueueSettings settings(const std::string& queue) override { return settings_of(tables_, id_.first, queue); }

  LoadedRun loaded;
  bool by_force = false;  // whether tasks are cancelled so

 private:
  const Record& task(domain::TaskRef ref) const {
    return tables_.executions.at({id_.first, task_id(*loaded.graph, id_.second, ref)});
  }

  Tables& tables_;
  const TenantAndId id_;
  Record& record_;
  RunRecord& run_;
  const Time now_;
};

TenantAndId id_of(const Record& record) { return {record.execution.spec.tenant, record.execution.spec.id}; }

void tell_run(Tables& tables, const domain::Execution& task, Time now) {
  const auto& step = task.spec.step;
  if (!step) return;
  if (domain::code::command_of(step->task_key)) return tell_workflow(tables, task, now);
  Rows rows(tables, {task.spec.tenant, step->run}, now);
  const std::optional<domain::TaskRef> ref = find_task(*rows.loaded.graph, step->task_key);
  ensure(ref.has_value());
  rows.carry_out(task_closed(*rows.loaded.graph, rows.loaded.facts, rows, *ref, task.state));
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

/// A closed run is open again.
void reopen_run(Tables& tables, Record& run, Time now) {
  if (is_open(run.execution.state)) return;
  claim_identity(tables, run.execution.spec);
  reopen_execution(run.execution, now);
  suspend(run, now);
  tell(tables, run);
}

}  // namespace

void add_history(Tables& tables, const TenantAndId& run, const domain::HistoryEvent& event, Time now) {
  if (const auto code = tables.workflows.find(run); code != tables.workflows.end()) {
    code->second.history.push_back({add_event(code->second.facts, event), now, event});
    return;
  }
  std::vector<HistoryEntry>& history = tables.runs.at(run).history;
  history.push_back({std::ssize(history) + 1, now, event});
}

void add_run(Tables& tables, Record& run, const domain::RunPlan& plan) {
  auto& graph = tables.plans[{run.execution.spec.tenant, plan.hash}];
  if (!graph) graph = read_plan(plan.document);
  RunRecord record;
  record.plan = plan.hash;
  record.facts.steps.resize(graph->size());
  tables.runs.emplace(id_of(run), std::move(record));
  run.phase = Phase::waiting;
}

void start_run(Tables& tables, Record& run, Time now) {
  Rows rows(tables, id_of(run), now);
  rows.carry_out(start_run(*rows.loaded.graph, rows.loaded.facts, rows));
}

void cancel_run(Tables& tables, Record& run, domain::WhyCancelled why, const Cancel& how, Time now) {
  run.execution.cancel_requested = true;
  Rows rows(tables, id_of(run), now);
  rows.by_force = how.force;
  rows.carry_out(cancel_run(*rows.loaded.graph, rows.loaded.facts, rows, {why, {how.by, how.why}, how.force}));
  settle_runs(tables, now);
}

RunAnswer retry_run(Tables& tables, const RetrySteps& retry, Time now) {
  const TenantAndId id{retry.tenant, retry.run};
  if (!tables.runs.contains(id)) return {};
  Record& run = tables.executions.at(id);
  Rows rows(tables, id, now);
  const auto steps = find_steps(*rows.loaded.graph, retry.steps);
  if (!steps) return {RunAnswer::Kind::refused, run.execution.state, std::nullopt, steps.error().message};
  const auto decision = retry_steps(*rows.loaded.graph, rows.loaded.facts, rows, *steps, {retry.by, retry.why});
  if (!decision) return {RunAnswer::Kind::refused, run.execution.state, std::nullopt, decision.error().message};
  if (const auto other = is_closed(run.execution.state) ? other_holder(tables, run.execution.spec, now) : std::nullopt)
    return {RunAnswer::Kind::identity_held, run.execution.state, other, {}};
  reopen_run(tables, run, now);
  note(tables, retry.tenant, {0, now, retry.by, "run.retry", retry.run.text()});
  rows.carry_out(*decision);
  settle_runs(tables, now);
  return {RunAnswer::Kind::done, run.execution.state, std::nullopt, {}};
}

Outcome apply(Tables& tables, const RetrySteps& retry, Time now) { return retry_run(tables, retry, now); }

Outcome apply(Tables& tables, const ResolveStep& resolve, Time now) {
  const TenantAndId id{resolve.tenant, resolve.run};
  if (!tables.runs.contains(id)) return RunAnswer{};
  const Record& run = tables.executions.at(id);
  Rows rows(tables, id, now);
  const auto refuse = [&](const Error& error) {
    return RunAnswer{RunAnswer::Kind::refused, run.execution.state, std::nullopt, error.message};
  };
  const auto step = find_steps(*rows.loaded.graph, {resolve.step});
  if (!step) return refuse(step.error());
  const auto decision = resolve_step(*rows.loaded.graph, rows.loaded.facts, rows, step->front(), resolve.result,
                                     {resolve.by, resolve.why});
  if (!decision) return refuse(decision.error());
  note(tables, resolve.tenant, {0, now, resolve.by, "run.resolve", resolve.run.text() + "/" + resolve.step});
  rows.carry_out(*decision);
  settle_runs(tables, now);
  return RunAnswer{RunAnswer::Kind::done, run.execution.state, std::nullopt, {}};
}

void settle_runs(Tables& tables, Time now) {
  while (!tables.closed.empty()) {
    const std::vector<TenantAndId> closed = std::exchange(tables.closed, {});
    for (const TenantAndId& id : closed) tell_run(tables, tables.executions.at(id).execution, now);
    for (const TenantAndId& id : closed) tell_attached(tables, id, now);
  }
}

domain::StepInput input_of(const Tables& tables, const domain::ExecutionSpec& task) {
  class Upstreams final : public UpstreamRows {
   public:
    Upstreams(const Tables& tables, TenantAndId run) : tables_(tables), run_(std::move(run)) {}
    std::string context() override { return tables_.executions.at(run_).execution.spec.context; }
    domain::TaskOutcome kept(std::size_t step) override {
      const domain::StepOutcome& outcome = tables_.runs.at(run_).outcomes.at(step);
      return {State::completed, outcome.result, outcome.error};
    }
    domain::TaskOutcome of_task(domain::ExecutionId task) override {
      const domain::Execution& execution = tables_.executions.at({run_.first, task}).execution;
      return {execution.state, execution.result, execution.error};
    }

   private:
    const Tables& tables_;
    const TenantAndId run_;
  };
  const TenantAndId id{task.tenant, task.step->run};
  const RunRecord& run = tables.runs.at(id);
  Upstreams upstreams(tables, id);
  return store::input_of(task, *tables.plans.at({task.tenant, run.plan}), run.facts, upstreams);
}

}  // namespace semel::store::memory
