#include "api/codec/refusal.hpp"

#include <fmt/format.h>

namespace semel::codec {
namespace {

using domain::DuplicateAnswer;
using domain::State;
using engine::DuplicateTask;
using engine::NewTask;

constexpr std::string_view opaque_message =
    "A task with this identity already exists. The task's identity strategy prevents duplicate creation.";

void add_outcome(Submitted& submitted, const domain::Execution& execution) {
  submitted.result = execution.result;
  submitted.error = execution.error;
  submitted.closed_at = execution.closed_at;
}

Submitted created(const NewTask& task) {
  Submitted submitted{task.id, task.task_id, task.step_count};
  submitted.status = task.state;
  submitted.message = "Task created successfully";
  submitted.key_used = task.key_used;
  submitted.created = true;
  submitted.previous = task.previous;
  if (task.execution) add_outcome(submitted, *task.execution);
  return submitted;
}

Submitted existing(const DuplicateTask& duplicate) {
  const domain::Holder& holder = duplicate.held.holder;
  Submitted submitted{holder.id, duplicate.task_id, duplicate.step_count};
  submitted.status = holder.state;
  submitted.message = "Task exists already";
  submitted.key_used = duplicate.key_used;
  if (duplicate.held.execution) add_outcome(submitted, *duplicate.held.execution);
  else submitted.closed_at = holder.closed_at;
  submitted.result_expired = !duplicate.held.execution;
  return submitted;
}

Refusal describe_completed(const DuplicateTask& duplicate) {
  Refusal refusal{ErrorCode::task_already_completed,
                  fmt::format("Task with ID '{}' already completed successfully", duplicate.task_id)};
  refusal.completed_at = duplicate.held.holder.closed_at;
  refusal.result_expired = !duplicate.held.execution;
  if (duplicate.held.execution) refusal.result = duplicate.held.execution->result.value_or("null");
  return refusal;
}

Refusal describe_other(const DuplicateTask& duplicate) {
  const domain::Holder& holder = duplicate.held.holder;
  const bool open = is_open(holder.state);
  Refusal refusal{open ? ErrorCode::task_already_exists : ErrorCode::task_already_closed,
                  fmt::format("Task with ID '{}' is already {}", duplicate.task_id, name_of(holder.state))};
  refusal.status = holder.state;
  if (open) return refusal;
  refusal.closed_at = holder.closed_at;
  if (duplicate.held.execution) refusal.error = duplicate.held.execution->error;
  return refusal;
}

Refusal describe(const DuplicateTask& duplicate) {
  const bool completed = duplicate.held.holder.state == State::completed;
  Refusal refusal = completed ? describe_completed(duplicate) : describe_other(duplicate);
  refusal.existing = duplicate.held.holder.id;
  return refusal;
}

Refusal other_payload(const DuplicateTask& duplicate) {
  const std::string_view by = duplicate.held.by_id ? "task_uuid" : duplicate.key_used ? "idempotency key" : "identity";
  Refusal refusal{ErrorCode::idempotency_key_mismatch, fmt::format("This {} was used with other content.", by)};
  refusal.pointers = duplicate.pointers;
  return refusal;
}

tl::expected<Submitted, Refusal> settle_duplicate(const DuplicateTask& duplicate) {
  switch (duplicate.answer) {
    case DuplicateAnswer::opaque: return tl::unexpected(Refusal{ErrorCode::conflict, std::string(opaque_message)});
    case DuplicateAnswer::other_subject:
      return tl::unexpected(
          Refusal{ErrorCode::idempotency_key_conflict,
                  "This idempotency key is used by another kind of execution, another named task or another handler."});
    case DuplicateAnswer::other_payload: return tl::unexpected(other_payload(duplicate));
    case DuplicateAnswer::describe: return tl::unexpected(describe(duplicate));
    case DuplicateAnswer::return_existing: break;
  }
  return existing(duplicate);
}

}  // namespace

Refusal refusal_of(const Error& error) { return {error.code, error.message, error.violations}; }

tl::expected<Submitted, Refusal> settle(const engine::SubmitAnswer& answer) {
  if (const auto* task = std::get_if<NewTask>(&answer)) return created(*task);
  if (const auto* duplicate = std::get_if<DuplicateTask>(&answer)) return settle_duplicate(*duplicate);
  return tl::unexpected(refusal_of(std::get<Error>(answer)));
}

}  // namespace semel::codec
