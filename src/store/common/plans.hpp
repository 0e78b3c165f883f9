#pragma once
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>

#include "base/bytes.hpp"
#include "domain/workflow/graph.hpp"

namespace semel::store {

/// The plans of runs as graphs, in memory: thousands of runs share one, and each of their tasks asks for it. From any
/// thread.
class Plans {
 public:
  using Shared = std::shared_ptr<const domain::Graph>;
  /// More are forgotten, all at once, and read again when they are needed.
  static constexpr std::size_t kept_max = 1'000;

  /// The graph; `read` gives its document where it is not known yet. Throws StoreFault for a document that is none.
  Shared get(const Hash32& hash, const std::function<std::string()>& read);

 private:
  std::mutex mutex_;  // guards known_
  std::unordered_map<Hash32, Shared, Hash32Hasher> known_;
};

/// Of a document that a store has kept. Throws StoreFault.
Plans::Shared read_plan(const std::string& document);

}  // namespace semel::store
