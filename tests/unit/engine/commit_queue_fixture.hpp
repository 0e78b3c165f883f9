#pragma once
#include <gtest/gtest.h>

#include <mutex>

#include "engine/commit_queue.hpp"
#include "tests/support/builders.hpp"
#include "tests/unit/engine/fake_store.hpp"

namespace semel::engine::queue_test {

using test::FakeStore;
using Sizes = std::vector<std::size_t>;

inline std::optional<CommitQueue::Entry> no_rider() { return std::nullopt; }

inline Metrics& uncounted() {
  static Metrics metrics;
  return metrics;
}
inline void nothing(Committed) {}

/// A command that is known by its number.
inline Command numbered(int number) { return Cancel{std::to_string(number), {}}; }
inline std::string number_of(const Command& command) { return std::get<Cancel>(command).tenant; }

/// Remembers how commands were answered, in the order of the answers.
class Answers {
 public:
  CommitQueue::Done to(int number) {
    return [this, number](Committed committed) {
      const std::lock_guard lock(mutex_);
      const std::string word =
          committed.outcome ? "ok" : std::to_string(static_cast<int>(committed.outcome.error().code));
      all_.push_back(std::to_string(number) + " " + word);
    };
  }
  std::vector<std::string> all() const {
    const std::lock_guard lock(mutex_);
    return all_;
  }

 private:
  mutable std::mutex mutex_;  // guards all_
  std::vector<std::string> all_;
};

/// A queue whose applier is held in the store with one command, so that what is pushed next waits.
struct BusyQueue {
  explicit BusyQueue(CommitQueueOptions options = {}, CommitQueue::Rider rider = no_rider)
      : queue((store.gate.close(), store), options, uncounted(), std::move(rider)) {
    EXPECT_TRUE(queue.push(numbered(0), answers.to(0)));
    store.gate.wait_for_arrival();
    store.gate.open();
  }

  /// Lets the applier go, and waits until it has applied everything.
  void finish() {
    store.gate.let_through();
    queue.close();
  }

  FakeStore store;
  Answers answers;
  CommitQueue queue;
};

}  // namespace semel::engine::queue_test
