#pragma once
#include <array>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/time.hpp"
#include "ports/change.hpp"

namespace semel::engine {

/// What the tasks of a queue came to in a stretch of time.
struct QueueCounts {
  std::uint32_t created = 0;
  std::uint32_t started = 0;  // attempts began
  std::uint32_t completed = 0;
  std::uint32_t failed = 0;   // or timed out
  std::uint32_t retried = 0;  // they went back into the queue for another attempt

  QueueCounts& operator+=(const QueueCounts& other);
  bool operator==(const QueueCounts&) const = default;
};

/// Counts of the newest `size` stretches of time, each known by its number since the epoch.
template <std::size_t size>
class CountRing {
 public:
  /// Where a stretch is counted; null when it is older than all that are kept.
  QueueCounts* at(std::int64_t number);
  /// What is counted of it: nothing of one that is too old or has not come yet.
  QueueCounts of(std::int64_t number) const;
  /// Of `number` and those before it.
  QueueCounts sum(std::int64_t number) const;
  std::int64_t newest() const { return newest_; }

 private:
  std::int64_t newest_ = 0;
  std::array<QueueCounts, size> counts_{};
};

/// How much goes through each queue: its tasks of the last minute by seconds, and of the last hour by minutes. In
/// memory, so a restart begins anew. A queue takes 2.4 KiB, however much happens in it, and only so many are counted:
/// further ones are when others have been quiet for an hour. Callable from any thread.
class QueueRates {
 public:
  static constexpr std::size_t points = 60;
  struct Limits {
    std::size_t of_a_tenant = 1'000;
    std::size_t of_all = 5'000;
  };
  struct Rates {
    std::optional<Time> since{};  // before that it was not counted; absent: since the server has begun
    QueueCounts minute{};
    QueueCounts hour{};
    std::vector<QueueCounts> history{};  // of the hour, by minutes; the last is the one of now
  };

  QueueRates() = default;
  explicit QueueRates(Limits limits) : limits_(limits) {}

  void changed(Time now, const std::vector<Change>& changes);

  /// Nothing when there are so many queues that this one is not counted.
  std::optional<Rates> read(const std::string& tenant, const std::string& queue, Time now) const;
  /// Those in which something has happened in the last hour.
  std::vector<std::string> names(const std::string& tenant, Time now) const;

 private:
  struct Counted {
    std::optional<Time> since{};
    CountRing<points> seconds{};
    CountRing<points> minutes{};
  };
  struct Tenant {
    std::unordered_map<std::string, Counted> queues{};
    std::optional<Time> refused_at{};  // when a queue was last not counted
  };

  Counted* find_or_add(Time now, const std::string& tenant, const std::string& queue);
  bool is_full(const Tenant& tenant) const;
  void drop_quiet(Time now);

  const Limits limits_{};
  mutable std::mutex mutex_;  // guards all below
  std::map<std::string, Tenant, std::less<>> tenants_;
  std::size_t counted_ = 0;
  std::int64_t dropped_in_minute_ = 0;
};

}  // namespace semel::engine
