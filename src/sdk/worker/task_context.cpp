#include "semel/task_context.hpp"

#include "sdk/worker/running_task.hpp"

namespace semel {

const std::string& TaskContext::id() const { return task_->lease().task_uuid; }

const std::string& TaskContext::handler() const { return task_->lease().handler; }

const std::string& TaskContext::queue() const { return task_->lease().queue; }

int TaskContext::attempt() const { return task_->lease().attempt; }

const std::map<std::string, std::string>& TaskContext::labels() const { return task_->lease().labels; }

std::string TaskContext::idempotency_key(std::string_view effect) const {
  return std::string(task_->lease().effect_key).append(":").append(effect);
}

bool TaskContext::should_cancel() const noexcept { return task_->stop_token().stop_requested(); }

std::stop_token TaskContext::stop_token() const noexcept { return task_->stop_token(); }

void TaskContext::set_progress_text(std::string json) { task_->set_progress(std::move(json)); }

}  // namespace semel
