#include "sdk/worker/threads.hpp"

#include <pthread.h>

#include <algorithm>
#include <utility>

namespace semel::sdk {

Threads::Threads(std::string name, int max)
    : name_(name.substr(0, 15)), max_(static_cast<std::size_t>(std::max(max, 1))) {}

Threads::~Threads() {
  {
    const std::lock_guard lock(mutex_);
    is_ending_ = true;
  }
  changed_.notify_all();
  threads_.clear();  // joins
}

void Threads::run(std::function<void()> work) {
  {
    const std::lock_guard lock(mutex_);
    waiting_.push_back(std::move(work));
    if (idle_ < waiting_.size() && threads_.size() < max_) threads_.emplace_back([this] { work_on(); });
  }
  changed_.notify_one();
}

void Threads::work_on() {
  pthread_setname_np(pthread_self(), name_.c_str());
  std::unique_lock lock(mutex_);
  while (true) {
    ++idle_;
    changed_.wait(lock, [this] { return is_ending_ || !waiting_.empty(); });
    --idle_;
    if (waiting_.empty()) return;
    const std::function<void()> work = std::move(waiting_.front());
    waiting_.pop_front();
    lock.unlock();
    work();
    lock.lock();
  }
}

}  // namespace semel::sdk
