#include <algorithm>
#include <utility>

#include "base/ensure.hpp"
#include "store/postgres/runs.hpp"
#include "store/postgres/workflows.hpp"

/// How decisions about runs are carried out: in memory, and noted in the book for settle_runs().
namespace semel::store::postgres {
namespace {

using domain::TaskOutcome;

/// A held run, as decisions about it see it.
class HeldRunRows final : public RunRows {
 public:
  HeldRunRows(Batch& batch, HeldRun& run, bool by_force) : batch_(batch), run_(run), by_force_(by_force) {}

  std::string context() const override {
    if (!run_.context) {
      const Rows rows = batch_.connection.run("SELECT e.context FROM executions e WHERE e.tenant = $1 AND e.id = $2",
                                              tenant(), run_.loaded.spec.id);
      run_.context = rows[0].text(0);
    }
    return *run_.context;
  }

  std::optional<std::string> result_of(std::size_t step) const override {
    if (is_kept_as_outcome(graph().step(step), facts().steps[step].state)) return kept(step);
    if (run_.results.empty() && is_over()) read_results();
    if (const auto known = run_.results.find(step); known != run_.results.end()) return known->second;
    return outcomes_of({task_id(graph(), run_.loaded.spec.id, {step, std::nullopt})}).at(0).result;
  }

  std::vector<TaskOutcome> items_of(std::size_t step) const override {
    std::vector<domain::ExecutionId> ids;
    for (std::size_t i = 0; i < facts().steps[step].items.size(); ++i)
      ids.push_back(task_id(graph(), run_.loaded.spec.id, {step, i}));
    return outcomes_of(ids);
  }

  void record(const domain::HistoryEvent& event) override { run_.history.push_back(event); }
  void keep(const domain::StepOutcome& outcome) override {
    run_.outcomes[outcome.step] = outcome;
    run_.unwritten.insert(outcome.step);
  }
  void make(const domain::ExecutionSpec& task, bool held) override {
    batch_.runs.made.push_back({task, held, batch_.now});
  }
  void release(domain::ExecutionId task) override { batch_.runs.released.emplace_back(tenant(), task); }
  void reopen(domain::ExecutionId task) override { batch_.runs.reopened.emplace_back(tenant(), task); }
  void cancel(domain::ExecutionId task) override {
    batch_.runs.cancelled.emplace_back(TenantAndId{tenant(), task}, by_force_);
  }
  void end(const domain::RunEnd& end) override {
    run_.end = end;
    run_.state = end.state;
    run_.results.clear();
    domain::Execution ended;
    ended.spec = run_.loaded.spec;
    batch_.usages.closed(tenant(), run_.context_bytes);
    if (keeps_nothing(batch_, run_)) note_leaving();
    tell(batch_, ended, end.state);
  }
  domain::QueueSettings settings(const std::string& queue) override {
    return batch_.queues.settings({tenant(), queue});
  }

 private:
  const std::string& tenant() const { return run_.loaded.spec.tenant; }
  const domain::Graph& graph() const { return *run_.loaded.graph; }
  const domain::RunFacts& facts() const { return run_.loaded.facts; }

  /// Then the results of all steps are asked for.
  bool is_over() const {
    return std::all_of(facts().steps.begin(), facts().steps.end(),
                       [](const domain::StepFacts& step) { return is_closed(step.state); });
  }

  void read_results() const {
    std::vector<std::size_t> steps;
    std::vector<domain::ExecutionId> ids;
    for (std::size_t step = 0; step < graph().size(); ++step) {
      const domain::StepState state = facts().steps[step].state;
      if (!has_succeeded(state) || is_kept_as_outcome(graph().step(step), state)) continue;
      steps.push_back(step);
      ids.push_back(task_id(graph(), run_.loaded.spec.id, {step, std::nullopt}));
    }
    std::vector<TaskOutcome> outcomes = outcomes_of(ids);
    for (std::size_t i = 0; i < steps.size(); ++i) run_.results[steps[i]] = std::move(outcomes[i].result);
  }

  std::optional<std::string> kept(std::size_t step) const {
    if (const auto known = run_.outcomes.find(step); known != run_.outcomes.end()) return known->second.result;
    const Rows rows =
        batch_.connection.run("SELECT o.result FROM outcomes o WHERE o.tenant = $1 AND o.run = $2 AND o.step = $3",
                              tenant(), run_.loaded.spec.id, graph().step(step).name);
    return rows.empty() ? std::nullopt : rows[0].optional_text(0);
  }

