#pragma once
#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <memory>
#include <mutex>
#include <unordered_set>
#include <vector>

#include "base/time.hpp"

namespace semel::http {

class Session;

/// The open sessions of a server, which it keeps alive: a session that waits for its handler has nothing else
/// that does. Callable from any thread.
class Roster {
 public:
  explicit Roster(std::size_t seats) : seats_(seats) {}

  /// Whether the session got one of the seats; without one it may stay only to tell the client so.
  bool admit(const std::shared_ptr<Session>& session);
  void leave(const std::shared_ptr<Session>& session);

  /// The sessions that have a seat.
  std::size_t seated() const { return seated_.load(std::memory_order_relaxed); }
  /// The sessions that have none.
  std::size_t standing() const;
  std::vector<std::shared_ptr<Session>> all() const;
  /// Waits until the last session has left, for at most `limit`.
  void wait_until_empty(Duration limit);

 private:
  const std::size_t seats_;
  std::atomic<std::size_t> seated_ = 0;  // written under the mutex
  mutable std::mutex mutex_;             // guards what follows
  std::condition_variable left_;
  std::unordered_set<std::shared_ptr<Session>> seats_taken_;
  std::unordered_set<std::shared_ptr<Session>> standing_;
};

}  // namespace semel::http
