#include <algorithm>

#include "domain/workflow/step_id.hpp"
#include "sdk/testing/memory_backend.hpp"
#include "sdk/testing/memory_events.hpp"
#include "sdk/workflow/recorded.hpp"

// Workflows of the server in memory: histories, and what commands do.
namespace semel::sdk {
namespace {

std::string part_key(std::string_view name, std::uint64_t number) {
  return std::string(name).append("#").append(std::to_string(number));
}

std::string part_id(const MemoryExecution& workflow, std::uint64_t number) {
  return domain::step_execution_id(domain::ExecutionId::parse(workflow.id).value(), part_key("", number)).text();
}

std::string key_of_part(const MemoryExecution& part) {
  return part_key(part.kind == MemoryExecution::Kind::promise ? "promise" : part.handler, part.command);
}

std::string closing_kind(Status status) { return std::string("task_").append(name_of(status)); }

}  // namespace

void MemoryBackend::append(Execution& workflow, std::string kind, std::string task_key, std::string detail) {
  workflow.history.push_back(
      {workflow.history.size() + 1, now_, std::move(kind), std::move(task_key), std::move(detail)});
}

void MemoryBackend::wake(Execution& workflow) {
  if (workflow.status != Status::suspended) return;  // who runs it sees new events by itself
  workflow.status = Status::pending;
  workflow.run_at = now_;
}

void MemoryBackend::has_closed(Execution& child) {
  Execution* workflow = child.run.empty() ? nullptr : find(child.run);
  if (!workflow || is_closed(workflow->status) || child.command == 0) return;
  append(*workflow, closing_kind(child.status), key_of_part(child), closing_detail(child.command, child.closing));
  wake(*workflow);
}

void MemoryBackend::note_key(const Execution& part, std::string kind, const std::string& holder) {
  Execution* workflow = find(part.run);
  const bool is_attached = kind == "task_attached";
  std::string detail = is_attached ? attached_detail(holder) : conflict_detail(part.command, part.key, holder);
  append(*workflow, std::move(kind), key_of_part(part), std::move(detail));
}

MemoryBackend::Execution* MemoryBackend::part(const Execution& workflow, std::uint64_t number) {
  for (auto& [id, execution] : executions_) {
    if (execution.run == workflow.id && execution.command == number) return &execution;
  }
  return nullptr;
}

// ---- the answer to an activation

void MemoryBackend::end_activation(Execution& workflow, const ActivationEnd& end) {
  workflow.attempt_id.clear();
  workflow.failed_activations = 0;
  workflow.closing.error.clear();
  if (workflow.is_cancel_requested && !(end.end && std::holds_alternative<EndWith>(*end.end))) {
    return close(workflow, {Status::cancelled, std::nullopt, error_text("cancelled", "it was cancelled")});
  }
  const bool has_more = workflow.history.size() > end.seen;
  workflow.status = Status::suspended;
  std::vector<const Command*> fresh;
  for (const Command& command : end.commands) {
    if (command.number <= workflow.last_command) continue;
    workflow.last_command = command.number;
    note_command(workflow, command);
    fresh.push_back(&command);
  }
  // What this answer has written need not be given to whoever goes on from here.
  workflow.seen = has_more ? end.seen : workflow.history.size();
  for (const Command* command : fresh) carry_out(workflow, *command);
  if (end.status) workflow.status_text = *end.status;
  if (end.end) return end_workflow(workflow, *end.end, end.seen);
  if (has_more) wake(workflow);
}

void MemoryBackend::note_command(Execution& workflow, const Command& command) {
  const std::uint64_t number = command.number;
  if (const auto* task = std::get_if<ScheduleTask>(&command.order)) {
    append(workflow, "task_scheduled", part_key(task->handler, number), asked_detail(number, "handler", task->handler));
  } else if (const auto* child = std::get_if<StartChild>(&command.order)) {
    append(workflow, "child_started", part_key("workflow:" + child->kind, number),
           asked_detail(number, "kind", child->kind));
  } else if (const auto* promise = std::get_if<MakePromise>(&command.order)) {
    append(workflow, "promise_created", part_key("promise", number),
           promise->key ? asked_detail(number, "key", *promise->key) : numbered_detail(number));
  } else if (const auto* record = std::get_if<Record>(&command.order)) {
    append(workflow, "marker", "", marker_detail(number, *record));
  } else if (const auto* what = std::get_if<CancelWhat>(&command.order)) {
    const bool is_timer = workflow.timers.erase(what->target) > 0;
    append(workflow, is_timer ? "timer_cancelled" : "task_cancel_requested", "", cancel_detail(number, what->target));
  } else {
    const auto& timer = std::get<StartTimer>(command.order);
    const Time fire_at = timer.fire_at ? *timer.fire_at : now_ + timer.after.value_or(Duration::zero());
    workflow.timers[number] = fire_at;
    append(workflow, "timer_started", "", timer_detail(number, fire_at));
  }
}

void MemoryBackend::carry_out(Execution& workflow, const Command& command) {
  const std::uint64_t number = command.number;
  if (const auto* task = std::get_if<ScheduleTask>(&command.order)) return schedule(workflow, number, *task);
  if (const auto* child = std::get_if<StartChild>(&command.order)) return start_child(workflow, number, *child);
  if (const auto* promise = std::get_if<MakePromise>(&command.order)) return make_promise(workflow, number, *promise);
  const auto* what = std::get_if<CancelWhat>(&command.order);
  if (Execution* child = what ? part(workflow, what->target) : nullptr) cancel_one(*child, false);
}

/// Without a queue of its own, it goes to that of its workflow.
MemoryBackend::Execution& MemoryBackend::make_part(Execution& workflow, std::uint64_t number, Execution::Kind kind,
                                                   std::string handler) {
  Execution& made = make(kind, part_id(workflow, number), std::move(handler));
  made.run = workflow.id;
  made.command = number;
  made.settings.queue = workflow.settings.queue;
  return made;
}

void MemoryBackend::schedule(Execution& workflow, std::uint64_t number, const ScheduleTask& task) {
  Execution& made = make_part(workflow, number, Execution::Kind::task, task.handler);
  made.context = task.context;
  made.settings = task.settings;
  if (made.settings.queue.empty()) made.settings.queue = workflow.settings.queue;
  if (task.settings.delay) made.run_at = now_ + *task.settings.delay;
  if (task.settings.deadline_after) made.deadline = now_ + *task.settings.deadline_after;
  if (!task.key) return;
  made.key = *task.key;
  made.identity = identify(made.kind, made.context, task.key_ttl);
  enter_part(made, task.key_conflict);
}

void MemoryBackend::start_child(Execution& workflow, std::uint64_t number, const StartChild& child) {
  Execution& made = make_part(workflow, number, Execution::Kind::workflow, "workflow:" + child.kind);
  made.context = child.input;
  if (!child.queue.empty()) made.settings.queue = child.queue;
  if (child.deadline_after) made.deadline = now_ + *child.deadline_after;
  made.is_abandoned = child.abandon;
  made.key = child.workflow_id.value_or(workflow.id + "/" + std::to_string(number));
  made.identity = identify(made.kind, made.context, child.key_ttl);
  const bool attaches = child.key_conflict == OnKeyConflict::attach;  // which no server lets a child do
  enter_part(made, attaches ? OnKeyConflict::fail : child.key_conflict);
  if (!is_closed(made.status)) append(made, "run_started", "", started_detail(child.kind, child.input));
}

void MemoryBackend::make_promise(Execution& workflow, std::uint64_t number, const MakePromise& promise) {
  Execution& made = make_part(workflow, number, Execution::Kind::promise, std::string(promise_handler));
  if (promise.timeout) made.deadline = now_ + *promise.timeout;
  if (!promise.key) return;
  made.key = *promise.key;
  made.identity = identify(made.kind, promise_context, promise.key_ttl);
  enter_part(made, promise.key_conflict);
}

// ---- its end

void MemoryBackend::end_workflow(Execution& workflow, const End& end, std::uint64_t seen) {
  if (const auto* next = std::get_if<ContinueWith>(&end)) return continue_as_new(workflow, *next, seen);
  const auto* done = std::get_if<EndWith>(&end);
  append(workflow, done ? "run_completed" : "run_failed", "", "");
  if (done) close(workflow, {Status::completed, done->result, {}});
  else close(workflow, {Status::failed, std::nullopt, std::get<FailWith>(end).error});
  leave_open_parts(workflow);
}

/// Signals that nobody has read, and those that the code was never told of, are for its next run.
void MemoryBackend::continue_as_new(Execution& workflow, const ContinueWith& next, std::uint64_t seen) {
  std::vector<std::string> unseen;
  for (const Event& event : workflow.history) {
    if (event.sequence > seen && event.kind == "signal_received") unseen.push_back(event.detail);
  }
  leave_open_parts(workflow);
  workflow.seen = workflow.history.size();
  append(workflow, "continued", "", continued_detail(workflow.last_command, next.input));
  workflow.from = workflow.history.size();
  workflow.context = next.input;
  for (const UnreadSignal& signal : next.signals) {
    append(workflow, "signal_received", "", signal_detail(signal.name, signal.value));
  }
  for (std::string& detail : unseen) append(workflow, "signal_received", "", std::move(detail));
  wake(workflow);
}

/// Timers, tasks, promises and children that nobody waits for any more.
void MemoryBackend::leave_open_parts(Execution& workflow) {
  workflow.timers.clear();
  std::vector<Execution*> open;
  for (auto& [id, each] : executions_) {
    if (each.run == workflow.id && !is_closed(each.status) && !each.is_abandoned) open.push_back(&each);
  }
  for (Execution* each : open) {
    each->command = 0;  // how it ends is told to nobody
    each->attached_to.clear();
    cancel_one(*each, false);
  }
}

}  // namespace semel::sdk
