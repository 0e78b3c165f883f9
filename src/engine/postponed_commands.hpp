#pragma once
#include <functional>
#include <map>
#include <mutex>

#include "base/timers.hpp"
#include "engine/commit_queue.hpp"

namespace semel::engine {

/// Commands that a store has postponed, until they are tried again: a few seconds each. Callable from any thread.
class PostponedCommands {
 public:
  /// `again` is called on the thread of the timers.
  PostponedCommands(Timers& timers, std::function<void(CommitQueue::Entry)> again, std::size_t entries_max = 10'000)
      : timers_(timers), again_(std::move(again)), entries_max_(entries_max) {}

  /// Refused (unavailable) when too many wait, or all have been let go.
  void add(CommitQueue::Entry entry, Duration delay);
  /// Whoever waits is told that nothing was changed; so is who comes from now on.
  void release_all();
  std::size_t waiting() const;

 private:
  void retry(std::uint64_t number);

  Timers& timers_;
  const std::function<void(CommitQueue::Entry)> again_;
  const std::size_t entries_max_;
  mutable std::mutex mutex_;  // guards what follows
  std::map<std::uint64_t, CommitQueue::Entry> entries_;
  std::uint64_t last_ = 0;
  bool is_over_ = false;
};

}  // namespace semel::engine
