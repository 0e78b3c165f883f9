#include "engine/key_registry.hpp"

#include <algorithm>
#include <mutex>
#include <tuple>

namespace semel::engine {

KeyRegistry::KeyRegistry(const std::vector<domain::ApiKey>& stored) {
  for (const domain::ApiKey& key : stored) keys_.emplace(key.secret_hash, key);
}

void KeyRegistry::replace(const std::vector<domain::ApiKey>& stored) {
  KeyRegistry fresh(stored);
  const std::unique_lock lock(mutex_);
  keys_ = std::move(fresh.keys_);
}

void KeyRegistry::put(const domain::ApiKey& key) {
  const std::unique_lock lock(mutex_);
  keys_.insert_or_assign(key.secret_hash, key);
}

std::optional<domain::ApiKey> KeyRegistry::find(std::string_view secret, Time now) const {
  const Hash32 hash = domain::hash_of_secret(secret);
  const std::shared_lock lock(mutex_);
  const auto found = keys_.find(hash);
  if (found == keys_.end() || !found->second.is_valid(now)) return std::nullopt;
  return found->second;
}

bool KeyRegistry::is_empty() const {
  const std::shared_lock lock(mutex_);
  return keys_.empty();
}

std::vector<domain::ApiKey> KeyRegistry::list(const std::optional<std::string>& tenant) const {
  std::vector<domain::ApiKey> keys;
  {
    const std::shared_lock lock(mutex_);
    for (const auto& [hash, key] : keys_) {
      if (!tenant || key.tenant == *tenant) keys.push_back(key);
    }
  }
  std::sort(keys.begin(), keys.end(), [](const domain::ApiKey& a, const domain::ApiKey& b) {
    return std::tie(a.created_at, a.id) < std::tie(b.created_at, b.id);
  });
  return keys;
}

}  // namespace semel::engine
