#include <algorithm>
#include <set>

#include "sdk/testing/memory_events.hpp"
#include "sdk/testing/memory_locked.hpp"
#include "sdk/workflow/recorded.hpp"

// The clock of the server in memory, and what tests look at.
namespace semel::sdk {

Time MemoryBackend::now() const {
  const std::lock_guard lock(mutex_);
  return now_;
}

void MemoryBackend::advance_to(Time time) {
  locked([&] {
    now_ = std::max(now_, time);
    let_time_pass();
  });
}

void MemoryBackend::let_time_pass() {
  for (auto& [id, execution] : executions_) {
    for (auto timer = execution.timers.begin(); timer != execution.timers.end();) {
      if (timer->second > now_) {
        ++timer;
        continue;
      }
      append(execution, "timer_fired", "", numbered_detail(timer->first));
      timer = execution.timers.erase(timer);
      wake(execution);
    }
    if (!execution.attempt_id.empty() && execution.lease_until <= now_) end_lease(execution);
    if (!is_closed(execution.status) && execution.deadline && *execution.deadline <= now_) {
      if (execution.kind == Execution::Kind::workflow) leave_open_parts(execution);
      close(execution, {Status::timed_out, std::nullopt, error_text("deadline_passed", "its time has passed")});
    }
    std::erase_if(execution.waiters, [&](Execution::Waiter& waiter) {
      if (waiter.until > now_) return false;
      calls_.push_back([then = std::move(waiter.then), state = State{execution.status, {}}] { then(state); });
      return true;
    });
  }
}

void MemoryBackend::end_lease(Execution& execution) {
  if (execution.kind != Execution::Kind::workflow) {
    return fail_attempt(execution, {error_text("lease_ended", "its worker did not answer"), true, Duration::zero()});
  }
  execution.attempt_id.clear();
  execution.status = Status::pending;
  execution.run_at = now_;
}

void MemoryBackend::end_leases() {
  locked([&] {
    for (auto& [id, execution] : executions_) {
      if (!execution.attempt_id.empty()) end_lease(execution);
    }
  });
}

std::optional<Time> MemoryBackend::next_time() const {
  const std::lock_guard lock(mutex_);
  std::optional<Time> next;
  const auto consider = [&](Time time) {
    if (time > now_ && (!next || time < *next)) next = time;
  };
  for (const auto& [id, execution] : executions_) {
    for (const auto& [number, fire_at] : execution.timers) consider(fire_at);
    if (execution.status == Status::pending && execution.kind != Execution::Kind::promise) consider(execution.run_at);
    if (!is_closed(execution.status) && execution.deadline) consider(*execution.deadline);
  }
  return next;
}

std::optional<State> MemoryBackend::state(const std::string& id) const {
  const std::lock_guard lock(mutex_);
  const auto found = executions_.find(id);
  if (found == executions_.end()) return std::nullopt;
  return State{found->second.status, found->second.closing};
}

std::string MemoryBackend::status_text(const std::string& id) const {
  const std::lock_guard lock(mutex_);
  const auto found = executions_.find(id);
  return found == executions_.end() ? "" : found->second.status_text.value_or("");
}

std::vector<Event> MemoryBackend::whole_history(const std::string& id) const {
  const std::lock_guard lock(mutex_);
  const auto found = executions_.find(id);
  return found == executions_.end() ? std::vector<Event>() : found->second.history;
}

std::map<std::string, QueueSettings> MemoryBackend::queues() const {
  const std::lock_guard lock(mutex_);
  return queues_;
}

std::vector<std::string> MemoryBackend::used_queues() const {
  const std::lock_guard lock(mutex_);
  std::set<std::string> names{"default"};
  for (const auto& [id, execution] : executions_) names.insert(execution.settings.queue);
  return {names.begin(), names.end()};
}

void MemoryBackend::set_events_a_lease(std::size_t count) {
  const std::lock_guard lock(mutex_);
  events_a_lease_ = count;
}

}  // namespace semel::sdk
