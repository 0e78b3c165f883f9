#pragma once
#include <atomic>
#include <mutex>
#include <set>

#include "store/postgres/execution_row.hpp"

namespace semel::store::postgres {

/// What transactions have seen of queues, from one to the next. Others change it too, so it only says what is worth
/// asking for before it is known whether it will be needed; nothing is decided by it. For any thread.
class QueueHints {
 public:
  /// Whether anything was said of any queue.
  void observe(bool any_is_set) { any_is_set_.store(any_is_set, std::memory_order_relaxed); }
  bool any_is_set() const { return any_is_set_.load(std::memory_order_relaxed); }

  /// Whether claims of the queue are given out one by one, under its lock.
  void observe(const TenantAndQueue& queue, bool is_limited) {
    const std::lock_guard lock(mutex_);
    if (!is_limited) {
      limited_.erase(queue);
      return;
    }
    if (limited_.size() >= limited_max) limited_.clear();
    limited_.insert(queue);
  }
  bool is_limited(const TenantAndQueue& queue) const {
    const std::lock_guard lock(mutex_);
    return limited_.contains(queue);
  }

 private:
  static constexpr std::size_t limited_max = 10'000;

  std::atomic<bool> any_is_set_ = true;
  mutable std::mutex mutex_;  // guards what follows
  std::set<TenantAndQueue> limited_;
};

}  // namespace semel::store::postgres
