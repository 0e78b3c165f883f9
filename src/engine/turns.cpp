#include "engine/turns.hpp"

#include <vector>

namespace semel::engine {

void Turns::hold(const HeldBack& task, Time now) {
  const Queue queue{task.tenant, task.queue};
  if (task.until && *task.until <= now) return waiters_.ready(task.tenant, task.queue, task.handler);
  const std::lock_guard lock(mutex_);
  if (task.until) {
    until_time_.emplace(*task.until, Task{queue, task.handler});
    return;
  }
  until_end_[queue].insert(task.handler);
  some_wait_for_an_end_ = true;
}

void Turns::ended(const std::string& tenant, const std::string& queue) {
  if (!some_wait_for_an_end_) return;
  std::set<std::string> handlers;
  {
    const std::lock_guard lock(mutex_);
    const auto found = until_end_.find({tenant, queue});
    if (found == until_end_.end()) return;
    handlers = std::move(found->second);
    until_end_.erase(found);
    some_wait_for_an_end_ = !until_end_.empty();
  }
  for (const std::string& handler : handlers) waiters_.ready(tenant, queue, handler);
}

void Turns::wake(Time now) {
  std::vector<Task> due;
  {
    const std::lock_guard lock(mutex_);
    while (!until_time_.empty() && until_time_.begin()->first <= now) {
      due.push_back(until_time_.begin()->second);
      until_time_.erase(until_time_.begin());
    }
  }
  for (const auto& [queue, handler] : due) waiters_.ready(queue.first, queue.second, handler);
}

std::optional<Time> Turns::next() const {
  const std::lock_guard lock(mutex_);
  if (until_time_.empty()) return std::nullopt;
  return until_time_.begin()->first;
}

}  // namespace semel::engine
