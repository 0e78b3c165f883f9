#include "engine/ready_waiters.hpp"

#include <algorithm>

namespace semel::engine {
namespace {

bool wants(const ReadyWaiters::Interest& interest, const std::optional<std::string>& handler) {
  if (!handler || !interest.handlers) return true;
  return std::find(interest.handlers->begin(), interest.handlers->end(), *handler) != interest.handlers->end();
}

}  // namespace

ReadyWaiters::Token ReadyWaiters::add(Interest interest, Duration timeout, Callback callback) {
  const std::lock_guard lock(mutex_);
  const Token token = ++last_;
  const Timers::Token timer = timers_.after(timeout, [this, token] {
    if (Callback expired = remove(token)) expired(false);
  });
  const auto place = waiters_.emplace(token, Waiter{std::move(interest), timer, std::move(callback)}).first;
  const Waiter& waiter = place->second;
  some_wait_ = true;
  for (const std::string& queue : waiter.interest.queues) by_queue_[{waiter.interest.tenant, queue}][token] = &waiter;
  return token;
}

ReadyWaiters::Callback ReadyWaiters::take(Token token) {
  const auto found = waiters_.find(token);
  if (found == waiters_.end()) return nullptr;
  Waiter& waiter = found->second;
  for (const std::string& queue : waiter.interest.queues) {
    const auto list = by_queue_.find({waiter.interest.tenant, queue});
    if (list == by_queue_.end()) continue;  // the queue was named twice
    list->second.erase(token);
    if (list->second.empty()) by_queue_.erase(list);
  }
  timers_.cancel(waiter.timer);
  Callback callback = std::move(waiter.callback);
  waiters_.erase(found);
  some_wait_ = !waiters_.empty();
  return callback;
}

ReadyWaiters::Callback ReadyWaiters::remove(Token token) {
  const std::lock_guard lock(mutex_);
  return take(token);
}

bool ReadyWaiters::cancel(Token token) { return remove(token) != nullptr; }

void ReadyWaiters::ready(const std::string& tenant, const std::string& queue,
                         const std::optional<std::string>& handler) {
  if (!some_wait_) return;
  std::vector<Callback> callbacks;
  {
    const std::lock_guard lock(mutex_);
    const auto list = by_queue_.find({tenant, queue});
    if (list == by_queue_.end()) return;
    std::vector<Token> chosen;
    for (const auto& [token, waiter] : list->second) {
      if (!wants(waiter->interest, handler)) continue;
      chosen.push_back(token);
      if (handler) break;
    }
    for (const Token token : chosen) callbacks.push_back(take(token));
  }
  for (const Callback& callback : callbacks) callback(true);
}

void ReadyWaiters::wake_all() { end_all(true); }
void ReadyWaiters::release_all() { end_all(false); }

void ReadyWaiters::end_all(bool maybe_ready) {
  std::vector<Callback> callbacks;
  {
    const std::lock_guard lock(mutex_);
    while (!waiters_.empty()) callbacks.push_back(take(waiters_.begin()->first));
  }
  for (const Callback& callback : callbacks) callback(maybe_ready);
}

}  // namespace semel::engine
