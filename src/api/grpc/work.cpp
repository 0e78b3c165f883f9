#include "api/grpc/work.hpp"

#include "api/codec/query.hpp"
#include "api/codec/retry.hpp"
#include "api/codec/view_texts.hpp"
#include "api/codec/work_values.hpp"
#include "api/grpc/commands.hpp"
#include "api/grpc/status.hpp"
#include "api/grpc/values.hpp"
#include "api/grpc/workflow_views.hpp"

namespace semel::rpc {
namespace {

using Engine = engine::Engine;

Result<Engine::Success> read_success(const v1::Complete& complete) {
  if (Result<void> known = check_known(complete); !known) return pass_on(known.error());
  Engine::Success success;
  if (!complete.has_result()) return success;
  std::string canonical;  // checked like a context, stored as written
  const Result<std::string_view> result = codec::read_value("result", complete.result(), canonical);
  if (!result) return pass_on(result.error());
  if (Result<void> fits = codec::check_payload("result", result->size()); !fits) return pass_on(fits.error());
  success.result = *result;
  return success;
}

Result<Engine::Failure> read_failure(const v1::Fail& fail) {
  if (Result<void> known = check_known(fail); !known) return pass_on(known.error());
  Result<std::string> error = codec::make_failure(
      fail.type(), fail.message(), fail.has_details() ? std::optional<std::string_view>(fail.details()) : std::nullopt);
  if (!error) return pass_on(error.error());
  Engine::Failure failure{*std::move(error)};
  if (fail.has_retryable()) failure.retryable = fail.retryable();
  if (!fail.has_retry_after_ms()) return failure;
  const Result<Duration> after = codec::retry_after_of(fail.retry_after_ms());
  if (!after) return pass_on(after.error());
  failure.retry_after = *after;
  return failure;
}

/// What a task of a run is given is not in its row.
void write_input(v1::Lease& to, const Lease& lease) {
  const domain::ExecutionSpec& spec = lease.execution.spec;
  to.set_context(lease.input ? lease.input->context : spec.context);
  if (!lease.input) return;
  for (const domain::Upstream& each : lease.input->upstream) {
    v1::Upstream& upstream = (*to.mutable_upstream())[each.step];
    upstream.set_status(std::string(shown_state(each.state)));
    if (each.result) upstream.set_result(*each.result);
    if (each.error) upstream.set_error(*each.error);
  }
  to.set_run_id(spec.step->run.text());
  to.set_task_key(spec.step->task_key);
  if (spec.step->item) to.set_item(*spec.step->item);
  if (lease.input->index) to.set_index(*lease.input->index);
}

void write_activation(v1::Activation& to, const Activation& activation) {
  to.set_first_event(activation.first_event);
  to.set_seen(activation.seen);
  to.set_history_length(activation.history_length);
  to.set_last_command(activation.last_command);
  for (const HistoryEntry& entry : activation.events) write_history_event(*to.add_events(), entry);
}

}  // namespace

Result<Engine::PollRequest> read_hello(const v1::Hello& hello) {
  if (Result<void> known = check_known(hello); !known) return pass_on(known.error());
  codec::PollDraft draft;
  if (!hello.worker_id().empty()) draft.worker = hello.worker_id();
  if (hello.queues_size() > 0) draft.queues.emplace(hello.queues().begin(), hello.queues().end());
  if (hello.handlers_size() > 0) draft.handlers.emplace(hello.handlers().begin(), hello.handlers().end());
  if (hello.workflows_size() > 0) draft.workflows.emplace(hello.workflows().begin(), hello.workflows().end());
  for (const auto& [queue, weight] : hello.weights()) {
    if (Result<void> fits = codec::check_weight(weight); !fits) return pass_on(fits.error());
    draft.weights[queue] = weight;
  }
  if (hello.has_lease_ms()) {
    const Result<Duration> lease = codec::lease_of(hello.lease_ms());
    if (!lease) return pass_on(lease.error());
    draft.lease = *lease;
  }
  return codec::finish_poll(std::move(draft));
}

Result<Engine::Ending> read_outcome(const v1::Outcome& outcome) {
  if (Result<void> known = check_known(outcome); !known) return pass_on(known.error());
  const Result<domain::AttemptId> id = codec::parse_id<domain::AttemptId>(outcome.attempt_id());
  if (!id) return pass_on(id.error());
  if (outcome.has_complete()) {
    Result<Engine::Success> success = read_success(outcome.complete());
    if (!success) return pass_on(success.error());
    return Engine::Ending{*id, *std::move(success)};
  }
  if (outcome.has_activation()) {
    Result<Engine::CodeAnswer> answer = read_activation_answer(outcome.activation());
    if (!answer) return pass_on(answer.error());
    return Engine::Ending{*id, *std::move(answer)};
  }
  if (!outcome.has_fail()) return bad_request("exactly one of complete, fail and activation is required");
  Result<Engine::Failure> failure = read_failure(outcome.fail());
  if (!failure) return pass_on(failure.error());
  return Engine::Ending{*id, *std::move(failure)};
}

Result<HeartbeatValues> read_heartbeat(const v1::Heartbeat& heartbeat) {
  if (Result<void> known = check_known(heartbeat); !known) return pass_on(known.error());
  const Result<domain::AttemptId> id = codec::parse_id<domain::AttemptId>(heartbeat.attempt_id());
  if (!id) return pass_on(id.error());
  HeartbeatValues values{*id};
  if (heartbeat.has_lease_ms()) {
    const Result<Duration> lease = codec::lease_of(heartbeat.lease_ms());
    if (!lease) return pass_on(lease.error());
    values.lease = *lease;
  }
  if (heartbeat.has_progress() || heartbeat.has_message()) values.progress.emplace();
  if (heartbeat.has_progress()) {
    const Result<int> millionths = codec::parts_of("progress", heartbeat.progress(), 1'000'000);
    if (!millionths) return pass_on(millionths.error());
    values.progress->millionths = *millionths;
  }
  if (!heartbeat.has_message()) return values;
  if (Result<void> fits = codec::check_progress_message(heartbeat.message()); !fits) return pass_on(fits.error());
  values.progress->message = heartbeat.message();
  return values;
}

void write_lease(v1::Lease& to, const Lease& lease) {
  const domain::ExecutionSpec& spec = lease.execution.spec;
  to.set_attempt_id(lease.attempt_id.text());
  to.set_task_uuid(spec.id.text());
  to.set_task_id(lease.execution.task_id());
  to.set_handler(std::string(codec::shown_handler(spec.handler)));
  to.set_queue(spec.queue);
  to.set_attempt(lease.execution.attempt);
  write_input(to, lease);
  set_time(to.mutable_lease_expires_at(), lease.lease_until);
  to.set_effect_key(spec.id.text());
  const domain::DispatchIds ids = codec::dispatch_ids_of(lease.execution, lease.execution.attempt);
  to.set_dispatch_id(ids.internal);
  to.set_external_id(ids.external);
  for (const auto& [name, value] : spec.labels) (*to.mutable_labels())[name] = value;
  if (!spec.traceparent.empty()) to.set_traceparent(spec.traceparent);
  if (lease.activation) write_activation(*to.mutable_activation(), *lease.activation);
}

void write_outcome(v1::OutcomeAnswer& to, const Result<AttemptAnswer>& answer) {
  if (!answer) return write_error(*to.mutable_error(), codec::refusal_of(answer.error()));
  v1::OutcomeAnswer::Recorded& recorded = *to.mutable_recorded();
  recorded.set_task_uuid(answer->execution_id.text());
  recorded.set_status(to_wire(*answer->state));
  if (answer->kind == AttemptAnswer::Kind::already_recorded) recorded.set_already_recorded(true);
}

void write_heartbeat(v1::HeartbeatAnswer& to, const Result<AttemptAnswer>& answer) {
  if (!answer) return write_error(*to.mutable_error(), codec::refusal_of(answer.error()));
  set_time(to.mutable_extended()->mutable_lease_expires_at(), *answer->lease_until);
  to.mutable_extended()->set_should_cancel(answer->should_cancel);
}

}  // namespace semel::rpc
