#include "engine/result_waiters.hpp"

namespace semel::engine {

ResultWaiters::Token ResultWaiters::add(const std::string& tenant, domain::ExecutionId id, Duration timeout,
                                        Callback callback) {
  const std::lock_guard lock(mutex_);
  const Token token = ++last_;
  const Key key{id, tenant};
  // The timer cannot run out before the waiter is stored: its callback waits for the lock.
  const Timers::Token timer = timers_.after(timeout, [this, token] {
    if (auto expired = remove(token)) expired(nullptr);
  });
  waiters_.emplace(token, Waiter{key, timer, std::move(callback)});
  by_execution_.emplace(key, token);
  return token;
}

ResultWaiters::Callback ResultWaiters::remove(Token token) {
  const std::lock_guard lock(mutex_);
  const auto found = waiters_.find(token);
  if (found == waiters_.end()) return nullptr;
  Waiter waiter = std::move(found->second);
  waiters_.erase(found);
  const auto [begin, end] = by_execution_.equal_range(waiter.key);
  for (auto each = begin; each != end; ++each) {
    if (each->second != token) continue;
    by_execution_.erase(each);
    break;
  }
  timers_.cancel(waiter.timer);
  return std::move(waiter.callback);
}

bool ResultWaiters::cancel(Token token) { return remove(token) != nullptr; }

void ResultWaiters::closed(const std::string& tenant, domain::ExecutionId id, const domain::Execution* gone) {
  std::vector<Callback> callbacks;
  {
    const std::lock_guard lock(mutex_);
    const auto [begin, end] = by_execution_.equal_range({id, tenant});
    for (auto each = begin; each != end; ++each) {
      auto waiter = waiters_.extract(each->second);
      timers_.cancel(waiter.mapped().timer);
      callbacks.push_back(std::move(waiter.mapped().callback));
    }
    by_execution_.erase(begin, end);
  }
  for (const auto& callback : callbacks) callback(gone);
}

std::vector<std::pair<std::string, domain::ExecutionId>> ResultWaiters::awaited(std::size_t max) {
  std::vector<std::pair<std::string, domain::ExecutionId>> found;
  const std::lock_guard lock(mutex_);
  auto each = by_execution_.upper_bound(last_awaited_);
  for (; each != by_execution_.end() && found.size() < max; each = by_execution_.upper_bound(each->first)) {
    found.emplace_back(each->first.second, each->first.first);
    last_awaited_ = each->first;
  }
  if (each == by_execution_.end()) last_awaited_ = {};
  return found;
}

void ResultWaiters::release_all() {
  std::vector<Callback> callbacks;
  {
    const std::lock_guard lock(mutex_);
    for (auto& [token, waiter] : waiters_) {
      timers_.cancel(waiter.timer);
      callbacks.push_back(std::move(waiter.callback));
    }
    waiters_.clear();
    by_execution_.clear();
  }
  for (const auto& callback : callbacks) callback(nullptr);
}

}  // namespace semel::engine
