#pragma once
#include <array>
#include <chrono>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/time.hpp"
#include "ports/change.hpp"

namespace semel::engine {

/// What executions came to in a stretch of time.
struct ActivityCounts {
  std::uint64_t created = 0;
  std::uint64_t completed = 0;
  std::uint64_t failed = 0;
  std::uint64_t timed_out = 0;
  std::uint64_t cancelled = 0;
  std::uint64_t retried = 0;  // they went back into their queue for another attempt
  std::uint64_t leased = 0;
  std::uint64_t duplicates = 0;

  ActivityCounts& operator+=(const ActivityCounts& other);
  bool operator==(const ActivityCounts&) const = default;
};

/// What happened in the last day, by tenant and minute, for people who look: in memory, so a restart begins anew. Only
/// minutes in which something happened take room. Callable from any thread.
class Activity {
 public:
  using Seconds = std::chrono::duration<double>;
  static constexpr Duration kept = 24h;

  struct Point {
    Time at{};  // where it begins
    ActivityCounts counts{};
  };
  /// In milliseconds, within a fifth.
  struct Quantiles {
    double p50 = 0;
    double p99 = 0;
  };

  void changed(Time now, const std::vector<Change>& changes);
  void duplicate(Time now, const std::string& tenant);
  void committed(Time now, Seconds took);

  /// The newest `count` stretches of `interval`, a number of whole minutes; `now` is in the last of them.
  std::vector<Point> read(const std::string& tenant, Time now, Duration interval, std::size_t count) const;
  /// How long commits took since then; nothing when there were none.
  std::optional<Quantiles> commit_times(Time since) const;

 private:
  using Minute = std::int64_t;                      // since the epoch
  using Histogram = std::array<std::uint32_t, 48>;  // each bucket is √2 of the one before

  mutable std::mutex mutex_;  // guards all below
  std::map<std::string, std::map<Minute, ActivityCounts>, std::less<>> tenants_;
  std::map<Minute, Histogram> commits_;
};

}  // namespace semel::engine
