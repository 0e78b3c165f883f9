#include "engine/queue_registry.hpp"

#include <algorithm>
#include <mutex>

namespace semel::engine {

QueueRegistry::QueueRegistry(const std::vector<StoredQueue>& stored) {
  for (const StoredQueue& each : stored) put(each.tenant, each.name, each.options);
}

bool QueueRegistry::replace(const std::vector<StoredQueue>& stored) {
  QueueRegistry fresh(stored);
  const std::unique_lock lock(mutex_);
  if (said_ == fresh.said_) return false;
  said_ = std::move(fresh.said_);
  is_empty_ = said_.empty();
  has_targets_ = fresh.has_targets();
  return true;
}

void QueueRegistry::put(const std::string& tenant, const std::string& queue, domain::QueueOptions options) {
  const std::unique_lock lock(mutex_);
  if (options.target && !options.target->empty()) has_targets_ = true;
  said_[{tenant, queue}] = std::move(options);
  is_empty_ = false;
}

domain::QueueOptions QueueRegistry::find(const std::string& tenant, const std::string& queue) const {
  const auto said = said_.find({tenant, queue});
  return said == said_.end() ? domain::QueueOptions{} : said->second;
}

domain::QueueOptions QueueRegistry::options(const std::string& tenant, const std::string& queue) const {
  const std::shared_lock lock(mutex_);
  return find(tenant, queue);
}

domain::QueueSettings QueueRegistry::settings(const std::string& tenant, const std::string& queue) const {
  if (is_empty_) return {};
  const std::shared_lock lock(mutex_);
  return settle(find(tenant, queue), find("", queue));
}

Duration QueueRegistry::longest_target_timeout() const {
  const std::shared_lock lock(mutex_);
  Duration longest = domain::default_target_timeout;
  for (const auto& [queue, options] : said_) longest = std::max(longest, options.target_timeout.value_or(longest));
  return longest;
}

std::set<std::string> QueueRegistry::names(const std::string& tenant) const {
  const std::shared_lock lock(mutex_);
  std::set<std::string> names;
  for (const auto& [queue, options] : said_) {
    if (queue.first.empty() || queue.first == tenant) names.insert(queue.second);
  }
  return names;
}

}  // namespace semel::engine
