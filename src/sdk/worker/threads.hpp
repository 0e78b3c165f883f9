#pragma once
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace semel::sdk {

/// Threads that do what they are given, in order; one is started when all that there are have something to do. The
/// destructor waits for all that was given. From any thread.
class Threads {
 public:
  Threads(std::string name, int max);
  ~Threads();
  Threads(const Threads&) = delete;
  Threads& operator=(const Threads&) = delete;

  void run(std::function<void()> work);

 private:
  void work_on();

  const std::string name_;
  const std::size_t max_;
  std::mutex mutex_;  // guards what follows
  std::condition_variable changed_;
  std::deque<std::function<void()>> waiting_;
  std::size_t idle_ = 0;
  bool is_ending_ = false;
  std::vector<std::jthread> threads_;
};

}  // namespace semel::sdk
