#include "base/timers.hpp"

#include <vector>

namespace semel {

Timers::Timers() : loop_("timers", [this] { return fire_due(); }) {}

Timers::Token Timers::after(Duration delay, std::function<void()> callback) {
  const auto due = Steady::now() + delay;
  bool earliest = false;
  Token token = 0;
  {
    const std::lock_guard lock(mutex_);
    token = ++last_;
    const auto place = queue_.emplace(std::pair{due, token}, std::move(callback)).first;
    due_.emplace(token, due);
    earliest = place == queue_.begin();
  }
  if (earliest) loop_.wake();
  return token;
}

bool Timers::cancel(Token token) {
  const std::lock_guard lock(mutex_);
  const auto found = due_.find(token);
  if (found == due_.end()) return false;
  queue_.erase({found->second, token});
  due_.erase(found);
  return true;
}

Duration Timers::fire_due() {
  std::vector<std::function<void()>> callbacks;
  Duration pause = Loop::until_woken;
  {
    const std::lock_guard lock(mutex_);
    const auto now = Steady::now();
    while (!queue_.empty() && queue_.begin()->first.first <= now) {
      callbacks.push_back(std::move(queue_.begin()->second));
      due_.erase(queue_.begin()->first.second);
      queue_.erase(queue_.begin());
    }
    if (!queue_.empty()) pause = std::chrono::ceil<Duration>(queue_.begin()->first.first - now);
  }
  for (const auto& callback : callbacks) callback();
  return callbacks.empty() ? pause : Duration{0};
}

}  // namespace semel
