#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/bytes.hpp"
#include "ports/command.hpp"

namespace semel {

/// Answers who holds an identity without asking the store, as long as that holder has completed and cannot have changed
/// since. Nothing that it answers is ever wrong; nothing at all is always a right answer. Callable from any thread.
/// docs/adr/0014 says why.
class DedupCache {
 public:
  struct Identity {
    std::string tenant;
    Hash32 hash{};
  };
  /// One for each identity that was asked for. Of the execution only that is there which the answer to a duplicate
  /// shows: its id, key, context, result and times.
  using Found = std::vector<std::optional<Held>>;

  virtual ~DedupCache() = default;

  /// Calls back once: at once where nothing has to be waited for, else on a thread of the cache. Never waits itself.
  virtual void look_up(std::vector<Identity> identities, std::function<void(Found)> found) = 0;

  /// The store has just answered a duplicate with this holder. If that happens often, the cache will do it.
  virtual void met(const Identity& identity, const Held& held) = 0;

  /// Before an identity is released: takes away what others could find of it. False when that could not be done: then
  /// it must not be released.
  virtual void forget(Identity identity, std::function<void(bool)> done) = 0;

  /// Calls back whoever waits; from now on nothing is found, and no thread of the cache calls anybody.
  virtual void close() = 0;

  /// Counted since the start.
  struct Counts {
    std::uint64_t hits_near = 0;  // in the memory of this server
    std::uint64_t hits_far = 0;   // in Redis
    std::uint64_t misses = 0;
    std::uint64_t errors = 0;  // Redis did not answer, or with something else than what was put there
    bool is_reachable = false;
  };
  virtual Counts counts() const = 0;
};

}  // namespace semel
