#include "sdk/testing/memory_backend.hpp"

#include <algorithm>

#include "base/uuid.hpp"
#include "sdk/testing/memory_events.hpp"
#include "sdk/testing/memory_locked.hpp"
#include "sdk/workflow/recorded.hpp"

namespace semel::sdk {

// ---- executions

MemoryBackend::Execution& MemoryBackend::make(Execution::Kind kind, std::string id, std::string handler) {
  Execution& execution = executions_[id];
  execution.id = std::move(id);
  execution.kind = kind;
  execution.handler = std::move(handler);
  execution.made = ++made_;
  execution.run_at = now_;
  return execution;
}

MemoryBackend::Execution* MemoryBackend::find(const std::string& id) {
  const auto found = executions_.find(id);
  return found == executions_.end() ? nullptr : &found->second;
}

MemoryBackend::Execution* MemoryBackend::holder_of(const std::string& key) {
  const auto found = keys_.find(key);
  return found == keys_.end() ? nullptr : find(found->second);
}

MemoryBackend::Execution* MemoryBackend::find(const Target& target) {
  return target.id.empty() ? holder_of(target.key) : find(target.id);
}

/// The same ones in every run of a test.
std::string MemoryBackend::next_id() { return Uuid::v5(uuid_namespace_dns(), std::to_string(++ids_)).text(); }

void MemoryBackend::close(Execution& execution, detail::Closing closing) {
  if (is_closed(execution.status)) return;
  execution.status = closing.status;
  execution.closing = std::move(closing);
  execution.attempt_id.clear();
  for (Execution::Waiter& waiter : std::exchange(execution.waiters, {})) {
    calls_.push_back(
        [then = std::move(waiter.then), state = State{execution.status, execution.closing}] { then(state); });
  }
  has_closed(execution);
  for (auto& [id, other] : executions_) {
    if (other.attached_to == execution.id) close(other, execution.closing);
  }
}

// ---- what clients ask

namespace {

/// What a request gets that finds its key held, if it is.
std::optional<Reply<Submitted>> answer_held(const MemoryExecution* holder, const detail::IdentitySettings& identity,
                                            const std::string& handler, const std::string& context) {
  if (!holder) return std::nullopt;
  const bool has_failed = is_closed(holder->status) && holder->status != Status::completed;
  const ReusePolicy reuse = identity.reuse.value_or(ReusePolicy::allow_duplicate_failed_only);
  if (has_failed && reuse != ReusePolicy::reject_duplicate) return std::nullopt;
  if (holder->status == Status::completed && reuse == ReusePolicy::allow_duplicate) return std::nullopt;
  if (holder->handler != handler) {
    return refused("IDEMPOTENCY_KEY_CONFLICT", "the key is used by something else");
  }
  if (holder->context != context && !identity.ignores_payload) {
    return refused("IDEMPOTENCY_KEY_MISMATCH", "the key was used with another payload");
  }
  if (identity.on_duplicate.value_or(OnDuplicate::reject) == OnDuplicate::return_existing) {
    return Submitted{holder->id, false, holder->status};
  }
  return refused("CONFLICT", "A task with this identity already exists.");
}

}  // namespace

Reply<Submitted> MemoryBackend::submit_one(const Submission& submission) {
  if (const Execution* same = find(submission.task_uuid)) return Submitted{same->id, false, same->status};
  const detail::IdentitySettings& identity = submission.options.identity();
  const std::string handler = submission.template_ ? submission.template_->name() : submission.handler;
  if (identity.key) {
    const auto held = answer_held(holder_of(*identity.key), identity, handler, submission.context);
    if (held) return *held;
    keys_[*identity.key] = submission.task_uuid;
  }
  Execution& task = make(Execution::Kind::task, submission.task_uuid, handler);
  task.key = identity.key.value_or("");
  task.context = submission.context;
  task.settings = submission.options.settings();
  task.deadline = task.settings.deadline;
  if (task.settings.run_at) task.run_at = *task.settings.run_at;
  if (task.settings.delay) task.run_at = now_ + *task.settings.delay;
  return Submitted{task.id, true, task.status};
}

std::vector<Reply<Submitted>> MemoryBackend::submit(std::span<const Submission> submissions) {
  return locked([&] {
    std::vector<Reply<Submitted>> answers;
    for (const Submission& each : submissions) answers.push_back(submit_one(each));
    return answers;
  });
}

Reply<Submitted> MemoryBackend::start_workflow(const WorkflowStart& start) {
  return locked([&]() -> Reply<Submitted> {
    if (const Execution* same = find(start.execution_id)) return Submitted{same->id, false, same->status};
    const std::string handler = "workflow:" + start.kind;
    const auto held = answer_held(holder_of(start.workflow_id), start.options.identity(), handler, start.input);
    if (held) return *held;
    keys_[start.workflow_id] = start.execution_id;
    Execution& workflow = make(Execution::Kind::workflow, start.execution_id, handler);
    workflow.key = start.workflow_id;
    workflow.context = start.input;
    workflow.settings.queue = start.options.queue();
    workflow.deadline = start.options.deadline();
    append(workflow, "run_started", "", started_detail(start.kind, start.input));
    return Submitted{workflow.id, true, workflow.status};
  });
}

void MemoryBackend::await_result(const std::string& id, Duration wait, std::function<void(Reply<State>)> then) {
  locked([&] {
    Execution* execution = find(id);
    if (!execution) {
      calls_.push_back([then] { then(refused("NOT_FOUND", "no such execution")); });
    } else if (is_closed(execution->status) || wait <= Duration::zero()) {
      calls_.push_back([then, state = State{execution->status, execution->closing}] { then(state); });
    } else {
      execution->waiters.push_back({now_ + wait, std::move(then)});
    }
  });
}

Reply<bool> MemoryBackend::signal(const SignalRequest& request) {
  return locked([&]() -> Reply<bool> {
    Execution* workflow = find(request.workflow);
    if (!workflow || workflow->kind != Execution::Kind::workflow) {
      return refused("NOT_FOUND", "no such workflow");
    }
    const std::string key = request.name + '\n' + request.key;
    if (!request.key.empty() && workflow->signal_keys.contains(key)) return false;
    if (is_closed(workflow->status)) return refused("TASK_ALREADY_CLOSED", "the workflow has closed");
    if (!request.key.empty()) workflow->signal_keys.insert(key);
    append(*workflow, "signal_received", "", signal_detail(request.name, request.value));
    wake(*workflow);
    return true;
  });
}

Reply<Submitted> MemoryBackend::create_promise(const PromiseRequest& request) {
  return locked([&]() -> Reply<Submitted> {
    if (const Execution* same = find(request.promise_id)) return Submitted{same->id, false, same->status};
    if (request.promise.key) {
      detail::IdentitySettings identity;
      identity.on_duplicate = OnDuplicate::return_existing;
      const auto held = answer_held(holder_of(*request.promise.key), identity, "promise:", "");
      if (held) return *held;
      keys_[*request.promise.key] = request.promise_id;
    }
    Execution& promise = make(Execution::Kind::promise, request.promise_id, "promise:");
    promise.key = request.promise.key.value_or("");
    if (request.promise.timeout) promise.deadline = now_ + *request.promise.timeout;
    return Submitted{promise.id, true, promise.status};
  });
}

Reply<bool> MemoryBackend::settle_promise(const Settlement& settlement) {
  return locked([&]() -> Reply<bool> {
    Execution* promise = find(settlement.promise);
    if (!promise || promise->kind != Execution::Kind::promise) {
      return refused("NOT_FOUND", "no such promise");
    }
    if (is_closed(promise->status)) return false;
    if (const auto* kept = std::get_if<EndWith>(&settlement.how)) {
      close(*promise, {Status::completed, kept->result, {}});
    } else {
      close(*promise, {Status::failed, std::nullopt, std::get<FailWith>(settlement.how).error});
    }
    return true;
  });
}

Status MemoryBackend::cancel_one(Execution& execution, bool force) {
  if (is_closed(execution.status)) return execution.status;
  if (execution.kind == Execution::Kind::workflow) leave_open_parts(execution);
  if (execution.status == Status::running && !force) {
    execution.is_cancel_requested = true;
    return execution.status;
  }
  close(execution, {Status::cancelled, std::nullopt, error_text("cancelled", "it was cancelled")});
  return execution.status;
}

Reply<Status> MemoryBackend::cancel(const CancelRequest& request) {
  return locked([&]() -> Reply<Status> {
    Execution* execution = find(request.execution);
    if (!execution) return refused("NOT_FOUND", "no such execution");
    return cancel_one(*execution, request.force);
  });
}

Reply<void> MemoryBackend::configure_queue(const std::string& name, const QueueSettings& settings) {
  locked([&] { queues_.insert_or_assign(name, settings); });
  return {};
}

}  // namespace semel::sdk
