#pragma once
#include <condition_variable>
#include <functional>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>

#include "base/time.hpp"

namespace semel {

/// Runs `pass` on a thread of its own: at once, after the time that the last pass returned, and on wake().
/// The destructor stops and joins; a pass that runs or was woken for is finished first. An exception that leaves `pass`
/// ends the process: a pass catches what it can go on from.
class Loop {
 public:
  /// Longer than any pause that is meant.
  static constexpr Duration until_woken = 24h;

  Loop(std::string name, std::function<Duration()> pass);
  ~Loop();
  Loop(const Loop&) = delete;
  Loop& operator=(const Loop&) = delete;

  /// From any thread. A wake during a pass leads to one more pass; after stop() it does nothing.
  void wake();
  /// What the destructor does, earlier.
  void stop();

 private:
  void run(std::stop_token stop);

  const std::string name_;  // constant after construction, as is pass_
  const std::function<Duration()> pass_;
  std::mutex mutex_;  // guards woken_
  std::condition_variable_any wakeup_;
  bool woken_ = false;
  std::jthread thread_;  // last: started after, and joined before, all of the above
};

}  // namespace semel
