#pragma once
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "base/loop.hpp"
#include "base/result.hpp"
#include "base/seldom.hpp"
#include "engine/metrics.hpp"
#include "ports/store.hpp"

namespace semel::engine {

struct CommitQueueOptions {
  std::size_t commands_max = 16'384;
  std::size_t bytes_max = 256 << 20;  // of contexts and results that wait
  std::size_t batch_max = 1'000;
};

/// A command's outcome once it is durable, with the time that decided it; or why it could not be applied.
struct Committed {
  Time now;
  Result<Outcome> outcome;
};

/// Where all changes go: bounded, and applied in groups. Whatever waits when the applier comes round becomes one
/// transaction, so that many callers share one fsync and a single one pays no delay. Where the store takes several
/// batches at a time, there are as many appliers; while one is at rest, what comes does not wait. Callable from any
/// thread; callbacks run on an applier's thread, after the commit, and must be short.
class CommitQueue {
 public:
  using Done = std::function<void(Committed)>;
  struct Entry {
    Command command;
    Done done;
  };
  /// Asked for a command that may ride along with a commit; nothing when there is none.
  using Rider = std::function<std::optional<Entry>()>;

  /// Told of each commit, before the callbacks of its commands.
  using Observer = std::function<void(const Applied&)>;

  /// Told of each command that is about to be committed, unless others wait behind it. What it pushes joins the same
  /// commit.
  using Herald = std::function<void(const Command&)>;

  /// Takes what the store has postponed, to push it again after that time.
  using Later = std::function<void(Entry, Duration)>;

  /// Without somebody who takes what is postponed, that is refused.
  CommitQueue(
      Store& store, CommitQueueOptions options, Metrics& metrics, Rider rider,
      Observer observer = [](const Applied&) {}, Herald herald = [](const Command&) {}, Later later = nullptr);
  ~CommitQueue();
  /// Takes nothing more, applies what still waits, and ends the appliers.
  void close();

  /// False when the queue is full: nothing was taken, and the caller should be told to come back.
  [[nodiscard]] bool push(Command command, Done done);
  /// All or none, in order, and side by side. What was not taken is left as it was.
  [[nodiscard]] bool push(std::vector<Entry>&& entries);

  std::size_t waiting() const;
  /// Whether what is pushed now is applied at once.
  bool is_idle() const;

 private:
  struct Applier;

  Duration apply_waiting(Applier& applier);
  std::vector<Entry> take();
  bool take_waiting(std::vector<Entry>& entries);
  Applier* find_resting();
  void apply(std::vector<Entry> entries);
  void finish(Entry entry, Time now, Outcome outcome);
  bool tidy_up();

  Store& store_;
  const CommitQueueOptions options_;
  const Rider rider_;
  const Observer observer_;
  const Herald herald_;
  const Later later_;
  Metrics& metrics_;
  Seldom refusals_;           // that are logged
  mutable std::mutex mutex_;  // guards the three below, and which appliers rest
  std::deque<Entry> waiting_;
  std::size_t waiting_bytes_ = 0;
  bool closed_ = false;
  std::vector<std::unique_ptr<Applier>> appliers_;  // last: they use all of the above
};

}  // namespace semel::engine
