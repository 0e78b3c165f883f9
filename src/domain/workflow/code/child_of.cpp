#include "base/json/canonical.hpp"
#include "base/sha256.hpp"
#include "domain/workflow/code/course.hpp"
#include "domain/workflow/code/names.hpp"

/// What is made of commands: specs of tasks, promises and workflows.
namespace semel::domain::code {
namespace {

NewChild begin_child(const Workflow& workflow, std::int64_t number, std::string_view what, Kind kind) {
  NewChild child;
  child.command = number;
  ExecutionSpec& spec = child.spec;
  spec.tenant = workflow.spec.tenant;
  spec.id = child_id(workflow.spec.id, number);
  spec.kind = kind;
  spec.step = StepOf{workflow.spec.id, child_key(what, number), std::nullopt};
  spec.queue = workflow.spec.queue;
  spec.priority = workflow.spec.priority;
  spec.head_start = workflow.spec.head_start;
  spec.created_by = workflow.spec.created_by;
  spec.traceparent = workflow.spec.traceparent;
  return child;
}

/// A key stands in the scope of the tenant. Queue and context must be known.
Result<void> identify_child(ExecutionSpec& spec, const WorkflowData& data, const std::string& key,
                            std::optional<Duration> ttl) {
  const Result<std::string> canonical = json::canonicalize(spec.context);
  if (!canonical) return pass_on(canonical.error());
  const QueueSettings queue = data.settings(spec.queue);
  spec.key = key;
  spec.identity.mode = Mode::key;
  spec.identity.strategy = Strategy::caller_provided;
  spec.identity.scope = Scope::tenant;
  spec.identity.hash = hash_of_key(spec.tenant, key);
  spec.fingerprint = sha256(*canonical);
  spec.window = choose_window({ttl, std::nullopt, queue.dedup_window, retention_of(queue, spec.kind)});
  return {};
}

void set_deadline(NewChild& child, std::optional<Duration> after, Time now) {
  if (after) child.deadline = now + *after;
}

}  // namespace

Hash32 hash_of_key(std::string_view tenant, std::string_view key) {
  return identity_hash({Mode::key, tenant, Scope::tenant, "", key, std::nullopt});
}

Result<NewChild> child_of(const Workflow& workflow, const WorkflowData& data, std::int64_t number,
                          const ScheduleTask& task, Time now) {
  NewChild child = begin_child(workflow, number, task.handler, Kind::task);
  ExecutionSpec& spec = child.spec;
  spec.handler = task.handler;
  if (task.queue) spec.queue = *task.queue;
  if (task.priority) spec.priority = *task.priority;
  if (task.head_start) spec.head_start = *task.head_start;
  spec.retry = apply_settings(RetryPolicy{}, task.retry);
  spec.timeout = task.timeout;
  spec.concurrency_key = task.concurrency_key;
  spec.context = task.context;
  spec.labels = task.labels;
  child.run_at = now + task.delay;
  child.on_conflict = task.on_conflict;
  set_deadline(child, task.deadline_after, now);
  if (!task.key) return child;
  if (Result<void> identified = identify_child(spec, data, *task.key, task.ttl); !identified)
    return pass_on(identified.error());
  return child;
}

Result<NewChild> child_of(const Workflow& workflow, const WorkflowData& data, std::int64_t number,
                          const StartChild& asked, Time now) {
  if (asked.on_conflict == KeyConflict::attach)
    return bad_request("a child workflow is never attached to another: two could wait for each other");
  std::string handler = handler_of_workflow(asked.kind);
  NewChild child = begin_child(workflow, number, handler, Kind::workflow);
  ExecutionSpec& spec = child.spec;
  spec.handler = std::move(handler);
  if (asked.queue) spec.queue = *asked.queue;
  spec.context = asked.input;
  spec.labels = asked.labels;
  child.run_at = now;
  child.on_conflict = asked.on_conflict;
  child.abandon = asked.abandon;
  set_deadline(child, asked.deadline_after, now);
  const std::string key = key_of(workflow, {number, asked}).value();
  if (Result<void> identified = identify_child(spec, data, key, asked.ttl); !identified)
    return pass_on(identified.error());
  return child;
}

Result<NewChild> child_of(const Workflow& workflow, const WorkflowData& data, std::int64_t number,
                          const CreatePromise& promise, Time now) {
  NewChild child = begin_child(workflow, number, "promise", Kind::promise);
  child.spec.handler = promise_handler;
  child.spec.context = "{}";
  child.run_at = now;
  child.on_conflict = promise.on_conflict;
  set_deadline(child, promise.timeout, now);
  if (!promise.key) return child;
  if (Result<void> identified = identify_child(child.spec, data, *promise.key, promise.ttl); !identified)
    return pass_on(identified.error());
  return child;
}

}  // namespace semel::domain::code
