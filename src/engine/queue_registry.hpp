#pragma once
#include <atomic>
#include <map>
#include <set>
#include <shared_mutex>
#include <string>
#include <utility>
#include <vector>

#include "ports/store.hpp"

namespace semel::engine {

/// What was said about queues, in memory, so that a submission never waits for it. Callable from any thread.
class QueueRegistry {
 public:
  explicit QueueRegistry(const std::vector<StoredQueue>& stored);

  /// All that was said, instead of what was known before. Whether that differs.
  bool replace(const std::vector<StoredQueue>& stored);
  void put(const std::string& tenant, const std::string& queue, domain::QueueOptions options);

  domain::QueueOptions options(const std::string& tenant, const std::string& queue) const;
  domain::QueueSettings settings(const std::string& tenant, const std::string& queue) const;
  /// Whether any queue may have a target.
  bool has_targets() const { return has_targets_; }
  /// Of any queue of any tenant.
  Duration longest_target_timeout() const;
  /// Of all queues of which something was said, by the tenant or for all.
  std::set<std::string> names(const std::string& tenant) const;

 private:
  domain::QueueOptions find(const std::string& tenant, const std::string& queue) const;  // the lock is held

  std::atomic<bool> is_empty_ = true;  // most have no queue with settings: then no lock is taken
  std::atomic<bool> has_targets_ = false;
  mutable std::shared_mutex mutex_;                                           // guards said_
  std::map<std::pair<std::string, std::string>, domain::QueueOptions> said_;  // no tenant: of all
};

}  // namespace semel::engine
