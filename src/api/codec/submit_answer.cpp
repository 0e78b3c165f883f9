#include <fmt/format.h>

#include "api/codec/answers.hpp"
#include "api/codec/error.hpp"
#include "base/json/writer.hpp"

namespace semel::codec {
namespace {

using domain::DuplicateAnswer;
using domain::Execution;
using domain::State;
using engine::DuplicateTask;
using engine::NewTask;

constexpr std::string_view opaque_message =
    "A task with this identity already exists. The task's identity strategy prevents duplicate creation.";

void write_outcome(json::Writer& writer, const Execution& execution) {
  if (execution.result) writer.raw("result", *execution.result);
  if (execution.error) writer.raw("error", *execution.error);
  if (execution.closed_at) writer.string("closed_at", to_rfc3339(*execution.closed_at));
}

Encoded encode_new(const NewTask& task) {
  json::Writer writer;
  writer.begin_object().string("task_uuid", task.id.text()).string("task_id", task.task_id);
  writer.integer("step_count", task.step_count);
  writer.string("status", name_of(task.state)).string("message", "Task created successfully");
  writer.boolean("idempotency_key_used", task.key_used).boolean("idempotency_key_new", task.key_used);
  if (task.previous) writer.string("previous_execution_id", task.previous->text());
  if (task.execution) write_outcome(writer, *task.execution);
  return {201, writer.end_object().take()};
}

Encoded encode_existing(const DuplicateTask& duplicate) {
  const domain::Holder& holder = duplicate.held.holder;
  json::Writer writer;
  writer.begin_object()
      .string("task_uuid", holder.id.text())
      .string("task_id", duplicate.task_id)
      .integer("step_count", duplicate.step_count);
  writer.string("status", name_of(holder.state)).string("message", "Task exists already");
  writer.boolean("idempotency_key_used", duplicate.key_used).boolean("idempotency_key_new", false);
  if (duplicate.held.execution) {
    write_outcome(writer, *duplicate.held.execution);
  } else {
    writer.string("closed_at", to_rfc3339(*holder.closed_at)).boolean("result_expired", true);
  }
  return {200, writer.end_object().take()};
}

struct Refusal {
  ErrorCode code;
  std::string message;
};

Encoded encode_with(const Refusal& refusal, const auto& write_details) {
  json::Writer writer;
  writer.begin_object().key("error").begin_object();
  writer.string("code", wire_name(refusal.code)).string("message", refusal.message);
  write_details(writer);
  return {http_status(refusal.code), writer.end_object().end_object().take()};
}

Encoded describe_completed(const DuplicateTask& duplicate) {
  const Refusal refusal{ErrorCode::task_already_completed,
                        fmt::format("Task with ID '{}' already completed successfully", duplicate.task_id)};
  return encode_with(refusal, [&](json::Writer& writer) {
    const domain::Holder& holder = duplicate.held.holder;
    writer.string("existing_execution_id", holder.id.text()).string("completed_at", to_rfc3339(*holder.closed_at));
    if (!duplicate.held.execution) writer.boolean("result_expired", true);
    else if (duplicate.held.execution->result) writer.raw("result", *duplicate.held.execution->result);
    else writer.raw("result", "null");
  });
}

Encoded describe_open(const DuplicateTask& duplicate) {
  const std::string_view status = name_of(duplicate.held.holder.state);
  const Refusal refusal{ErrorCode::task_already_exists,
                        fmt::format("Task with ID '{}' is already {}", duplicate.task_id, status)};
  return encode_with(refusal, [&](json::Writer& writer) {
    writer.string("existing_execution_id", duplicate.held.holder.id.text()).string("status", status);
  });
}

Encoded describe_closed(const DuplicateTask& duplicate) {
  const domain::Holder& holder = duplicate.held.holder;
  const std::string_view status = name_of(holder.state);
  const Refusal refusal{ErrorCode::task_already_closed,
                        fmt::format("Task with ID '{}' is already {}", duplicate.task_id, status)};
  return encode_with(refusal, [&](json::Writer& writer) {
    writer.string("existing_execution_id", holder.id.text()).string("status", status);
    writer.string("closed_at", to_rfc3339(*holder.closed_at));
    if (duplicate.held.execution && duplicate.held.execution->error)
      writer.raw("error", *duplicate.held.execution->error);
  });
}

Encoded describe(const DuplicateTask& duplicate) {
  if (duplicate.held.holder.state == State::completed) return describe_completed(duplicate);
  return is_open(duplicate.held.holder.state) ? describe_open(duplicate) : describe_closed(duplicate);
}

Encoded encode_other_subject() {
  return encode_refusal(
      {ErrorCode::idempotency_key_conflict,
       "This idempotency key is used by another kind of execution, another named task or another handler."});
}

Encoded encode_other_payload(const DuplicateTask& duplicate) {
  const std::string_view by = duplicate.held.by_id ? "task_uuid" : duplicate.key_used ? "idempotency key" : "identity";
  const Refusal refusal{ErrorCode::idempotency_key_mismatch, fmt::format("This {} was used with other content.", by)};
  return encode_with(refusal, [&](json::Writer& writer) {
    writer.key("pointers").begin_array();
    for (const std::string& pointer : duplicate.pointers) writer.string(pointer);
    writer.end_array();
  });
}

Encoded encode_duplicate(const DuplicateTask& duplicate) {
  switch (duplicate.answer) {
    case DuplicateAnswer::opaque: return encode_refusal({ErrorCode::conflict, std::string(opaque_message)});
    case DuplicateAnswer::other_subject: return encode_other_subject();
    case DuplicateAnswer::other_payload: return encode_other_payload(duplicate);
    case DuplicateAnswer::describe: return describe(duplicate);
    case DuplicateAnswer::return_existing: break;
  }
  return encode_existing(duplicate);
}

}  // namespace

Encoded encode_refusal(const Error& error) { return {http_status(error.code), encode_error(error)}; }

Encoded encode_submit(const engine::SubmitAnswer& answer) {
  if (const auto* created = std::get_if<NewTask>(&answer)) return encode_new(*created);
  if (const auto* duplicate = std::get_if<DuplicateTask>(&answer)) return encode_duplicate(*duplicate);
  return encode_refusal(std::get<Error>(answer));
}

Encoded encode_batch(const std::vector<engine::SubmitAnswer>& answers) {
  json::Writer writer;
  writer.begin_object().key("results").begin_array();
  for (const engine::SubmitAnswer& answer : answers) {
    const Encoded each = encode_submit(answer);
    writer.begin_object().integer("status", each.status).raw("body", each.body).end_object();
  }
  return {200, writer.end_array().end_object().take()};
}

}  // namespace semel::codec
