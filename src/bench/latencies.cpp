#include "bench/latencies.hpp"

#include <algorithm>
#include <numeric>

namespace semel::bench {

double Latencies::percentile_ms(double share) {
  if (taken_.empty()) return 0;
  const auto place = static_cast<std::ptrdiff_t>(share * static_cast<double>(taken_.size() - 1));
  std::nth_element(taken_.begin(), taken_.begin() + place, taken_.end());
  return std::chrono::duration<double, std::milli>(taken_[static_cast<std::size_t>(place)]).count();
}

double Latencies::total_seconds() const {
  const auto total = std::accumulate(taken_.begin(), taken_.end(), std::chrono::nanoseconds{0});
  return std::chrono::duration<double>(total).count();
}

}  // namespace semel::bench
