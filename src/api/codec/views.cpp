#include <map>

#include "api/codec/answers.hpp"
#include "api/codec/dispatch.hpp"
#include "api/codec/run_answer.hpp"
#include "api/codec/view_members.hpp"
#include "api/codec/view_texts.hpp"
#include "base/json/writer.hpp"

namespace semel::codec {
namespace {

using domain::Execution;
using json::Writer;

void write_identity(Writer& writer, const domain::ExecutionSpec& spec) {
  writer.string("mode", name_of(spec.identity.mode)).string("strategy", name_of(spec.identity.strategy));
  if (spec.identity.mode == domain::Mode::none) return;
  writer.string("scope", name_of(spec.identity.scope)).string("hash", to_hex(spec.identity.hash));
  if (spec.identity.bucket) writer.integer("bucket", *spec.identity.bucket);
  write_window(writer, spec.window);
}

void write_progress(Writer& writer, const domain::Progress& progress) {
  writer.key("progress").begin_object();
  writer.raw("done", fmt::format("{}", progress.millionths / 1e6));
  if (!progress.message.empty()) writer.string("message", progress.message);
  writer.end_object();
}

void write_retry(Writer& writer, const domain::ExecutionSpec& spec) {
  const domain::RetryPolicy& retry = spec.retry;
  writer.integer("max_attempts", retry.max_attempts).key("retry").begin_object();
  writer.string("backoff", name_of(retry.backoff))
      .string("base", to_text(retry.base))
      .string("cap", to_text(retry.cap));
  writer.raw("jitter", fmt::format("{}", retry.jitter_percent / 1e2)).end_object();
  if (spec.timeout) writer.integer("timeout_ms", spec.timeout->count());
  if (spec.concurrency_key) writer.string("concurrency_key", *spec.concurrency_key);
}

/// The members that every view of an execution has.
void write_execution(Writer& writer, const Execution& execution) {
  const domain::ExecutionSpec& spec = execution.spec;
  writer.string("task_uuid", spec.id.text()).string("task_id", execution.task_id()).string("kind", name_of(spec.kind));
  writer.string("status", name_of(execution.state));
  if (spec.named_task) {
    writer.string("namespace", spec.named_task->namespace_).string("name", spec.named_task->name);
    writer.string("version", spec.named_task->version).integer("revision", spec.named_task->revision);
    writer.string("named_task_uuid", spec.named_task->uuid.text());
  }
  write_handler(writer, spec);
  writer.string("queue", spec.queue).integer("priority", spec.priority);
  if (spec.key) writer.string("idempotency_key", *spec.key);
  write_step_of(writer, spec);
  writer.string("created_at", to_rfc3339(execution.created_at)).string("run_at", to_rfc3339(execution.run_at));
  time_member(writer, "started_at", execution.started_at);
  time_member(writer, "closed_at", execution.closed_at);
  time_member(writer, "deadline", execution.deadline);
  if (execution.cancel_requested) writer.boolean("cancel_requested", true);
  if (execution.progress) write_progress(writer, *execution.progress);
  if (execution.result) writer.raw("result", *execution.result);
  if (execution.error) writer.raw("error", *execution.error);
  if (execution.previous) writer.string("previous_execution_id", execution.previous->text());
}

void write_attempts(Writer& writer, const engine::TaskView& view) {
  writer.key("attempts").begin_array();
  for (const domain::Attempt& attempt : view.attempts) {
    const StoredDispatch* const pushed = pushed_in(view, attempt.number);
    const domain::DispatchIds ids =
        pushed != nullptr ? pushed->dispatch.ids : dispatch_ids_of(view.execution, attempt.number);
    writer.begin_object().string("attempt_id", attempt.id.text()).integer("attempt", attempt.number);
    writer.string("worker_id", attempt.worker).string("outcome", name_of(attempt.outcome));
    writer.string("started_at", to_rfc3339(attempt.started_at))
        .string("lease_expires_at", to_rfc3339(attempt.lease_until));
    time_member(writer, "last_heartbeat_at", attempt.last_heartbeat_at);
    time_member(writer, "ended_at", attempt.ended_at);
    if (attempt.error) writer.raw("error", *attempt.error);
    if (attempt.stale_results > 0) writer.integer("stale_results", attempt.stale_results);
    writer.string("dispatch_id", ids.internal).string("external_id", ids.external);
    if (pushed != nullptr) write_push(writer, *pushed);
    writer.end_object();
  }
  writer.end_array();
  if (!view.timers.empty()) write_timers(writer, view.timers);
}

void write_held(Writer& writer, const domain::Attempt& attempt) {
  writer.key("lease").begin_object().string("attempt_id", attempt.id.text()).string("worker_id", attempt.worker);
  writer.string("started_at", to_rfc3339(attempt.started_at)).string("expires_at", to_rfc3339(attempt.lease_until));
  time_member(writer, "last_heartbeat_at", attempt.last_heartbeat_at);
  writer.end_object();
}

void write_duplicates(Writer& writer, const DuplicateTally& tally) {
  writer.key("duplicates").begin_object().integer("at_least", tally.count).key("last").begin_array();
  for (const DuplicateHit& hit : tally.last) {
    writer.begin_object()
        .string("at", to_rfc3339(hit.at))
        .string("key_id", hit.key_id)
        .string("answer", hit.answer)
        .end_object();
  }
  writer.end_array().end_object();
}

/// What a submission would be answered: status and, for refusals, code.
void write_would_answer(Writer& writer, const engine::ExplainView& view) {
  const engine::SubmitAnswer answer = would_answer(view);
  writer.integer("status", encode_submit(answer).status);
  if (const auto* duplicate = std::get_if<engine::DuplicateTask>(&answer)) {
    writer.string("answer", engine::summary_of(*duplicate));
  }
}

}  // namespace

Encoded encode_task(const engine::TaskView& view) {
  Writer writer;
  const domain::ExecutionSpec& spec = view.execution.spec;
  writer.begin_object();
  write_execution(writer, view.execution);
  writer.string("created_by", spec.created_by).raw("context", spec.context);
  write_labels(writer, spec.labels);
  write_retry(writer, spec);
  if (!spec.traceparent.empty()) writer.string("traceparent", spec.traceparent);
  writer.key("identity").begin_object();
  write_identity(writer, spec);
  if (spec.identity.mode != domain::Mode::none) {
    writer.boolean("held", view.held);
    time_member(writer, "window_end", view.window_end);
    time_member(writer, "released_at", view.execution.released_at);
  }
  writer.end_object();
  if (view.run) write_steps(writer, spec.id, *view.run);
  write_attempts(writer, view);
  write_duplicates(writer, view.duplicates);
  return {200, writer.end_object().take()};
}

Encoded encode_page(const Page& page, const std::vector<domain::Attempt>& running) {
  std::map<domain::ExecutionId, const domain::Attempt*> held;
  for (const domain::Attempt& attempt : running) held[attempt.execution_id] = &attempt;
  Writer writer;
  writer.begin_object().key("tasks").begin_array();
  for (const Execution& execution : page.executions) {
    writer.begin_object();
    write_execution(writer, execution);
    writer.integer("attempt", execution.attempt);
    write_labels(writer, execution.spec.labels);
    if (const auto lease = held.find(execution.spec.id); lease != held.end()) write_held(writer, *lease->second);
    writer.end_object();
  }
  writer.end_array();
  if (page.next) writer.string("next_cursor", *page.next);
  return {200, writer.end_object().take()};
}

Encoded encode_bulk(const engine::BulkAnswer& answer) {
  Writer writer;
  writer.begin_object().integer("matched", answer.matched).integer("done", answer.done);
  if (answer.next) writer.string("next_cursor", *answer.next);
  return {200, writer.end_object().take()};
}

Encoded encode_key(const engine::KeyView& view) {
  Writer writer;
  writer.begin_object().boolean("held", view.is_held);
  if (view.held.execution) write_execution(writer, *view.held.execution);
  writer.key("holder");
  write_holder(writer, view.held, view.window_end);
  return {200, writer.end_object().take()};
}

Encoded encode_result(const engine::ResultView& view) {
  Writer writer;
  writer.begin_object().string("status", name_of(view.state));
  if (is_open(view.state)) return {202, writer.end_object().take()};
  time_member(writer, "closed_at", view.closed_at);
  if (view.result) writer.raw("result", *view.result);
  if (view.error) writer.raw("error", *view.error);
  return {200, writer.end_object().take()};
}

Encoded encode_explain(const engine::ExplainView& view) {
  Writer writer;
  const domain::ExecutionSpec& spec = view.plan.spec;
  writer.begin_object().string("would", action_name(view.explanation.action)).string("why", view.explanation.why);
  writer.string("kind", name_of(spec.kind)).integer("step_count", view.plan.step_count);
  write_would_answer(writer, view);
  writer.key("identity").begin_object();
  write_identity(writer, spec);
  if (spec.identity.mode != domain::Mode::none) {
    writer.string("material", view.plan.material);
    writer.string("scope_value", scope_text(view.plan));
  }
  if (spec.named_task) writer.string("named_task_uuid", spec.named_task->uuid.text());
  if (spec.fingerprint) writer.string("fingerprint", to_hex(*spec.fingerprint));
  writer.end_object();
  writer.string("reuse", name_of(view.plan.reuse)).string("on_duplicate", name_of(view.plan.on_duplicate));
  writer.string("on_payload_mismatch", name_of(view.plan.on_payload_mismatch));
  if (view.held) {
    writer.key("holder");
    write_holder(writer, *view.held, view.explanation.window_end);
  }
  if (!view.pointers.empty()) {
    writer.key("pointers").begin_array();
    for (const std::string& pointer : view.pointers) writer.string(pointer);
    writer.end_array();
  }
  return {200, writer.end_object().take()};
}

Encoded encode_released(const Released& released) {
  Writer writer;
  writer.begin_object().boolean("released", true).string("execution_id", released.holder->text());
  return {200, writer.end_object().take()};
}

Encoded encode_cancel(domain::ExecutionId id, const CancelAnswer& answer, std::string_view id_name) {
  Writer writer;
  writer.begin_object().string(id_name, id.text()).string("status", name_of(*answer.state));
  const bool requested = answer.kind == CancelAnswer::Kind::requested;
  if (requested) writer.boolean("cancel_requested", true);
  return {requested ? 202 : 200, writer.end_object().take()};
}

Encoded encode_state(domain::ExecutionId id, domain::State state) {
  Writer writer;
  writer.begin_object().string("task_uuid", id.text()).string("status", name_of(state));
  return {200, writer.end_object().take()};
}

void write_lease(Writer& writer, const Lease& lease, const domain::DispatchIds& ids) {
  const domain::ExecutionSpec& spec = lease.execution.spec;
  writer.string("attempt_id", lease.attempt_id.text()).string("task_uuid", spec.id.text());
  writer.string("task_id", lease.execution.task_id()).string("handler", spec.handler).string("queue", spec.queue);
  writer.integer("attempt", lease.execution.attempt);
  write_input(writer, lease);
  writer.string("lease_expires_at", to_rfc3339(lease.lease_until)).string("effect_key", spec.id.text());
  writer.string("dispatch_id", ids.internal).string("external_id", ids.external);
  write_labels(writer, spec.labels);
  if (!spec.traceparent.empty()) writer.string("traceparent", spec.traceparent);
}

void write_leases(Writer& writer, const std::vector<Lease>& leases) {
  writer.key("leases").begin_array();
  for (const Lease& lease : leases) {
    writer.begin_object();
    write_lease(writer, lease, dispatch_ids_of(lease.execution, lease.execution.attempt));
    writer.end_object();
  }
  writer.end_array();
}

Encoded encode_leases(const std::vector<Lease>& leases) {
  Writer writer;
  writer.begin_object();
  write_leases(writer, leases);
  return {200, writer.end_object().take()};
}

}  // namespace semel::codec
