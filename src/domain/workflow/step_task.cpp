#include "domain/workflow/step_task.hpp"

#include <fmt/format.h>

#include "base/ensure.hpp"
#include "base/sha256.hpp"
#include "domain/workflow/advance.hpp"

namespace semel::domain {
namespace {

/// The run's context stands for what a step works on; its item, where it has one, too.
Hash32 fingerprint_of_task(const TaskMaking& making) {
  ensure(making.context_hash.has_value());
  if (!making.task.item) return *making.context_hash;
  const std::string_view context(reinterpret_cast<const char*>(making.context_hash->data()),
                                 making.context_hash->size());
  return Sha256().update(context).update(*making.task.item).finish();
}

void identify_task(ExecutionSpec& spec, const TaskMaking& making) {
  const std::string& key = *making.task.key;
  spec.key = key;
  spec.identity.mode = Mode::key;
  spec.identity.strategy = Strategy::caller_provided;
  spec.identity.scope = Scope::tenant;
  spec.identity.hash = identity_hash({Mode::key, spec.tenant, Scope::tenant, "", key, std::nullopt});
  spec.fingerprint = fingerprint_of_task(making);
  spec.window = choose_window({std::nullopt, std::nullopt, making.queue.dedup_window, making.queue.retention});
}

KeyVerdict fail_with(std::string_view type, std::string_view message) {
  return {KeyAnswer::fail, error_text(type, message)};
}

}  // namespace

std::optional<TaskRef> find_task(const Graph& graph, std::string_view task_key) {
  const std::optional<std::size_t> step = graph.find(step_of(task_key));
  const std::optional<std::size_t> item = index_of(task_key);
  const bool is_whole = step && domain::task_key(graph.step(*step).name, item) == task_key;
  return is_whole ? std::optional(TaskRef{*step, item}) : std::nullopt;
}

ExecutionId task_id(const Graph& graph, ExecutionId run, TaskRef task) {
  return step_execution_id(run, task_key(graph.step(task.step).name, task.item));
}

ExecutionSpec spec_of_task(const TaskMaking& making) {
  ExecutionSpec spec;
  spec.tenant = making.run.tenant;
  std::string key = task_key(making.step.name, making.task.ref.item);
  spec.id = step_execution_id(making.run.id, key);
  spec.step = StepOf{making.run.id, std::move(key), making.task.item};
  spec.handler = making.step.handler;
  spec.queue = making.step.queue;
  spec.retry = apply_settings(RetryPolicy{}, making.step.retry);
  spec.timeout = making.step.timeout;
  spec.priority = making.run.priority;
  spec.head_start = making.run.head_start;
  spec.concurrency_key = making.run.concurrency_key;
  spec.created_by = making.run.created_by;
  spec.traceparent = making.run.traceparent;
  if (making.task.key) identify_task(spec, making);
  return spec;
}

KeyVerdict judge_key(const Holder* holder, const ExecutionSpec& task, Reuse reuse, Time now) {
  if (holder == nullptr || holder->id == task.id) return {};
  if (takes_over(decide(*holder, reuse, now))) return {};
  Claimant claimant;
  claimant.kind = task.kind;
  claimant.handler = task.handler;
  claimant.fingerprint = task.fingerprint;
  claimant.on_duplicate = OnDuplicate::return_existing;
  const std::string key = task.key.value_or("");
  switch (answer_duplicate(*holder, claimant, true)) {
    case DuplicateAnswer::other_subject:
      return fail_with("IDEMPOTENCY_KEY_CONFLICT",
                       fmt::format("the key '{}' is held by an execution of another kind or handler", key));
    case DuplicateAnswer::other_payload:
      return fail_with("IDEMPOTENCY_KEY_MISMATCH",
                       fmt::format("the key '{}' is held by an execution with another context", key));
    default: break;
  }
  if (is_open(holder->state)) return {KeyAnswer::attach, ""};
  if (holder->state != State::completed)
    return fail_with("TASK_ALREADY_CLOSED",
                     fmt::format("the key '{}' is held by an execution that is {}, and the queue's reuse keeps it so",
                                 key, name_of(holder->state)));
  if (!holder->tombstone) return {KeyAnswer::take_result, ""};
  return fail_with("RESULT_EXPIRED",
                   fmt::format("the key '{}' was used by an execution whose result is not kept any more", key));
}

HistoryEvent cancel_event(const ExecutionSpec& task, const ByHand& by) {
  return {HistoryKind::cancel_requested, task.step->task_key, by_hand_text(by)};
}

HistoryEvent attached_event(const ExecutionSpec& task, ExecutionId holder) {
  return {HistoryKind::task_attached, task.step->task_key, fmt::format(R"({{"to":"{}"}})", holder.text())};
}

}  // namespace semel::domain
