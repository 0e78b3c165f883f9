#pragma once
#include <map>
#include <stop_token>
#include <string>
#include <string_view>

#include "semel/json.hpp"

namespace semel {

namespace sdk {
class RunningTask;
}

/// What a task's handler knows of its task. The lease is extended by the worker itself while the handler runs. Lives as
/// long as the call of the handler; from any thread.
class TaskContext {
 public:
  explicit TaskContext(sdk::RunningTask& task) : task_(&task) {}
  TaskContext(const TaskContext&) = delete;
  TaskContext& operator=(const TaskContext&) = delete;

  const std::string& id() const;
  const std::string& handler() const;
  const std::string& queue() const;
  /// From 1; a task may be tried several times.
  int attempt() const;
  const std::map<std::string, std::string>& labels() const;

  /// A text for other services that know idempotency keys: the same in all attempts of this task, and another one for
  /// each effect that it has.
  std::string idempotency_key(std::string_view effect) const;

  /// Somebody wants the task to stop, the lease was lost, or the worker stops and has waited for long enough. A handler
  /// that heeds it throws.
  bool should_cancel() const noexcept;
  /// The same, for waits that can be interrupted.
  std::stop_token stop_token() const noexcept;

  /// What people see while it runs; told with the next heartbeat.
  template <typename T>
  void set_progress(const T& value) {
    set_progress_text(detail::encode(value));
  }

 private:
  void set_progress_text(std::string json);

  sdk::RunningTask* task_;
};

}  // namespace semel
