#pragma once
#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "base/loop.hpp"
#include "sdk/client_core.hpp"
#include "sdk/worker/answers.hpp"
#include "sdk/worker/heartbeats.hpp"
#include "sdk/worker/lanes.hpp"
#include "sdk/worker/threads.hpp"
#include "sdk/workflow/activations.hpp"
#include "semel/detail/handler.hpp"
#include "semel/worker_options.hpp"

namespace semel::sdk {

/// The parts of a worker, and how they go together: one thread polls for what there is room for, threads do the tasks,
/// each workflow goes on on one and the same thread, one thread tells outcomes, one sends heartbeats. They stop in this
/// order.
class WorkerCore {
 public:
  WorkerCore(std::shared_ptr<ClientCore> client, const WorkerOptions& options);
  ~WorkerCore();
  WorkerCore(const WorkerCore&) = delete;
  WorkerCore& operator=(const WorkerCore&) = delete;

  // Before start().
  void add_task(const std::string& name, const TaskOptions& options, detail::TaskFunction function);
  void add_workflow(const std::string& kind, const TaskOptions& options, detail::WorkflowFunction function);

  void start();
  void stop();

 private:
  /// One thread, and the workflows that are its own.
  struct Shard {
    Shard(Backend& backend, const WorkflowFunctions& functions, std::size_t kept_max)
        : activations(backend, functions, kept_max), thread("semel-workflow", 1) {}

    Activations activations;
    Threads thread;  // last: it uses the above
  };

  void poll_until(std::stop_token stop);
  std::optional<Poll> next_poll(std::stop_token stop);
  void begin(Lease lease);
  void run_task(const std::shared_ptr<RunningTask>& task);
  void finish(const RunningTask& task, Answer answer);
  void has_told(const std::string& attempt_id);
  bool is_polled(const std::string& handler) const;
  void wait_until_idle();

  const std::shared_ptr<ClientCore> client_;
  const WorkerOptions options_;
  const std::string name_;
  const std::string session_;
  Backend& backend_;
  std::map<std::string, detail::TaskFunction, std::less<>> tasks_;  // constant after start(), as is workflows_
  WorkflowFunctions workflows_;

  std::mutex mutex_;  // guards what follows
  std::condition_variable_any changed_;
  Lanes lanes_;
  std::vector<Lane> polled_;  // by the poll that is under way
  std::stop_source poll_under_way_;
  int running_ = 0;
  bool has_started_ = false;
  bool is_stopping_ = false;
  bool has_stopped_ = false;

  Heartbeats heartbeats_;
  std::unique_ptr<Answers> answers_;
  std::unique_ptr<Loop> beating_;
  std::unique_ptr<Threads> task_threads_;
  std::vector<std::unique_ptr<Shard>> shards_;
  std::jthread poller_;
};

}  // namespace semel::sdk
