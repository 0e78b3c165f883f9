#include "sdk/worker/heartbeats.hpp"

#include <utility>
#include <vector>

namespace semel::sdk {

void Heartbeats::add(std::shared_ptr<RunningTask> task) {
  const std::lock_guard lock(mutex_);
  const std::string id = task->lease().attempt_id;
  tasks_.emplace(id, std::move(task));
}

void Heartbeats::remove(const std::string& attempt_id) {
  const std::lock_guard lock(mutex_);
  tasks_.erase(attempt_id);
}

void Heartbeats::beat() {
  std::vector<std::shared_ptr<RunningTask>> tasks;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [id, task] : tasks_) tasks.push_back(task);
  }
  if (tasks.empty()) return;
  std::vector<Answer> beats;
  for (const auto& task : tasks) beats.push_back({task->lease().attempt_id, Heartbeat{lease_, task->take_progress()}});
  const std::vector<Reply<AnswerOutcome>> outcomes = backend_.answer(beats);
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    if (!outcomes[i]) continue;  // the next one may get through
    const bool is_lost = outcomes[i]->kind == AnswerOutcome::Kind::stale;
    if (is_lost || outcomes[i]->should_cancel) tasks[i]->ask_to_stop();
  }
}

void Heartbeats::ask_all_to_stop() {
  const std::lock_guard lock(mutex_);
  for (const auto& [id, task] : tasks_) task->ask_to_stop();
}

}  // namespace semel::sdk
