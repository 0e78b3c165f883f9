#pragma once
#include <cstddef>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "ports/command.hpp"

namespace semel::engine {

/// Counts the duplicates that holders prevent, in memory: a duplicate costs no write. What is counted here is flushed
/// to the store now and then, so a crash loses the newest counts; they are documented as "at least". Callable from any
/// thread.
class DuplicateLog {
 public:
  static constexpr std::size_t holders_max = 100'000;

  void add(const std::string& tenant, domain::ExecutionId id, DuplicateHit hit);
  /// Up to `max` tallies, which are then no longer here.
  std::vector<DuplicateTally> take(std::size_t max);
  /// Gives back what could not be stored.
  void put_back(std::vector<DuplicateTally> tallies);
  /// What is counted here and not yet stored.
  DuplicateTally read(const std::string& tenant, domain::ExecutionId id) const;
  bool empty() const;

 private:
  using Key = std::pair<domain::ExecutionId, std::string>;

  mutable std::mutex mutex_;  // guards tallies_
  std::map<Key, DuplicateTally> tallies_;
};

/// `newer` after `older`: the sum, and the last hits of both.
DuplicateTally join(DuplicateTally older, const DuplicateTally& newer);

}  // namespace semel::engine
