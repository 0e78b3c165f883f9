#pragma once
#include <memory>
#include <string>
#include <utility>

#include "semel/client.hpp"
#include "semel/detail/handler.hpp"
#include "semel/detail/routine.hpp"
#include "semel/worker_options.hpp"

namespace semel {

/// Does tasks and lets workflows go on, on threads of its own. Handlers run at the same time, and must bear that; the
/// code of one workflow is always run by the same thread.
///
///   semel::Worker worker(client);
///   worker.task("charge_card", semel::TaskOptions().queue("payments"), charge_card);
///   worker.workflow("process_order", process_order);
///   worker.run();
class Worker {
 public:
  explicit Worker(const Client& client, const WorkerOptions& options = WorkerOptions());
  /// Stops it.
  ~Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  /// All before it starts.
  template <typename F>
  Worker& task(std::string name, const TaskOptions& options, F function) {
    add_task(std::move(name), options, detail::make_task(std::move(function)));
    return *this;
  }
  template <typename F>
  Worker& task(std::string name, F function) {
    return task(std::move(name), TaskOptions(), std::move(function));
  }
  template <typename F>
  Worker& workflow(std::string kind, const TaskOptions& options, F function) {
    add_workflow(std::move(kind), options, detail::make_workflow(std::move(function)));
    return *this;
  }
  template <typename F>
  Worker& workflow(std::string kind, F function) {
    return workflow(std::move(kind), TaskOptions(), std::move(function));
  }

  /// Works until SIGTERM, SIGINT or stop(), and then ends what it has begun. A second signal ends the process, as it
  /// would without a worker; what it had is done by others when its leases have ended. One at a time in a process.
  void run();

  /// For programs that have something else to do.
  void start();
  /// Takes nothing more, and returns when all that was begun has ended and was told to the server. From any thread but
  /// that of a handler.
  void stop();

 private:
  class Parts;

  void add_task(std::string name, const TaskOptions& options, detail::TaskFunction function);
  void add_workflow(std::string kind, const TaskOptions& options, detail::WorkflowFunction function);

  std::unique_ptr<Parts> parts_;
};

}  // namespace semel
