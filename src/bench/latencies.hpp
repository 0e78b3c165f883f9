#pragma once
#include <chrono>
#include <cstddef>
#include <vector>

namespace semel::bench {

using Steady = std::chrono::steady_clock;

/// How long things took.
class Latencies {
 public:
  void add(std::chrono::nanoseconds taken) { taken_.push_back(taken); }

  void add_all(const Latencies& others) { taken_.insert(taken_.end(), others.taken_.begin(), others.taken_.end()); }

  std::size_t count() const { return taken_.size(); }
  /// 0 when there is none. `share` = 0.99 for the one that 99 of 100 do not exceed.
  double percentile_ms(double share);
  double total_seconds() const;

 private:
  std::vector<std::chrono::nanoseconds> taken_;
};

}  // namespace semel::bench
