#pragma once
#include <cstddef>
#include <string>
#include <type_traits>
#include <utility>

#include "semel/time.hpp"

namespace semel {

/// Of one kind of task, or of workflow, that a worker does.
class TaskOptions {
 public:
  TaskOptions() = default;

  /// Where such tasks are taken from; "default" unless said otherwise.
  TaskOptions& queue(std::string name) {
    queue_ = std::move(name);
    return *this;
  }
  /// At most so many of them at once in this worker.
  TaskOptions& concurrency(int count) {
    concurrency_ = count;
    return *this;
  }

  const std::string& queue() const { return queue_; }
  int concurrency() const { return concurrency_; }

 private:
  std::string queue_ = "default";
  int concurrency_ = 0;  // 0 = as the worker says
};

class WorkerOptions {
 public:
  WorkerOptions() = default;

  /// How others see it; by default a name is made of the machine and the process.
  WorkerOptions& name(std::string text) {
    name_ = std::move(text);
    return *this;
  }
  /// At most so many tasks at once, each on a thread of its own.
  WorkerOptions& concurrency(int count) {
    concurrency_ = count;
    return *this;
  }
  /// At most so many workflows that go on at once, on these threads.
  WorkerOptions& activations(int count) {
    activations_ = count;
    return *this;
  }
  WorkerOptions& workflow_threads(int count) {
    workflow_threads_ = count;
    return *this;
  }
  /// So many waiting workflows stay in memory; the others are replayed when they go on.
  WorkerOptions& cached_workflows(std::size_t count) {
    cached_workflows_ = count;
    return *this;
  }
  /// How long the server waits for a sign of life before it gives a task to somebody else.
  WorkerOptions& lease(Duration time) {
    lease_ = time;
    return *this;
  }
  /// How long a stop waits for handlers before it asks them to end.
  WorkerOptions& grace(Duration time) {
    grace_ = time;
    return *this;
  }

  const std::string& name() const { return name_; }
  int concurrency() const { return concurrency_; }
  int activations() const { return activations_; }
  int workflow_threads() const { return workflow_threads_; }
  std::size_t cached_workflows() const { return cached_workflows_; }
  Duration lease() const { return lease_; }
  Duration grace() const { return grace_; }

 private:
  std::string name_;
  int concurrency_ = 16;
  int activations_ = 64;
  int workflow_threads_ = 2;
  std::size_t cached_workflows_ = 1'000;
  Duration lease_ = std::chrono::seconds(30);
  Duration grace_ = std::chrono::seconds(30);
};

static_assert(!std::is_aggregate_v<TaskOptions>);
static_assert(!std::is_aggregate_v<WorkerOptions>);

}  // namespace semel
