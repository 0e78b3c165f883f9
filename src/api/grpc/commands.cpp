#include "api/grpc/commands.hpp"

#include "api/codec/code_values.hpp"
#include "api/codec/query.hpp"
#include "api/grpc/fields.hpp"
#include "domain/names.hpp"
#include "domain/workflow/code/names.hpp"

namespace semel::rpc {
namespace {

namespace code = domain::code;
using codec::SubmissionDraft;

Result<code::KeyConflict> read_conflict(v1::KeyConflict said, code::KeyConflict otherwise) {
  const auto read = read_choice<code::KeyConflict>("key_conflict", said, v1::KeyConflict_MAX);
  if (!read) return pass_on(read.error());
  return read->value_or(otherwise);
}

const std::string& text_or(const std::string& text, const std::string& otherwise) {
  return text.empty() ? otherwise : text;
}

const std::string empty_object = "{}";
const std::string json_null = "null";

Result<domain::Submission> read_step(const v1::ScheduleTaskCommand& command) {
  SubmissionDraft draft;
  domain::Submission& submission = draft.submission();
  const Result<void> fits =
      Fields()
          .field(true, [&] { return draft.set_handler(command.kind()); })
          .field(!command.input().empty(), [&] { return set_context("input", command.input(), draft); })
          .field(command.has_max_retries(), [&] { return draft.set_max_retries(command.max_retries()); })
          .field(command.has_max_attempts(), [&] { return draft.set_max_attempts(command.max_attempts()); })
          .field(command.has_timeout_ms(), [&] { return draft.set_timeout_ms(command.timeout_ms()); })
          .field(command.has_queue(), [&] { return draft.set_queue(command.queue()); })
          .field(command.has_priority_seconds(), [&] { return draft.set_priority_seconds(command.priority_seconds()); })
          .field(command.has_idempotency_key(), [&] { return draft.set_idempotency_key(command.idempotency_key()); })
          .field(command.has_idempotency_key_ttl_seconds(),
                 [&] { return draft.set_ttl_seconds(command.idempotency_key_ttl_seconds()); })
          .field(command.has_priority(), [&] { return draft.set_priority(command.priority()); })
          .field(command.has_retry(), [&] { return read_retry(command.retry(), submission.retry); })
          .moment(command.has_delay(), "delay", command.delay(), submission.delay)
          .moment(command.has_deadline_after(), "deadline_after", command.deadline_after(), submission.deadline_after)
          .field(command.has_concurrency_key(), [&] { return draft.set_concurrency_key(command.concurrency_key()); })
          .field(true, [&] { return add_labels(command.labels(), draft); })
          .field(true, [&] { return check_deadline(submission); })
          .fits();
  if (!fits) return pass_on(fits.error());
  return std::move(draft).finish(std::nullopt);
}

Result<code::ScheduleTask> read_command(const v1::ScheduleTaskCommand& command) {
  Result<domain::Submission> submission = read_step(command);
  if (!submission) return pass_on(submission.error());
  const Result<code::KeyConflict> conflict = read_conflict(command.key_conflict(), code::KeyConflict::attach);
  if (!conflict) return pass_on(conflict.error());
  const Duration head_start = submission->head_start;
  Result<code::ScheduleTask> task = codec::step_of(*std::move(submission));
  if (!task) return task;
  if (command.has_priority_seconds()) task->head_start = head_start;
  task->on_conflict = *conflict;
  if (command.has_priority()) task->priority = command.priority();
  return task;
}

Result<code::StartTimer> read_command(const v1::StartTimerCommand& command) {
  if (command.has_fire_at() == command.has_after()) return bad_request("exactly one of fire_at and after is required");
  code::StartTimer timer;
  const Result<void> fits = Fields()
                                .moment(command.has_fire_at(), "fire_at", command.fire_at(), timer.fire_at)
                                .moment(command.has_after(), "after", command.after(), timer.after)
                                .fits();
  if (!fits) return pass_on(fits.error());
  return timer;
}

Result<code::StartChild> read_command(const v1::StartChildCommand& command) {
  SubmissionDraft draft;
  domain::Submission& submission = draft.submission();
  const Result<void> fits =
      Fields()
          .field(true, [&] { return domain::check_name("kind", command.kind()); })
          .field(!command.input().empty(), [&] { return set_context("input", command.input(), draft); })
          .field(command.has_workflow_id(), [&] { return domain::check_key("workflow_id", command.workflow_id()); })
          .field(command.has_queue(), [&] { return draft.set_queue(command.queue()); })
          .moment(command.has_deadline_after(), "deadline_after", command.deadline_after(), submission.deadline_after)
          .field(true, [&] { return add_labels(command.labels(), draft); })
          .field(command.has_idempotency_key_ttl_seconds(),
                 [&] { return draft.set_ttl_seconds(command.idempotency_key_ttl_seconds()); })
          .field(true, [&] { return check_deadline(submission); })
          .fits();
  if (!fits) return pass_on(fits.error());
  const Result<code::KeyConflict> conflict = read_conflict(command.key_conflict(), code::KeyConflict::fail);
  if (!conflict) return pass_on(conflict.error());
  if (*conflict == code::KeyConflict::attach) return bad_request("key_conflict: a child workflow cannot attach");
  code::StartChild child;
  child.kind = command.kind();
  if (command.has_workflow_id()) child.workflow_id = command.workflow_id();
  child.input = submission.context;
  child.queue = submission.queue;
  child.on_conflict = *conflict;
  child.abandon = command.abandon();
  child.deadline_after = submission.deadline_after;
  child.labels = submission.labels;
  child.ttl = submission.ttl;
  return child;
}

Result<code::CreatePromise> read_command(const v1::CreatePromiseCommand& command) {
  SubmissionDraft draft;
  const Result<void> fits =
      Fields()
          .field(command.has_idempotency_key(), [&] { return draft.set_idempotency_key(command.idempotency_key()); })
          .field(command.has_idempotency_key_ttl_seconds(),
                 [&] { return draft.set_ttl_seconds(command.idempotency_key_ttl_seconds()); })
          .field(command.has_timeout_ms(), [&] { return draft.set_timeout_ms(command.timeout_ms()); })
          .fits();
  if (!fits) return pass_on(fits.error());
  const Result<code::KeyConflict> conflict = read_conflict(command.key_conflict(), code::KeyConflict::fail);
  if (!conflict) return pass_on(conflict.error());
  const domain::Submission& said = draft.submission();
  return code::CreatePromise{said.key, said.ttl, *conflict, said.timeout};
}

Result<code::RecordMarker> read_command(const v1::RecordMarkerCommand& command) {
  if (Result<void> fits = domain::check_key("name", command.name()); !fits) return pass_on(fits.error());
  Result<std::string> value = codec::read_payload("value", text_or(command.value(), json_null));
  if (!value) return pass_on(value.error());
  return code::RecordMarker{command.name(), *std::move(value)};
}

Result<code::CancelEarlier> read_command(const v1::CancelCommand& command) {
  return code::CancelEarlier{command.target()};
}

/// What a command makes has an id that follows from its number.
Result<void> check_task_id(const v1::Command& command, domain::ExecutionId workflow) {
  const std::string& said = command.schedule_task().task_execution_id();
  if (said.empty() || said == code::child_id(workflow, command.number()).text()) return {};
  return bad_request("task_execution_id of command {} must be {}, or left out", command.number(),
                     code::child_id(workflow, command.number()).text());
}

template <typename Message>
Result<code::Command> command_of(std::int64_t number, const Message& message) {
  if (Result<void> known = check_known(message); !known) return pass_on(known.error());
  auto read = read_command(message);
  if (!read) return pass_on(read.error());
  return code::Command{number, *std::move(read)};
}

Result<code::Command> read_numbered(const v1::Command& command, domain::ExecutionId workflow) {
  if (Result<void> known = check_known(command); !known) return pass_on(known.error());
  if (Result<void> fits = check_task_id(command, workflow); !fits) return pass_on(fits.error());
  switch (command.command_case()) {
    case v1::Command::kScheduleTask: return command_of(command.number(), command.schedule_task());
    case v1::Command::kStartTimer: return command_of(command.number(), command.start_timer());
    case v1::Command::kStartChild: return command_of(command.number(), command.start_child());
    case v1::Command::kCreatePromise: return command_of(command.number(), command.create_promise());
    case v1::Command::kRecordMarker: return command_of(command.number(), command.record_marker());
    case v1::Command::kCancel: return command_of(command.number(), command.cancel());
    case v1::Command::COMMAND_NOT_SET: break;
  }
  return bad_request("command {} says nothing", command.number());
}

Result<code::Conclusion> read_conclusion(const v1::CompleteWorkflow& complete) {
  if (!complete.has_result()) return code::Complete{};
  Result<std::string> result = codec::read_payload("result", complete.result());
  if (!result) return pass_on(result.error());
  return code::Complete{*std::move(result)};
}

Result<code::Conclusion> read_conclusion(const v1::FailWorkflow& fail) {
  Result<std::string> error = codec::read_payload("error", fail.error());
  if (!error) return pass_on(error.error());
  if (!error->starts_with('{')) return bad_request("error must be an object");
  return code::Fail{*std::move(error)};
}

Result<code::Conclusion> read_conclusion(const v1::ContinueAsNew& again) {
  Result<std::string> input = codec::read_payload("input", text_or(again.input(), empty_object));
  if (!input) return pass_on(input.error());
  code::ContinueAsNew next{*std::move(input), {}};
  for (const v1::UnreadSignal& unread : again.unread_signals()) {
    if (Result<void> known = check_known(unread); !known) return pass_on(known.error());
    Result<code::Signal> signal = codec::read_signal(unread.name(), text_or(unread.value(), json_null));
    if (!signal) return pass_on(signal.error());
    next.signals.push_back(*std::move(signal));
  }
  return next;
}

Result<std::optional<code::Conclusion>> read_end(const v1::ActivationAnswer& answer) {
  const auto known = [](const auto& message) -> Result<std::optional<code::Conclusion>> {
    if (Result<void> fits = check_known(message); !fits) return pass_on(fits.error());
    Result<code::Conclusion> conclusion = read_conclusion(message);
    if (!conclusion) return pass_on(conclusion.error());
    return *std::move(conclusion);
  };
  if (answer.has_complete()) return known(answer.complete());
  if (answer.has_fail()) return known(answer.fail());
  if (answer.has_continue_as_new()) return known(answer.continue_as_new());
  return std::nullopt;
}

}  // namespace

Result<engine::Engine::CodeAnswer> read_activation_answer(const v1::ActivationAnswer& answer) {
  if (Result<void> known = check_known(answer); !known) return pass_on(known.error());
  const auto workflow = codec::parse_id<domain::ExecutionId>(answer.workflow_execution_id());
  if (!workflow) return pass_on(workflow.error());
  engine::Engine::CodeAnswer read{*workflow, {}};
  read.answer.seen = answer.seen();
  for (const v1::Command& each : answer.commands()) {
    Result<code::Command> command = read_numbered(each, *workflow);
    if (!command) return pass_on(command.error());
    read.answer.commands.push_back(*std::move(command));
  }
  if (answer.has_status()) {
    Result<std::string> status = codec::read_payload("status", answer.status());
    if (!status) return pass_on(status.error());
    read.answer.status = *std::move(status);
  }
  Result<std::optional<code::Conclusion>> end = read_end(answer);
  if (!end) return pass_on(end.error());
  read.answer.conclusion = *std::move(end);
  return read;
}

}  // namespace semel::rpc
