#pragma once
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

namespace semel::bench {

/// An endpoint on this machine that does every task at once: it answers 200 with a small result. On one thread of its
/// own.
class PushTarget {
 public:
  PushTarget();
  ~PushTarget();
  PushTarget(const PushTarget&) = delete;
  PushTarget& operator=(const PushTarget&) = delete;

  /// "http://127.0.0.1:PORT/run"
  std::string url() const;
  /// How many requests have come.
  std::uint64_t requests() const;
  /// Until so many have come, or the time is over. For one caller at a time.
  void wait_for(std::uint64_t count, std::chrono::steady_clock::time_point until) const;

 private:
  class Inner;
  const std::unique_ptr<Inner> inner_;
};

}  // namespace semel::bench
