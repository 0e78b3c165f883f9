#include "semel/worker.hpp"

#include <mutex>
#include <optional>
#include <stdexcept>

#include "sdk/worker/stop_signals.hpp"
#include "sdk/worker/worker_core.hpp"

namespace semel {

class Worker::Parts {
 public:
  Parts(const Client& client, const WorkerOptions& options) : core(client.core(), options) {}

  sdk::WorkerCore core;
  std::mutex mutex;  // guards signals
  std::optional<sdk::StopSignals> signals;
};

Worker::Worker(const Client& client, const WorkerOptions& options) : parts_(std::make_unique<Parts>(client, options)) {}

Worker::~Worker() = default;

void Worker::add_task(std::string name, const TaskOptions& options, detail::TaskFunction function) {
  parts_->core.add_task(name, options, std::move(function));
}

void Worker::add_workflow(std::string kind, const TaskOptions& options, detail::WorkflowFunction function) {
  parts_->core.add_workflow(kind, options, std::move(function));
}

void Worker::run() {
  {
    const std::lock_guard lock(parts_->mutex);
    parts_->signals.emplace();
  }
  parts_->core.start();
  parts_->signals->wait();
  parts_->core.stop();
  const std::lock_guard lock(parts_->mutex);
  parts_->signals.reset();
}

void Worker::start() { parts_->core.start(); }

void Worker::stop() {
  {
    const std::lock_guard lock(parts_->mutex);
    if (parts_->signals) parts_->signals->wake();
  }
  parts_->core.stop();
}

}  // namespace semel
