#pragma once
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>

#include "sdk/backend.hpp"

namespace semel::sdk {

/// A lease that somebody works on. From any thread.
class RunningTask {
 public:
  explicit RunningTask(Lease lease) : lease_(std::move(lease)) {}

  const Lease& lease() const { return lease_; }

  void ask_to_stop() { stop_.request_stop(); }
  std::stop_token stop_token() const { return stop_.get_token(); }

  void set_progress(std::string json) {
    const std::lock_guard lock(mutex_);
    progress_ = std::move(json);
  }
  /// What has been said since the last time.
  std::optional<std::string> take_progress() {
    const std::lock_guard lock(mutex_);
    return std::exchange(progress_, std::nullopt);
  }

 private:
  const Lease lease_;
  std::stop_source stop_;
  std::mutex mutex_;  // guards progress_
  std::optional<std::string> progress_;
};

}  // namespace semel::sdk
