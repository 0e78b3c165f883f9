#include "api/grpc/views.hpp"

#include <map>

#include "api/codec/view_texts.hpp"
#include "api/grpc/steps.hpp"
#include "api/grpc/values.hpp"

namespace semel::rpc {
namespace {

void write_progress(v1::Progress& to, const domain::Progress& progress) {
  to.set_done(progress.millionths / 1e6);
  if (!progress.message.empty()) to.set_message(progress.message);
}

void write_named_task(v1::Task& to, const domain::NamedTask& named) {
  to.set_namespace_(named.namespace_);
  to.set_name(named.name);
  to.set_version(named.version);
  to.set_revision(named.revision);
  to.set_named_task_uuid(named.uuid.text());
}

void write_lease_of(v1::TaskLease& to, const domain::Attempt& attempt) {
  to.set_attempt_id(attempt.id.text());
  to.set_worker_id(attempt.worker);
  set_time(to.mutable_started_at(), attempt.started_at);
  set_time(to.mutable_expires_at(), attempt.lease_until);
  if (attempt.last_heartbeat_at) set_time(to.mutable_last_heartbeat_at(), *attempt.last_heartbeat_at);
}

/// The fields that every view of an execution has.
void write_execution(v1::Task& to, const domain::Execution& execution) {
  const domain::ExecutionSpec& spec = execution.spec;
  to.set_task_uuid(spec.id.text());
  to.set_task_id(execution.task_id());
  to.set_kind(std::string(name_of(spec.kind)));
  to.set_status(to_wire(execution.state));
  if (spec.named_task) write_named_task(to, *spec.named_task);
  if (spec.kind != domain::Kind::promise) to.set_handler(std::string(codec::shown_handler(spec.handler)));
  to.set_queue(spec.queue);
  to.set_priority(spec.priority);
  if (spec.key) to.set_idempotency_key(*spec.key);
  set_time(to.mutable_created_at(), execution.created_at);
  set_time(to.mutable_run_at(), execution.run_at);
  if (execution.started_at) set_time(to.mutable_started_at(), *execution.started_at);
  if (execution.closed_at) set_time(to.mutable_closed_at(), *execution.closed_at);
  if (execution.deadline) set_time(to.mutable_deadline(), *execution.deadline);
  if (execution.cancel_requested) to.set_cancel_requested(true);
  if (execution.progress) write_progress(*to.mutable_progress(), *execution.progress);
  if (execution.result) to.set_result(*execution.result);
  if (execution.error) to.set_error(*execution.error);
  if (execution.previous) to.set_previous_execution_id(execution.previous->text());
  if (!spec.step) return;
  to.set_run_id(spec.step->run.text());
  to.set_task_key(spec.step->task_key);
  if (spec.step->item) to.set_item(*spec.step->item);
}

void write_labels(v1::Task& to, const domain::Labels& labels) {
  for (const auto& [name, value] : labels) (*to.mutable_labels())[name] = value;
}

void write_retry(v1::Task& to, const domain::ExecutionSpec& spec) {
  to.set_max_attempts(spec.retry.max_attempts);
  v1::Retry& retry = *to.mutable_retry();
  retry.set_backoff(to_wire<v1::Backoff>(spec.retry.backoff));
  set_duration(retry.mutable_base(), spec.retry.base);
  set_duration(retry.mutable_cap(), spec.retry.cap);
  retry.set_jitter(spec.retry.jitter_percent / 1e2);
  if (spec.timeout) to.set_timeout_ms(spec.timeout->count());
  if (spec.concurrency_key) to.set_concurrency_key(*spec.concurrency_key);
}

void write_identity(v1::Identity& to, const engine::TaskView& view) {
  const domain::ExecutionSpec& spec = view.execution.spec;
  to.set_mode(std::string(name_of(spec.identity.mode)));
  to.set_strategy(std::string(name_of(spec.identity.strategy)));
  if (spec.identity.mode == domain::Mode::none) return;
  to.set_scope(std::string(name_of(spec.identity.scope)));
  to.set_hash(to_hex(spec.identity.hash));
  if (spec.identity.bucket) to.set_bucket(*spec.identity.bucket);
  to.set_window(codec::window_text(spec.window));
  to.set_held(view.held);
  if (view.window_end) set_time(to.mutable_window_end(), *view.window_end);
  if (view.execution.released_at) set_time(to.mutable_released_at(), *view.execution.released_at);
}

void write_attempt(v1::Attempt& to, const engine::TaskView& view, const domain::Attempt& attempt) {
  to.set_attempt_id(attempt.id.text());
  to.set_attempt(attempt.number);
  to.set_worker_id(attempt.worker);
  to.set_outcome(std::string(name_of(attempt.outcome)));
  set_time(to.mutable_started_at(), attempt.started_at);
  set_time(to.mutable_lease_expires_at(), attempt.lease_until);
  if (attempt.last_heartbeat_at) set_time(to.mutable_last_heartbeat_at(), *attempt.last_heartbeat_at);
  if (attempt.ended_at) set_time(to.mutable_ended_at(), *attempt.ended_at);
  if (attempt.error) to.set_error(*attempt.error);
  if (attempt.stale_results > 0) to.set_stale_results(attempt.stale_results);
  const StoredDispatch* const pushed = codec::pushed_in(view, attempt.number);
  const domain::DispatchIds ids =
      pushed != nullptr ? pushed->dispatch.ids : codec::dispatch_ids_of(view.execution, attempt.number);
  to.set_dispatch_id(ids.internal);
  to.set_external_id(ids.external);
}

void write_duplicates(v1::Duplicates& to, const DuplicateTally& tally) {
  to.set_at_least(tally.count);
  for (const DuplicateHit& hit : tally.last) {
    v1::Duplicates::Hit* last = to.add_last();
    set_time(last->mutable_at(), hit.at);
    last->set_key_id(hit.key_id);
    last->set_answer(hit.answer);
  }
}

}  // namespace

void write_task(v1::Task& to, const engine::TaskView& view) {
  const domain::ExecutionSpec& spec = view.execution.spec;
  write_execution(to, view.execution);
  to.set_created_by(spec.created_by);
  to.set_context(spec.context);
  write_labels(to, spec.labels);
  write_retry(to, spec);
  if (!spec.traceparent.empty()) to.set_traceparent(spec.traceparent);
  write_identity(*to.mutable_identity(), view);
  if (view.run) write_steps(to, spec.id, *view.run);
  for (const domain::Attempt& attempt : view.attempts) write_attempt(*to.add_attempts(), view, attempt);
  write_duplicates(*to.mutable_duplicates(), view.duplicates);
}

void write_page(v1::ListTasksResponse& to, const Page& page, const std::vector<domain::Attempt>& running) {
  std::map<domain::ExecutionId, const domain::Attempt*> held;
  for (const domain::Attempt& attempt : running) held[attempt.execution_id] = &attempt;
  for (const domain::Execution& execution : page.executions) {
    v1::Task& task = *to.add_tasks();
    write_execution(task, execution);
    task.set_attempt(execution.attempt);
    write_labels(task, execution.spec.labels);
    if (const auto lease = held.find(execution.spec.id); lease != held.end())
      write_lease_of(*task.mutable_lease(), *lease->second);
  }
  if (page.next) to.set_next_cursor(*page.next);
}

void write_holder(v1::Holder& to, const Held& held, std::optional<Time> window_end) {
  const domain::Holder& holder = held.holder;
  to.set_execution_id(holder.id.text());
  to.set_status(to_wire(holder.state));
  set_time(to.mutable_created_at(), holder.created_at);
  if (holder.closed_at) set_time(to.mutable_closed_at(), *holder.closed_at);
  if (holder.released_at) set_time(to.mutable_released_at(), *holder.released_at);
  to.set_window(codec::window_text(holder.window));
  if (window_end) set_time(to.mutable_window_end(), *window_end);
  if (holder.tombstone) to.set_result_expired(true);
}

void write_key(v1::FindTaskByKeyResponse& to, const engine::KeyView& view) {
  to.set_held(view.is_held);
  if (view.held.execution) write_execution(*to.mutable_task(), *view.held.execution);
  write_holder(*to.mutable_holder(), view.held, view.window_end);
}

void write_result(v1::AwaitResultResponse& to, const engine::ResultView& view) {
  to.set_status(to_wire(view.state));
  if (is_open(view.state)) return;
  if (view.closed_at) set_time(to.mutable_closed_at(), *view.closed_at);
  if (view.result) to.set_result(*view.result);
  if (view.error) to.set_error(*view.error);
}

}  // namespace semel::rpc
