#pragma once
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string_view>
#include <utility>
#include <vector>

#include "ports/dispatch_target.hpp"

namespace semel::test {

/// Targets that keep what they are sent until the test answers. Callable from any thread.
class FakeTargets final : public DispatchTargets {
 public:
  Duration overhead = 20s;  // set before it is used

  Result<void> check(std::string_view) const override { return {}; }
  Duration overhead_max() const override { return overhead; }

  void send(DispatchOrder order, Done done) override {
    {
      const std::lock_guard lock(mutex_);
      if (!is_closed_) {
        orders_.push_back(std::move(order));
        open_.push_back(std::move(done));
        changed_.notify_all();
        return;
      }
    }
    done(SendLater{});
  }

  void close() override {
    std::vector<Done> open;
    {
      const std::lock_guard lock(mutex_);
      is_closed_ = true;
      open = std::exchange(open_, {});
    }
    for (const Done& done : open) {
      if (done) done(SendUnknown{"it is closed"});
    }
  }

  /// Whether so many orders have come; false when they do not come at all.
  bool wait_for(std::size_t count) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, std::chrono::seconds(20), [&] { return orders_.size() >= count; });
  }
  std::vector<DispatchOrder> orders() const {
    const std::lock_guard lock(mutex_);
    return orders_;
  }
  /// Each order once.
  void answer(std::size_t order, SendAnswer answer) {
    Done done;
    {
      const std::lock_guard lock(mutex_);
      done = std::exchange(open_.at(order), nullptr);
    }
    done(std::move(answer));
  }

 private:
  mutable std::mutex mutex_;  // guards what follows
  std::condition_variable changed_;
  std::vector<DispatchOrder> orders_;
  std::vector<Done> open_;  // in the order of orders_; empty where it was answered
  bool is_closed_ = false;
};

}  // namespace semel::test
