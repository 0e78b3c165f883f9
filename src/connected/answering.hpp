#pragma once
#include <condition_variable>
#include <mutex>
#include <optional>
#include <vector>

#include "sdk/backend.hpp"

namespace semel::connected {

/// Waits for the answers to several things that were said together. From any thread.
class Answering {
 public:
  using Outcome = sdk::Reply<sdk::AnswerOutcome>;

  explicit Answering(std::size_t count) : outcomes_(count), left_(count) {}

  void settle(std::size_t index, Outcome outcome) {
    const std::lock_guard lock(mutex_);
    if (outcomes_[index]) return;
    outcomes_[index].emplace(std::move(outcome));
    if (--left_ == 0) changed_.notify_all();
  }
  std::vector<Outcome> wait() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return left_ == 0; });
    std::vector<Outcome> outcomes;
    outcomes.reserve(outcomes_.size());
    for (std::optional<Outcome>& each : outcomes_) outcomes.push_back(*std::move(each));
    return outcomes;
  }

 private:
  std::mutex mutex_;  // guards what follows
  std::condition_variable changed_;
  std::vector<std::optional<Outcome>> outcomes_;
  std::size_t left_;
};

}  // namespace semel::connected