  std::vector<TaskOutcome> outcomes_of(const std::vector<domain::ExecutionId>& tasks) const {
    std::vector<TaskOutcome> outcomes;
    Array ids(Type::uuid);
    for (const domain::ExecutionId task : tasks) ids.add(task);
    const Rows rows = batch_.connection.run(
        "SELECT e.state, e.result, e.error FROM unnest($2::uuid[]) WITH ORDINALITY AS u (id, place)"
        " JOIN executions e ON e.tenant = $1 AND e.id = u.id ORDER BY u.place",
        tenant(), ids);
    ensure(std::cmp_equal(rows.count(), tasks.size()));  // the facts say which tasks were made
    for (const Row row : rows)
      outcomes.push_back({row.as<domain::State>(0), row.optional_text(1), row.optional_text(2)});
    return outcomes;
  }

  /// Its tasks that the same command has closed go with it, and whoever waits for them is to be told.
  void note_leaving() const {
    for (std::size_t i = batch_.command_began; i < batch_.changes.size(); ++i) {
      const Change& change = batch_.changes[i];
      const auto task = batch_.runs.tasks.find({change.tenant, change.id});
      if (!domain::is_closed(change.state) || task == batch_.runs.tasks.end()) continue;
      if (change.tenant == tenant() && task->second == run_.loaded.spec.id) batch_.runs.leaving.insert(task->first);
    }
  }

  Batch& batch_;
  HeldRun& run_;
  const bool by_force_;
};

bool has_notes(const RunBook& book) {
  return !book.made.empty() || !book.released.empty() || !book.reopened.empty() || !book.cancelled.empty() ||
         !book.dropped.empty();
}

}  // namespace

/// A workflow that is cancelled notes what is to become of its own children.
void do_what_is_noted(Batch& batch) {
  while (has_notes(batch.runs)) {
    make_tasks(batch);
    release_tasks(batch);
    reopen_tasks(batch);
    drop_children(batch);
    cancel_tasks(batch);
  }
}

namespace {

void tell_run(Batch& batch, const ClosedTask& task) {
  if (is_of_code(*task.step)) return tell_workflow(batch, task);
  HeldRun* const run = hold_run(batch, {task.id.first, task.step->run});
  if (run == nullptr) throw StoreFault("the run of a task is missing");
  const std::optional<domain::TaskRef> ref = find_task(*run->loaded.graph, task.step->task_key);
  ensure(ref.has_value());
  HeldRunRows rows(batch, *run, false);
  const domain::Decision decision = task_closed(*run->loaded.graph, run->loaded.facts, rows, *ref, task.outcome.state);
  run->is_changed = true;
  store::carry_out(decision, run->loaded, rows);
  if (run->is_keyed) do_what_is_noted(batch);
}

}  // namespace

bool keeps_nothing(Batch& batch, const HeldRun& run) {
  const domain::ExecutionSpec& spec = run.loaded.spec;
  return batch.queues.settings({spec.tenant, spec.queue}).run_retention <= Duration{0};
}

std::unique_ptr<RunRows> rows_of(Batch& batch, HeldRun& run, bool by_force) {
  return std::make_unique<HeldRunRows>(batch, run, by_force);
}

void carry_out(Batch& batch, HeldRun& run, const domain::Decision& decision, bool by_force) {
  HeldRunRows rows(batch, run, by_force);
  run.is_changed = true;
  store::carry_out(decision, run.loaded, rows);
}

void has_closed(Batch& batch, const ExecutionRow& row, domain::TaskOutcome outcome) {
  const domain::ExecutionSpec& spec = row.execution.spec;
  if (spec.step || row.awaited) batch.runs.closed.push_back({row.id(), spec.step, std::move(outcome), row.awaited});
}

void settle_runs(Batch& batch) {
  RunBook& book = batch.runs;
  while (has_notes(book) || !book.closed.empty()) {
    const std::vector<ClosedTask> closed = std::exchange(book.closed, {});
    for (const ClosedTask& task : closed) {
      if (task.step) tell_run(batch, task);
    }
    do_what_is_noted(batch);
    for (const ClosedTask& task : closed) {
      if (task.awaited) tell_attached(batch, task.id);
    }
  }
  write_runs(batch);
  write_workflows(batch);
}

bool is_keyed(const LoadedRun& run) {
  const std::vector<domain::Step>& steps = run.graph->steps();
  return run.spec.concurrency_key || std::any_of(steps.begin(), steps.end(), [](const domain::Step& step) {
           return step.idempotency_key.has_value();
         });
}

}  // namespace semel::store::postgres
