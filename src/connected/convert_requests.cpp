#include <array>

#include "base/time.hpp"
#include "connected/convert.hpp"
#include "connected/failure.hpp"
#include "sdk/worker/progress.hpp"

namespace semel::connected {
namespace {

constexpr std::int64_t ms_a_second = 1'000;
constexpr std::int32_t nanos_a_ms = 1'000'000;

static_assert(v1::TASK_STATUS_TIMED_OUT == static_cast<int>(Status::timed_out) + 1);
static_assert(v1::REUSE_ALLOW_DUPLICATE == static_cast<int>(ReusePolicy::allow_duplicate) + 1);
static_assert(v1::ON_DUPLICATE_RETURN_EXISTING == static_cast<int>(OnDuplicate::return_existing) + 1);
static_assert(v1::BACKOFF_FIBONACCI == static_cast<int>(Retry::Backoff::fibonacci) + 1);

std::int64_t whole_seconds(Duration time) { return std::chrono::ceil<std::chrono::seconds>(time).count(); }

/// Of whatever has an identity, in the words that all such requests share.
void write_policies(auto& to, const detail::IdentitySettings& identity) {
  if (identity.ttl) to.set_idempotency_key_ttl_seconds(whole_seconds(*identity.ttl));
  if (identity.reuse) to.set_reuse(to_wire<v1::Reuse>(*identity.reuse));
  if (identity.on_duplicate) to.set_on_duplicate(to_wire<v1::OnDuplicate>(*identity.on_duplicate));
  if (identity.ignores_payload) to.set_on_payload_mismatch(v1::ON_PAYLOAD_MISMATCH_IGNORE);
}

void write_course(v1::SubmitTaskRequest& to, const detail::TaskSettings& settings) {
  if (!settings.queue.empty()) to.set_queue(settings.queue);
  if (settings.priority) to.set_priority(*settings.priority);
  if (settings.head_start) {
    const auto seconds = std::chrono::floor<std::chrono::seconds>(*settings.head_start).count();
    to.set_priority_seconds(static_cast<std::int32_t>(seconds));
  }
  if (settings.max_attempts) to.set_max_attempts(*settings.max_attempts);
  if (settings.retry) write(*to.mutable_retry(), *settings.retry);
  if (settings.timeout) to.set_timeout_ms(settings.timeout->count());
  if (settings.deadline) set_time(to.mutable_deadline(), *settings.deadline);
  if (settings.run_at) set_time(to.mutable_run_at(), *settings.run_at);
  if (settings.delay) set_duration(to.mutable_delay(), *settings.delay);
  if (!settings.concurrency_key.empty()) to.set_concurrency_key(settings.concurrency_key);
  for (const auto& [name, value] : settings.labels) (*to.mutable_labels())[name] = value;
}

constexpr std::string_view workflow_prefix = "workflow:";

}  // namespace

void set_time(google::protobuf::Timestamp* to, Time time) {
  const std::int64_t ms = time.time_since_epoch().count();
  to->set_seconds(ms / ms_a_second);
  to->set_nanos(static_cast<std::int32_t>(ms % ms_a_second) * nanos_a_ms);
}

void set_duration(google::protobuf::Duration* to, Duration duration) {
  to->set_seconds(duration.count() / ms_a_second);
  to->set_nanos(static_cast<std::int32_t>(duration.count() % ms_a_second) * nanos_a_ms);
}

void write(v1::Retry& to, const Retry& retry) {
  constexpr double percent = 100;
  to.set_backoff(to_wire<v1::Backoff>(retry.backoff()));
  set_duration(to.mutable_base(), retry.base());
  if (retry.cap()) set_duration(to.mutable_cap(), *retry.cap());
  if (retry.jitter_percent()) to.set_jitter(*retry.jitter_percent() / percent);
}

void write(v1::SubmitTaskRequest& to, const sdk::Submission& submission) {
  to.set_task_uuid(submission.task_uuid);
  set_time(to.mutable_requested_at(), submission.requested_at);
  if (submission.template_) {
    to.set_namespace_(submission.template_->namespace_name());
    to.set_name(submission.template_->name());
    if (!submission.template_->version().empty()) to.set_version(submission.template_->version());
  } else {
    to.set_handler(submission.handler);
  }
  to.set_context(submission.context);
  const detail::IdentitySettings& identity = submission.options.identity();
  if (identity.key) to.set_idempotency_key(*identity.key);
  write_policies(to, identity);
  write_course(to, submission.options.settings());
  if (!submission.options.traceparent().empty()) to.set_traceparent(submission.options.traceparent());
}

void write(v1::StartWorkflowRequest& to, const sdk::WorkflowStart& start) {
  to.set_task_uuid(start.execution_id);
  set_time(to.mutable_requested_at(), start.requested_at);
  to.set_kind(start.kind);
  to.set_workflow_id(start.workflow_id);
  to.set_input(start.input);
  write_policies(to, start.options.identity());
  if (!start.options.queue().empty()) to.set_queue(start.options.queue());
  if (start.options.deadline()) set_time(to.mutable_deadline(), *start.options.deadline());
}

void write(v1::CreatePromiseRequest& to, const sdk::PromiseRequest& request) {
  to.set_task_uuid(request.promise_id);
  set_time(to.mutable_requested_at(), request.requested_at);
  if (request.promise.key) {
    to.set_idempotency_key(*request.promise.key);
    to.set_on_duplicate(v1::ON_DUPLICATE_RETURN_EXISTING);
  }
  if (request.promise.key_ttl) to.set_idempotency_key_ttl_seconds(whole_seconds(*request.promise.key_ttl));
  if (request.promise.timeout) to.set_timeout_ms(request.promise.timeout->count());
}

void write(v1::RejectPromiseRequest& to, const sdk::FailWith& how) { write_failure(to, how.error); }

void write(v1::QueueOptions& to, const QueueSettings& settings) {
  constexpr std::array<const char*, 3> reuses{"allow_duplicate_failed_only", "reject_duplicate", "allow_duplicate"};
  if (settings.retention()) to.set_retention(to_text(*settings.retention()));
  if (settings.rate_limit()) to.set_rate_limit(*settings.rate_limit());
  if (settings.max_running()) to.set_max_running(*settings.max_running());
  if (settings.max_running_per_key()) to.set_max_running_per_key(*settings.max_running_per_key());
  if (settings.paused()) to.set_paused(*settings.paused());
  if (settings.reuse()) to.set_reuse(reuses.at(static_cast<std::size_t>(*settings.reuse())));
  if (settings.dedup_window()) to.set_dedup_window(*settings.dedup_window());
}

void write(v1::Hello& to, const sdk::Poll& poll, const sdk::Lane& lane) {
  to.set_worker_id(poll.worker_id);
  to.set_lease_ms(poll.lease.count());
  for (const std::string& queue : lane.queues) to.add_queues(queue);
  for (const std::string& handler : lane.handlers) {
    if (handler.starts_with(workflow_prefix)) to.add_workflows(handler.substr(workflow_prefix.size()));
    else to.add_handlers(handler);
  }
}

void write(v1::Heartbeat& to, const std::string& attempt_id, const sdk::Heartbeat& heartbeat) {
  to.set_attempt_id(attempt_id);
  to.set_lease_ms(heartbeat.lease.count());
  if (!heartbeat.progress) return;
  const sdk::SaidProgress progress = sdk::read_progress(*heartbeat.progress);
  if (progress.done) to.set_progress(*progress.done);
  if (!progress.message.empty()) to.set_message(progress.message);
}

void write(v1::Outcome& to, const sdk::Answer& answer) {
  to.set_attempt_id(answer.attempt_id);
  if (const auto* completion = std::get_if<sdk::Completion>(&answer.what)) {
    v1::Complete& complete = *to.mutable_complete();
    if (completion->result) complete.set_result(*completion->result);
  } else if (const auto* failure = std::get_if<sdk::AttemptFailure>(&answer.what)) {
    v1::Fail& fail = *to.mutable_fail();
    write_failure(fail, failure->error);
    fail.set_retryable(failure->retryable);
    if (failure->retry_after) fail.set_retry_after_ms(failure->retry_after->count());
  } else {
    write(*to.mutable_activation(), std::get<sdk::ActivationEnd>(answer.what));
  }
}

}  // namespace semel::connected
