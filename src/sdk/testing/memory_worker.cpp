#include <algorithm>

#include "sdk/testing/memory_locked.hpp"
#include "sdk/workflow/recorded.hpp"

// What workers ask of the server in memory.
namespace semel::sdk {
namespace {

constexpr int usual_max_attempts = 3;
constexpr Duration usual_pause{1'000};

bool is_in(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::string queue_of(const MemoryExecution& execution) {
  return execution.settings.queue.empty() ? "default" : execution.settings.queue;
}

bool comes_before(const MemoryExecution* left, const MemoryExecution* right) {
  const int left_priority = left->settings.priority.value_or(0);
  const int right_priority = right->settings.priority.value_or(0);
  return left_priority != right_priority ? left_priority > right_priority : left->made < right->made;
}

Duration pause_before_next(const MemoryExecution& execution) {
  const Duration base = execution.settings.retry ? execution.settings.retry->base() : usual_pause;
  return base * (1 << std::min(execution.attempts - 1, 10));
}

}  // namespace

Reply<std::vector<Lease>> MemoryBackend::poll(const Poll& poll, std::stop_token stop) {
  std::unique_lock lock(mutex_);
  std::vector<Lease> leases = claim(poll);
  if (leases.empty() && poll.wait > Duration::zero()) {
    changed_.wait(lock, stop, [&] {
      leases = claim(poll);
      return !leases.empty();
    });
  }
  return leases;
}

std::vector<Lease> MemoryBackend::claim(const Poll& poll) {
  std::vector<Lease> leases;
  for (const Lane& lane : poll.lanes) {
    std::vector<Execution*> found;
    for (auto& [id, execution] : executions_) {
      const bool is_ready = execution.status == Status::pending && execution.run_at <= now_ &&
                            execution.kind != Execution::Kind::promise && execution.attached_to.empty();
      if (is_ready && is_in(lane.queues, queue_of(execution)) && is_in(lane.handlers, execution.handler)) {
        found.push_back(&execution);
      }
    }
    std::sort(found.begin(), found.end(), comes_before);
    const auto room = std::min(found.size(), static_cast<std::size_t>(std::max(lane.room, 0)));
    for (std::size_t i = 0; i < room; ++i) leases.push_back(lease_to(*found[i], poll.lease));
  }
  return leases;
}

Lease MemoryBackend::lease_to(Execution& execution, Duration time) {
  execution.status = Status::running;
  execution.attempt_id = next_id();
  execution.lease_until = now_ + time;
  ++execution.attempts;
  attempts_[execution.attempt_id] = execution.id;
  Lease lease;
  lease.attempt_id = execution.attempt_id;
  lease.task_uuid = execution.id;
  lease.handler = execution.handler;
  lease.queue = queue_of(execution);
  lease.attempt = execution.attempts;
  lease.context = execution.context;
  lease.effect_key = execution.id;
  lease.labels = execution.settings.labels;
  lease.lease_until = execution.lease_until;
  if (execution.kind == Execution::Kind::workflow) lease.activation = activation_of(execution);
  return lease;
}

Activation MemoryBackend::activation_of(Execution& workflow) {
  Activation activation;
  activation.kind = workflow.handler.substr(workflow.handler.find(':') + 1);
  activation.workflow_id = workflow.key;
  activation.input = workflow.context;
  activation.from = workflow.from;
  activation.seen = workflow.seen;
  activation.history_length = workflow.history.size();
  activation.last_command = workflow.last_command;
  const auto begin = workflow.history.begin() + static_cast<std::ptrdiff_t>(workflow.seen);
  const auto count =
      std::min<std::ptrdiff_t>(workflow.history.end() - begin, static_cast<std::ptrdiff_t>(events_a_lease_));
  activation.events.assign(begin, begin + count);
  return activation;
}

std::vector<Reply<AnswerOutcome>> MemoryBackend::answer(std::span<const Answer> answers) {
  return locked([&] {
    std::vector<Reply<AnswerOutcome>> outcomes;
    for (const Answer& each : answers) outcomes.push_back(answer_one(each));
    return outcomes;
  });
}

AnswerOutcome MemoryBackend::answer_one(const Answer& answer) {
  const auto whose = attempts_.find(answer.attempt_id);
  Execution* execution = whose == attempts_.end() ? nullptr : find(whose->second);
  if (!execution || execution->attempt_id != answer.attempt_id) return {AnswerOutcome::Kind::stale, false};
  if (const auto* heartbeat = std::get_if<Heartbeat>(&answer.what)) {
    execution->lease_until = now_ + heartbeat->lease;
    return {AnswerOutcome::Kind::recorded, execution->is_cancel_requested};
  }
  if (const auto* completion = std::get_if<Completion>(&answer.what)) {
    close(*execution, {Status::completed, completion->result, {}});
  } else if (const auto* failure = std::get_if<AttemptFailure>(&answer.what)) {
    fail_attempt(*execution, *failure);
  } else {
    end_activation(*execution, std::get<ActivationEnd>(answer.what));
  }
  return {AnswerOutcome::Kind::recorded, false};
}

void MemoryBackend::fail_attempt(Execution& execution, const AttemptFailure& failure) {
  execution.attempt_id.clear();
  if (execution.is_cancel_requested) return close(execution, {Status::cancelled, std::nullopt, failure.error});
  if (execution.kind == Execution::Kind::workflow) {
    // Whatever is wrong with it, the workflow waits for code that fits.
    execution.closing.error = failure.error;
    execution.run_at = now_ + usual_pause * (1 << std::min(execution.failed_activations++, 5));
    execution.status = Status::pending;
    return;
  }
  const int max = execution.settings.max_attempts.value_or(usual_max_attempts);
  if (!failure.retryable || execution.attempts >= max) {
    return close(execution, {Status::failed, std::nullopt, failure.error});
  }
  execution.status = Status::pending;
  execution.run_at = now_ + failure.retry_after.value_or(pause_before_next(execution));
}

Reply<HistoryPage> MemoryBackend::history(const std::string& workflow, std::uint64_t after, int limit) {
  return locked([&]() -> Reply<HistoryPage> {
    const Execution* found = find(workflow);
    if (!found) return refused("NOT_FOUND", "no such workflow");
    HistoryPage page;
    for (std::size_t i = after; i < found->history.size(); ++i) {
      if (page.events.size() == static_cast<std::size_t>(limit)) {
        page.has_more = true;
        break;
      }
      page.events.push_back(found->history[i]);
    }
    return page;
  });
}

}  // namespace semel::sdk
