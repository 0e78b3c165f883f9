#include <algorithm>
#include <utility>

#include "base/ensure.hpp"
#include "store/postgres/closed.hpp"
#include "store/postgres/runs.hpp"
#include "store/postgres/workflows.hpp"

/// How decisions about code workflows are carried out: in memory, and noted in the book for settle_runs().
namespace semel::store::postgres {
namespace {

using domain::HistoryKind;
using domain::State;
using domain::code::Next;

/// A held workflow, as decisions about it see it.
class HeldWorkflowRows final : public WorkflowRows {
 public:
  HeldWorkflowRows(Batch& batch, HeldWorkflow& workflow, bool by_force, std::optional<Time> started = std::nullopt)
      : batch_(batch), workflow_(workflow), by_force_(by_force), started_(started) {}

  domain::QueueSettings settings(const std::string& queue) const override {
    return batch_.queues.settings({tenant(), queue});
  }

  bool has_timer(std::int64_t command) const override {
    if (workflow_.started.contains(command)) return true;
    if (workflow_.stops_timers || workflow_.stopped.contains(command)) return false;
    return !batch_.connection
                .run("SELECT 1 FROM timers t WHERE t.tenant = $1 AND t.run = $2 AND t.command = $3", tenant(), id(),
                     command)
                .empty();
  }

  std::int64_t abandoned_children() const override {
    return batch_.connection
        .run(
            "SELECT count(*) FROM executions e JOIN workflows w ON w.tenant = e.tenant AND w.id = e.id"
            " WHERE e.tenant = $1 AND e.run = $2 AND e.run IS NOT NULL AND e.state IN (0, 1, 2) AND w.abandon",
            tenant(), id())[0]
        .integer(0);
  }

  /// Of whoever sends again what was sent before, mostly many commands at once.
  std::optional<domain::HistoryEvent> recorded(std::int64_t command) const override {
    if (!recorded_) read_recorded();
    const auto found = recorded_->find(command);
    return found == recorded_->end() ? std::nullopt : std::optional(found->second);
  }
  std::optional<std::string> input_of(domain::ExecutionId child) const override {
    const auto row = find_anywhere(batch_.connection, tenant(), child);
    return row ? std::optional(row->execution.spec.context) : std::nullopt;
  }

  std::vector<std::string> signals_after(std::int64_t sequence) const override {
    std::vector<std::string> details;
    const Rows rows = batch_.connection.run(
        "SELECT h.detail FROM history h WHERE h.tenant = $1 AND h.run = $2 AND h.sequence > $3 AND h.kind = $4"
        " ORDER BY h.sequence",
        tenant(), id(), sequence, HistoryKind::signal_received);
    for (const Row row : rows) details.push_back(row.text(0));
    for (const auto& [number, event] : workflow_.history) {
      if (number > sequence && event.kind == HistoryKind::signal_received) details.push_back(event.detail);
    }
    return details;
  }

  void record(std::int64_t sequence, const domain::HistoryEvent& event) override {
    workflow_.history.emplace_back(sequence, event);
  }
  void make(const domain::code::NewChild& child) override {
    batch_.runs.made.push_back({child.spec, false, child.run_at, child.deadline, child.on_conflict, child.abandon});
  }
  void start_timer(const domain::code::NewTimer& timer) override { workflow_.started[timer.command] = timer.fire_at; }
  void stop_timer(std::int64_t command) override {
    workflow_.started.erase(command);
    workflow_.stopped.insert(command);
  }
  void stop_timers() override {
    workflow_.started.clear();
    workflow_.stops_timers = true;
  }
  void cancel(domain::ExecutionId child) override {
    batch_.runs.cancelled.emplace_back(TenantAndId{tenant(), child}, by_force_);
  }
  void cancel_children() override { batch_.runs.dropped.emplace_back(TenantAndId{tenant(), id()}, by_force_); }
  void stop_activation() override { workflow_.is_stopped = true; }
  void set_input(const std::string& input) override {
    batch_.usages.closed(tenant(), std::exchange(workflow_.context_bytes, input.size()));
    batch_.usages.opened(tenant(), input.size());
    workflow_.input = input;
  }

  void go_on(Next next, Time run_at) override {
    domain::Execution& execution = workflow_.execution;
    const bool waits = next == Next::waits;
    workflow_.phase = waits ? Phase::neither : run_at > batch_.now ? Phase::waiting : Phase::ready;
    workflow_.is_moved = true;
    execution.state = waits ? State::suspended : State::pending;
    if (!waits) execution.run_at = run_at;
    Change& change = tell(batch_, execution, execution.state);
    change.is_ready = workflow_.phase == Phase::ready;
    if (!waits) change.timer = pending_timer(workflow_.phase != Phase::waiting, run_at, execution.deadline);
    else if (!execution.cancel_requested) change.timer = execution.deadline;
    if (started_) change.timer = std::min(change.timer.value_or(*started_), *started_);
  }

