#include "api/grpc/submission.hpp"

#include "api/codec/submission.hpp"
#include "api/codec/submission_draft.hpp"
#include "api/grpc/fields.hpp"
#include "api/grpc/status.hpp"
#include "api/grpc/values.hpp"

namespace semel::rpc {
namespace {

using codec::SubmissionDraft;

Result<void> read_what(const v1::SubmitTaskRequest& request, SubmissionDraft& draft) {
  return Fields()
      .field(request.has_namespace_(), [&] { return draft.set_namespace(request.namespace_()); })
      .field(request.has_name(), [&] { return draft.set_name(request.name()); })
      .field(request.has_version(), [&] { return draft.set_version(request.version()); })
      .field(request.has_handler(), [&] { return draft.set_handler(request.handler()); })
      .field(request.has_queue(), [&] { return draft.set_queue(request.queue()); })
      .field(request.has_context(), [&] { return set_context("context", request.context(), draft); })
      .fits();
}

Result<void> read_identity(const v1::SubmitTaskRequest& request, SubmissionDraft& draft) {
  domain::Submission& submission = draft.submission();
  return Fields()
      .field(request.has_idempotency_key(), [&] { return draft.set_idempotency_key(request.idempotency_key()); })
      .field(request.has_task_id(), [&] { return draft.set_task_id(request.task_id()); })
      .field(request.has_idempotency_key_ttl_seconds(),
             [&] { return draft.set_ttl_seconds(request.idempotency_key_ttl_seconds()); })
      .field(request.has_task_uuid(), [&] { return draft.set_task_uuid(request.task_uuid()); })
      .choice("reuse", request.reuse(), v1::Reuse_MAX, submission.reuse)
      .choice("on_duplicate", request.on_duplicate(), v1::OnDuplicate_MAX, submission.on_duplicate)
      .choice("on_payload_mismatch", request.on_payload_mismatch(), v1::OnPayloadMismatch_MAX,
              submission.on_payload_mismatch)
      .moment(request.has_requested_at(), "requested_at", request.requested_at(), submission.requested_at)
      .fits();
}

Result<void> read_course(const v1::SubmitTaskRequest& request, SubmissionDraft& draft) {
  domain::Submission& submission = draft.submission();
  return Fields()
      .field(request.has_priority(), [&] { return draft.set_priority(request.priority()); })
      .field(request.has_priority_seconds(), [&] { return draft.set_priority_seconds(request.priority_seconds()); })
      .field(request.has_max_attempts(), [&] { return draft.set_max_attempts(request.max_attempts()); })
      .field(request.has_max_retries(), [&] { return draft.set_max_retries(request.max_retries()); })
      .field(request.has_timeout_ms(), [&] { return draft.set_timeout_ms(request.timeout_ms()); })
      .field(request.has_concurrency_key(), [&] { return draft.set_concurrency_key(request.concurrency_key()); })
      .field(request.has_traceparent(), [&] { return draft.set_traceparent(request.traceparent()); })
      .field(request.has_retry(), [&] { return read_retry(request.retry(), submission.retry); })
      .moment(request.has_run_at(), "run_at", request.run_at(), submission.run_at)
      .moment(request.has_delay(), "delay", request.delay(), submission.delay)
      .moment(request.has_deadline(), "deadline", request.deadline(), submission.deadline)
      .moment(request.has_deadline_after(), "deadline_after", request.deadline_after(), submission.deadline_after)
      .fits();
}

Result<void> read_rest(const v1::SubmitTaskRequest& request, SubmissionDraft& draft) {
  if (Result<void> fits = check_deadline(draft.submission()); !fits) return fits;
  if (Result<void> added = add_labels(request.labels(), draft); !added) return added;
  if (!request.has_wait()) return {};
  const Result<Duration> wait = read_duration("wait", request.wait());
  if (!wait) return pass_on(wait.error());
  return draft.set_wait(*wait);
}

}  // namespace

Result<domain::Submission> read_submission(const v1::SubmitTaskRequest& request) {
  if (Result<void> known = check_known(request); !known) return pass_on(known.error());
  SubmissionDraft draft;
  for (const auto read : {read_what, read_identity, read_course, read_rest}) {
    if (Result<void> fits = read(request, draft); !fits) return pass_on(fits.error());
  }
  return std::move(draft).finish(std::nullopt);
}

Result<std::vector<Result<domain::Submission>>> read_batch(const v1::SubmitTasksRequest& request) {
  if (Result<void> fits = codec::check_batch_size(static_cast<std::size_t>(request.tasks_size())); !fits)
    return pass_on(fits.error());
  std::vector<Result<domain::Submission>> submissions;
  submissions.reserve(static_cast<std::size_t>(request.tasks_size()));
  for (const v1::SubmitTaskRequest& each : request.tasks())
    submissions.push_back(codec::without_wait(read_submission(each)));
  return submissions;
}

void write_submitted(v1::SubmitTaskResponse& to, const codec::Submitted& submitted) {
  to.set_task_uuid(submitted.id.text());
  to.set_task_id(submitted.task_id);
  to.set_step_count(static_cast<std::uint32_t>(submitted.step_count));
  to.set_status(to_wire(submitted.status));
  to.set_message(std::string(submitted.message));
  to.set_idempotency_key_used(submitted.key_used);
  to.set_idempotency_key_new(submitted.key_new());
  if (submitted.previous) to.set_previous_execution_id(submitted.previous->text());
  if (submitted.result) to.set_result(*submitted.result);
  if (submitted.error) to.set_error(*submitted.error);
  if (submitted.closed_at) set_time(to.mutable_closed_at(), *submitted.closed_at);
  if (submitted.result_expired) to.set_result_expired(true);
  to.set_created(submitted.created);
}

void write_batch(v1::SubmitTasksResponse& to, const std::vector<engine::SubmitAnswer>& answers) {
  to.mutable_results()->Reserve(static_cast<int>(answers.size()));
  for (const engine::SubmitAnswer& answer : answers) {
    v1::SubmitTaskResult* result = to.add_results();
    const tl::expected<codec::Submitted, codec::Refusal> settled = codec::settle(answer);
    if (settled) write_submitted(*result->mutable_task(), *settled);
    else write_error(*result->mutable_error(), settled.error());
  }
}

}  // namespace semel::rpc
