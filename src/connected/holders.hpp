#pragma once
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "connected/worker_stream.hpp"

namespace semel::connected {

/// Which stream a lease came by: its outcome goes the same way while that is open, so that a server which stops waits
/// for it. From any thread.
class Holders {
 public:
  void add(const std::vector<sdk::Lease>& leases, const std::weak_ptr<WorkerStream>& stream) {
    const std::lock_guard lock(mutex_);
    for (const sdk::Lease& lease : leases) streams_[lease.attempt_id] = stream;
  }
  /// Nothing when that is not there any more.
  std::shared_ptr<WorkerStream> find(const std::string& attempt_id) {
    const std::lock_guard lock(mutex_);
    const auto found = streams_.find(attempt_id);
    return found == streams_.end() ? nullptr : found->second.lock();
  }
  void remove(const std::string& attempt_id) {
    const std::lock_guard lock(mutex_);
    streams_.erase(attempt_id);
  }

 private:
  std::mutex mutex_;  // guards what follows
  std::unordered_map<std::string, std::weak_ptr<WorkerStream>> streams_;
};

}  // namespace semel::connected
