#include "base/loop.hpp"

#include <pthread.h>

#include <utility>

namespace semel {

Loop::Loop(std::string name, std::function<Duration()> pass)
    : name_(std::move(name)), pass_(std::move(pass)), thread_([this](std::stop_token stop) { run(stop); }) {}

Loop::~Loop() { stop(); }

void Loop::stop() {
  if (!thread_.joinable()) return;
  thread_.request_stop();
  thread_.join();
}

void Loop::wake() {
  {
    const std::lock_guard lock(mutex_);
    if (woken_) return;
    woken_ = true;
  }
  wakeup_.notify_one();
}

void Loop::run(std::stop_token stop) {
  pthread_setname_np(pthread_self(), name_.substr(0, 15).c_str());
  while (true) {
    const Duration pause = pass_();
    std::unique_lock lock(mutex_);
    wakeup_.wait_for(lock, stop, pause, [this] { return woken_; });
    const bool woken = std::exchange(woken_, false);
    if (stop.stop_requested() && !woken) return;
  }
}

}  // namespace semel
