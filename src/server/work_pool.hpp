#pragma once
#include <condition_variable>
#include <deque>
#include <functional>
#include <limits>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "api/grpc/executor.hpp"

namespace semel::server {

/// Threads that do what they are given, in order of arrival. What waits when it is time to stop is still done.
class WorkPool final : public rpc::Executor {
 public:
  static constexpr std::size_t unbounded = std::numeric_limits<std::size_t>::max();

  /// `name` is that of the threads, at most 15 characters.
  WorkPool(const std::string& name, int threads, std::size_t waiting_max = unbounded);
  ~WorkPool() override;
  WorkPool(const WorkPool&) = delete;
  WorkPool& operator=(const WorkPool&) = delete;

  bool run(std::function<void()> work) override;

 private:
  void work(const std::stop_token& stop);

  const std::size_t waiting_max_;
  std::mutex mutex_;  // guards waiting_
  std::condition_variable_any some_wait_;
  std::deque<std::function<void()>> waiting_;
  std::vector<std::jthread> threads_;  // last: they use all of the above
};

}  // namespace semel::server
