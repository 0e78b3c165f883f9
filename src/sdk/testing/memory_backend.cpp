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
  execution.created_at = now_;
  execution.run_at = now_;
  return execution;
}

MemoryBackend::Execution* MemoryBackend::find(const std::string& id) {
  const auto found = executions_.find(id);
  return found == executions_.end() ? nullptr : &found->second;
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
  execution.closed_at = now_;
  execution.attempt_id.clear();
  for (Execution::Waiter& waiter : std::exchange(execution.waiters, {})) {
    calls_.push_back(
        [then = std::move(waiter.then), state = State{execution.status, execution.closing}] { then(state); });
  }
  has_closed(execution);
  tell_attached(execution);
}

// ---- what clients ask

Reply<Submitted> MemoryBackend::submit_one(const Submission& submission) {
  if (const Execution* same = find(submission.task_uuid)) return Submitted{same->id, false, same->status};
  const detail::IdentitySettings& identity = submission.options.identity();
  const std::string handler = submission.template_ ? submission.template_->name() : submission.handler;
  const std::string key = identity.key.value_or("");
  constexpr auto kind = Execution::Kind::task;
  const KeyRequest request{kind, handler, key, identify(kind, submission.context, identity.ttl)};
  if (identity.key) {
    if (const auto held = answer_held(request, identity)) return *held;
  }
  Execution& task = make(kind, submission.task_uuid, handler);
  if (identity.key) take_key(task, request);
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
    constexpr auto kind = Execution::Kind::workflow;
    const detail::IdentitySettings& identity = start.options.identity();
    const KeyRequest request{kind, handler, start.workflow_id, identify(kind, start.input, identity.ttl)};
    if (const auto held = answer_held(request, identity)) return *held;
    Execution& workflow = make(kind, start.execution_id, handler);
    take_key(workflow, request);
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

Reply<std::optional<std::string>> MemoryBackend::custom_status(const Target& workflow) {
  return locked([&]() -> Reply<std::optional<std::string>> {
    const Execution* found = find(workflow);
    if (!found || found->kind != Execution::Kind::workflow) return refused("NOT_FOUND", "no such workflow");
    return found->status_text;
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
    if (is_closed(workflow->status))
      return refused("FAILED_PRECONDITION", "the workflow has closed: nobody would hear the signal");
    if (!request.key.empty()) workflow->signal_keys.insert(key);
    append(*workflow, "signal_received", "", signal_detail(request.name, request.value));
    wake(*workflow);
    return true;
  });
}

Reply<Submitted> MemoryBackend::create_promise(const PromiseRequest& request) {
  return locked([&]() -> Reply<Submitted> {
    if (const Execution* same = find(request.promise_id)) return Submitted{same->id, false, same->status};
    constexpr auto kind = Execution::Kind::promise;
    const std::string handler(promise_handler);
    const std::string key = request.promise.key.value_or("");
    const KeyRequest asked{kind, handler, key, identify(kind, promise_context, request.promise.key_ttl)};
    if (request.promise.key) {
      detail::IdentitySettings settings;
      settings.on_duplicate = OnDuplicate::return_existing;
      if (const auto held = answer_held(asked, settings)) return *held;
    }
    Execution& promise = make(kind, request.promise_id, handler);
    if (request.promise.key) take_key(promise, asked);
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
    if (is_closed(execution->status)) return refused("NOT_CANCELLABLE", "it has closed already");
    return cancel_one(*execution, request.force);
  });
}

Reply<void> MemoryBackend::configure_queue(const std::string& name, const QueueSettings& settings) {
  locked([&] { queues_.insert_or_assign(name, settings); });
  return {};
}

}  // namespace semel::sdk
