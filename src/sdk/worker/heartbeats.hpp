#pragma once
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "sdk/worker/running_task.hpp"

namespace semel::sdk {

/// Says for all leases together that their work goes on, and tells handlers what the server says: somebody wants the
/// task to stop, or the lease is lost. From any thread; somebody calls beat() often enough.
class Heartbeats {
 public:
  Heartbeats(Backend& backend, Duration lease) : backend_(backend), lease_(lease) {}

  void add(std::shared_ptr<RunningTask> task);
  void remove(const std::string& attempt_id);
  void beat();
  /// The worker wants to end.
  void ask_all_to_stop();

 private:
  Backend& backend_;
  const Duration lease_;
  std::mutex mutex_;  // guards tasks_
  std::map<std::string, std::shared_ptr<RunningTask>> tasks_;
};

}  // namespace semel::sdk
