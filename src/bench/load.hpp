#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/time.hpp"

namespace semel::bench {

/// What to send, and how it went.
struct Load {
  std::uint16_t port = 0;
  std::size_t in_flight = 64;
  Duration time = 5s;
  std::uint64_t requests_max = UINT64_MAX;
  std::string path = {};
  std::function<std::string()> next_body = {};                         // called on one thread
  std::function<bool(int status, const std::string& body)> good = {};  // whether the answer is the one that was meant
};

struct LoadResult {
  std::uint64_t answers = 0;
  std::uint64_t refused = 0;
  double seconds = 0;
  std::vector<std::uint32_t> latencies_us;

  double percentile_ms(double share);
};

/// Keeps `in_flight` connections busy, one request each at a time, until the time is over.
LoadResult drive(const Load& load);

}  // namespace semel::bench
