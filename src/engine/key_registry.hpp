#pragma once
#include <optional>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "domain/api_key.hpp"

namespace semel::engine {

/// All API keys in memory, so that no request waits for the store to learn who sends it. Callable from any thread.
class KeyRegistry {
 public:
  explicit KeyRegistry(const std::vector<domain::ApiKey>& stored);

  /// All there are, instead of those before.
  void replace(const std::vector<domain::ApiKey>& stored);
  /// A new key, or a changed one.
  void put(const domain::ApiKey& key);

  /// The key of a secret, if it is valid at `now`.
  std::optional<domain::ApiKey> find(std::string_view secret, Time now) const;
  /// Whether there has never been a key: revoked and expired ones count.
  bool is_empty() const;
  /// Oldest first; of one tenant, or of all.
  std::vector<domain::ApiKey> list(const std::optional<std::string>& tenant) const;

 private:
  mutable std::shared_mutex mutex_;  // guards keys_
  std::unordered_map<Hash32, domain::ApiKey, Hash32Hasher> keys_;
};

}  // namespace semel::engine
