#include <fmt/format.h>

#include "base/json/writer.hpp"
#include "domain/workflow/advance.hpp"
#include "domain/workflow/code/names.hpp"
#include "domain/workflow/code/workflow.hpp"

namespace semel::domain::code {

KeyPolicy key_policy(KeyConflict on_conflict, const QueueSettings& queue) {
  return {on_conflict, queue.reuse.value_or(Reuse::allow_duplicate_failed_only)};
}

KeyVerdict judge_child_key(const Holder* holder, const ExecutionSpec& child, KeyPolicy policy, Time now) {
  const KeyVerdict verdict = judge_key(holder, child, policy.reuse, now);
  if (verdict.answer == KeyAnswer::claim || policy.on_conflict == KeyConflict::attach) return verdict;
  if (policy.on_conflict == KeyConflict::warn_and_create) return {KeyAnswer::apart, ""};
  return {KeyAnswer::fail,
          error_text("IDEMPOTENCY_KEY_CONFLICT",
                     fmt::format("the key '{}' is held by execution {}", child.key.value_or(""), holder->id.text()))};
}

HistoryEvent key_conflict_event(const ExecutionSpec& child, ExecutionId holder) {
  json::Writer writer;
  writer.begin_object().integer("command", command_of(child.step->task_key).value_or(0));
  writer.string("key", child.key.value_or("")).string("held_by", holder.text());
  return {HistoryKind::key_conflict, child.step->task_key, writer.end_object().take()};
}

}  // namespace semel::domain::code