  void end(const domain::RunEnd& end) override {
    domain::Execution& execution = workflow_.execution;
    workflow_.phase = Phase::neither;
    workflow_.is_moved = true;
    workflow_.sets_error = true;
    execution.state = end.state;
    execution.closed_at = batch_.now;
    execution.result = end.result;
    execution.error = end.error;
    batch_.usages.closed(tenant(), workflow_.context_bytes);
    tell(batch_, execution, end.state);
    if (execution.spec.step)
      batch_.runs.closed.push_back({{tenant(), id()}, execution.spec.step, {end.state, end.result, end.error}, false});
  }

 private:
  const std::string& tenant() const { return workflow_.loaded.spec.tenant; }
  domain::ExecutionId id() const { return workflow_.loaded.spec.id; }

  void read_recorded() const {
    recorded_.emplace();
    const auto add = [this](domain::HistoryEvent event) {
      if (const auto command = domain::code::command_recorded_by(event))
        recorded_->try_emplace(*command, std::move(event));
    };
    const Rows rows = batch_.connection.run(
        "SELECT h.kind, h.detail FROM history h WHERE h.tenant = $1 AND h.run = $2 AND h.sequence >= $3"
        " ORDER BY h.sequence",
        tenant(), id(), workflow_.loaded.facts.first_event);
    for (const Row row : rows) add({row.as<HistoryKind>(0), "", row.text(1)});
    for (const auto& [number, event] : workflow_.history) add(event);
  }

  Batch& batch_;
  HeldWorkflow& workflow_;
  const bool by_force_;
  const std::optional<Time> started_;  // the soonest timer that is being started
  mutable std::optional<std::map<std::int64_t, domain::HistoryEvent>> recorded_{};
};

}  // namespace

std::unique_ptr<WorkflowRows> rows_of(Batch& batch, HeldWorkflow& workflow, bool by_force) {
  return std::make_unique<HeldWorkflowRows>(batch, workflow, by_force);
}

void carry_out(Batch& batch, HeldWorkflow& workflow, const domain::code::Decision& decision, bool by_force) {
  HeldWorkflowRows rows(batch, workflow, by_force, timer_of_answer(decision, std::nullopt));
  workflow.is_changed = true;
  store::carry_out(decision, workflow.loaded, batch.now, rows);
}

void add_event(HeldWorkflow& workflow, const domain::HistoryEvent& event) {
  workflow.history.emplace_back(domain::code::add_event(workflow.loaded.facts, event), event);
  workflow.is_changed = true;
}

void add_workflow(Batch& batch, const domain::ExecutionSpec& spec, Time run_at, std::optional<Time> deadline,
                  bool abandon) {
  HeldWorkflow workflow;
  workflow.execution.spec = spec;
  workflow.execution.run_at = run_at;
  workflow.execution.deadline = deadline;
  workflow.loaded.spec = spec;
  workflow.context_bytes = spec.context.size();
  workflow.abandon = abandon;
  workflow.is_new = true;
  workflow.is_changed = true;
  const domain::code::Decision decision = start_workflow(workflow.loaded, run_at, batch.now);
  for (const domain::HistoryEvent& event : decision.events)
    workflow.history.emplace_back(std::ssize(workflow.history) + 1, event);
  workflow.loaded.spec.context.clear();
  workflow.execution.spec.context.clear();
  batch.runs.workflows.insert_or_assign({spec.tenant, spec.id}, std::move(workflow));
}

void cancel_workflow(Batch& batch, HeldWorkflow& workflow, const domain::CancelRequest& request) {
  workflow.is_asked = true;
  workflow.execution.cancel_requested = true;
  const HeldWorkflowRows rows(batch, workflow, request.force);
  carry_out(batch, workflow, domain::code::cancel_workflow(workflow.loaded, rows, request), request.force);
}

/// What was cut loose meanwhile is nobody's child any more; and nothing goes that has something open below.
void tell_workflow(Batch& batch, const ClosedTask& child) {
  HeldWorkflow* const workflow = hold_workflow(batch, {child.id.first, child.step->run});
  if (workflow == nullptr) throw Contention("the workflow that has begun this has gone meanwhile");
  carry_out(batch, *workflow, child_closed(workflow->loaded, child.step->task_key, child.outcome));
}

void end_activation_badly(Batch& batch, HeldWorkflow& workflow, const domain::Ending& ending,
                          std::optional<std::string_view> error) {
  domain::Execution& execution = workflow.execution;
  const domain::code::Trial trial = domain::code::next_activation(execution, ending, batch.now);
  execution.uncounted_attempts += trial.counts ? 0 : 1;
  if (trial.counts) {
    workflow.sets_error = true;
    execution.error.reset();
    if (error) execution.error = std::string(*error);
  }
  if (trial.is_late) workflow.is_asked = execution.cancel_requested = true;
  const HeldWorkflowRows rows(batch, workflow, false);
  carry_out(batch, workflow, activation_failed(workflow.loaded, rows, trial.run_at, trial.is_late));
}

}  // namespace semel::store::postgres
