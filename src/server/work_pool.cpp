#include "server/work_pool.hpp"

#include <pthread.h>

#include <exception>
#include <utility>

#include "base/log.hpp"

namespace semel::server {

WorkPool::WorkPool(const std::string& name, int threads, std::size_t waiting_max) : waiting_max_(waiting_max) {
  for (int i = 0; i < threads; ++i) {
    threads_.emplace_back([this, name](const std::stop_token& stop) {
      pthread_setname_np(pthread_self(), name.c_str());
      work(stop);
    });
  }
}

WorkPool::~WorkPool() {
  for (std::jthread& thread : threads_) thread.request_stop();
}

bool WorkPool::run(std::function<void()> work) {
  // The lock is held to the end: once the work is done, its giver may let go of the pool.
  const std::lock_guard lock(mutex_);
  if (waiting_.size() >= waiting_max_) return false;
  waiting_.push_back(std::move(work));
  some_wait_.notify_one();
  return true;
}

void WorkPool::work(const std::stop_token& stop) {
  while (true) {
    std::function<void()> next;
    {
      std::unique_lock lock(mutex_);
      some_wait_.wait(lock, stop, [this] { return !waiting_.empty(); });
      if (waiting_.empty()) return;
      next = std::move(waiting_.front());
      waiting_.pop_front();
    }
    try {
      next();
    } catch (const std::exception& exception) {  // who is not answered gets 500
      log::error("a request failed: {}", exception.what());
    }
  }
}

}  // namespace semel::server
