#include <algorithm>

#include "base/ensure.hpp"
#include "domain/workflow/code/cut_loose.hpp"
#include "store/memory/workflow_rows.hpp"

/// What happens to code workflows: decided by the domain, carried out here (ADR 0018).
namespace semel::store::memory {
namespace {

using domain::State;
using domain::code::Next;

/// In the order in which they were made.
std::vector<Record*> open_children(Tables& tables, const TenantAndId& workflow) {
  std::vector<Record*> open;
  for (const TenantAndId& id : tasks_of_run(tables, workflow)) {
    Record& child = tables.executions.at(id);
    if (is_open(child.execution.state)) open.push_back(&child);
  }
  std::sort(open.begin(), open.end(), [](const Record* one, const Record* other) { return one->seq < other->seq; });
  return open;
}

}  // namespace

CodeRows::CodeRows(Tables& tables, const Record& workflow, Time now)
    : tables_(tables),
      id_(workflow.execution.spec.tenant, workflow.execution.spec.id),
      record_(tables.executions.at(id_)),
      kept_(tables.workflows.at(id_)),
      now_(now) {
  loaded.spec = record_.execution.spec;
  loaded.state = record_.execution.state;
  loaded.facts = kept_.facts;
}

void CodeRows::carry_out(const domain::code::Decision& decision) {
  kept_.facts = loaded.facts;  // what is added to the history on the way is counted there
  started_ = timer_of_answer(decision, std::nullopt);
  store::carry_out(decision, loaded, now_, *this);
}

domain::QueueSettings CodeRows::settings(const std::string& queue) const {
  return settings_of(tables_, id_.first, queue);
}

bool CodeRows::has_timer(std::int64_t command) const { return kept_.timers.contains(command); }

std::int64_t CodeRows::abandoned_children() const {
  const std::vector<Record*> children = open_children(tables_, id_);
  return std::count_if(children.begin(), children.end(), [&](const Record* child) {
    const WorkflowRecord* workflow = find_workflow(tables_, child->execution.spec);
    return workflow != nullptr && workflow->abandon;
  });
}

std::optional<domain::HistoryEvent> CodeRows::recorded(std::int64_t command) const {
  for (const HistoryEntry& entry : kept_.history) {
    if (domain::code::command_recorded_by(entry.event) == command) return entry.event;
  }
  return std::nullopt;
}

std::optional<std::string> CodeRows::input_of(domain::ExecutionId child) const {
  const Record* const record = find_record(tables_, id_.first, child);
  return record == nullptr ? std::nullopt : std::optional(record->execution.spec.context);
}

std::vector<std::string> CodeRows::signals_after(std::int64_t sequence) const {
  std::vector<std::string> details;
  for (const HistoryEntry& entry : kept_.history) {
    const bool is_signal = entry.event.kind == domain::HistoryKind::signal_received;
    if (is_signal && entry.sequence > sequence) details.push_back(entry.event.detail);
  }
  return details;
}

void CodeRows::record(std::int64_t sequence, const domain::HistoryEvent& event) {
  ensure(sequence == std::ssize(kept_.history) + 1);
  kept_.history.push_back({sequence, now_, event});
}

void CodeRows::make(const domain::code::NewChild& child) {
  Record made;
  made.seq = ++tables_.last_seq;
  made.phase = Phase::none;
  made.execution.spec = child.spec;
  made.execution.created_at = now_;
  made.execution.run_at = child.run_at;
  made.execution.deadline = child.deadline;
  const auto [place, is_new] = tables_.executions.emplace(TenantAndId{id_.first, child.spec.id}, std::move(made));
  ensure(is_new);  // numbers of commands are never used again
  Record& stored = place->second;
  std::optional<domain::TaskOutcome> outcome = enter_task(tables_, stored, now_, child.on_conflict);
  const bool runs = stored.execution.state == State::pending;
  if (child.spec.kind == domain::Kind::workflow && runs) add_workflow(tables_, stored, child.abandon, now_);
  tell(tables_, stored);
  tables_.changes.back().is_new = true;
  tables_.changes.back().took_over = stored.execution.previous.has_value();
  if (outcome) close_task(tables_, stored, *std::move(outcome), now_);
}

void CodeRows::start_timer(const domain::code::NewTimer& timer) { kept_.timers[timer.command] = timer.fire_at; }
void CodeRows::stop_timer(std::int64_t command) { kept_.timers.erase(command); }
void CodeRows::stop_timers() { kept_.timers.clear(); }

void CodeRows::cancel(domain::ExecutionId child) {
  Record* record = find_record(tables_, id_.first, child);
  if (record != nullptr && is_open(record->execution.state)) cancel_record(tables_, *record, by_force, now_);
}

void CodeRows::cancel_children() {
  for (Record* child : open_children(tables_, id_)) {
    WorkflowRecord* workflow = find_workflow(tables_, child->execution.spec);
    if (workflow == nullptr || !workflow->abandon) {
      cancel_record(tables_, *child, by_force, now_);
      continue;
    }
    child->execution.spec.step.reset();
    cut_loose(kept_.facts, 1);
  }
}

void CodeRows::stop_activation() {
  record_.attempts.back().ended_at = now_;
  record_.attempts.back().outcome = domain::AttemptOutcome::cancelled;
}

void CodeRows::set_input(const std::string& input) { record_.execution.spec.context = input; }

void CodeRows::go_on(Next next, Time run_at) {
  domain::Execution& execution = record_.execution;
  execution.state = next == Next::waits ? State::suspended : State::pending;
  record_.phase = Phase::none;
  if (next != Next::waits) {
    execution.run_at = run_at;
    enter_queue(tables_, record_, now_);
  }
  tell(tables_, record_);
  Change& change = tables_.changes.back();
  if (started_) change.timer = std::min(change.timer.value_or(*started_), *started_);
}

void CodeRows::end(const domain::RunEnd& end) {
  domain::Execution& execution = record_.execution;
  execution.state = end.state;
  record_.phase = Phase::none;
  execution.closed_at = now_;
  execution.result = end.result;
  execution.error = end.error;
  tell(tables_, record_);
  has_closed(tables_, record_);
}

WorkflowRecord* find_workflow(Tables& tables, const domain::ExecutionSpec& spec) {
  if (spec.kind != domain::Kind::workflow) return nullptr;
  const auto found = tables.workflows.find({spec.tenant, spec.id});
  return found == tables.workflows.end() ? nullptr : &found->second;
}

void add_workflow(Tables& tables, Record& workflow, bool abandon, Time now) {
  const domain::Execution& execution = workflow.execution;
  WorkflowRecord record;
  record.abandon = abandon;
  tables.workflows.emplace(TenantAndId{execution.spec.tenant, execution.spec.id}, std::move(record));
  CodeRows rows(tables, workflow, now);
  rows.carry_out(start_workflow(rows.loaded, execution.run_at, now));
}

void cancel_workflow(Tables& tables, Record& workflow, const domain::CancelRequest& request, Time now) {
  workflow.execution.cancel_requested = true;
  CodeRows rows(tables, workflow, now);
  rows.by_force = request.force;
  rows.carry_out(cancel_workflow(rows.loaded, rows, request));
}

void tell_workflow(Tables& tables, const domain::Execution& child, Time now) {
  const domain::StepOf& step = *child.spec.step;
  CodeRows rows(tables, tables.executions.at({child.spec.tenant, step.run}), now);
  rows.carry_out(child_closed(rows.loaded, step.task_key, {child.state, child.result, child.error}));
}

std::size_t fire_timers(Tables& tables, std::size_t max, Time now) {
  using Due = std::tuple<Time, TenantAndId, std::int64_t>;
  std::vector<Due> due;
  for (const auto& [id, workflow] : tables.workflows) {
    for (const auto& [command, fire_at] : workflow.timers) {
      if (fire_at <= now) due.emplace_back(fire_at, id, command);
    }
  }
  std::sort(due.begin(), due.end());
  if (due.size() > max) due.resize(max);
  for (const auto& [fire_at, id, command] : due) {
    tables.workflows.at(id).timers.erase(command);
    CodeRows rows(tables, tables.executions.at(id), now);
    rows.carry_out(timer_fired(rows.loaded, command));
  }
  return due.size();
}

Outcome apply(Tables& tables, const SignalWorkflow& command, Time now) {
  Record* record = find_record(tables, command.tenant, command.id);
  WorkflowRecord* workflow = record == nullptr ? nullptr : find_workflow(tables, record->execution.spec);
  if (workflow == nullptr) return SignalAnswer{};
  SignalAnswer answer{SignalAnswer::Kind::already_received, record->execution.state};
  const auto is_known = [&] { return workflow->signals.contains({command.signal.name, *command.key}); };
  if (command.key && is_known()) return answer;
  answer.kind = SignalAnswer::Kind::closed;
  if (is_closed(record->execution.state)) return answer;
  if (command.key) workflow->signals.emplace(command.signal.name, *command.key);
  CodeRows rows(tables, *record, now);
  rows.carry_out(signal_received(rows.loaded, command.signal));
  return SignalAnswer{SignalAnswer::Kind::received, record->execution.state};
}

}  // namespace semel::store::memory
