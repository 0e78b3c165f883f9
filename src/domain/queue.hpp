#pragma once
#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.hpp"
#include "domain/id.hpp"
#include "domain/kind.hpp"
#include "domain/policy.hpp"
#include "domain/window.hpp"

namespace semel::domain {

/// How many attempts of a queue may begin in a time. A count of 0 says: as many as like.
struct RateLimit {
  std::int64_t count = 0;
  Duration period = 1s;
  std::optional<std::int64_t> burst{};  // that may begin at once after a rest; by default 100 ms of the rate, or 1

  bool operator==(const RateLimit&) const = default;
};

/// Reads "100/sec", "500/min", "20/hour", "1000/day" and "none".
std::optional<RateLimit> parse_rate(std::string_view text);
std::string to_text(const RateLimit& limit);
using semel::to_text;  // of durations: else it would be hidden here

inline constexpr Duration default_target_timeout = 30s;
inline constexpr Duration default_target_dedup_window = 24h;
inline constexpr Duration default_heartbeat_timeout = 5min;
inline constexpr int default_max_in_flight = 64;

/// What somebody has said about a queue: a tenant, or the configuration for all of them. Absent = nothing.
struct QueueOptions {
  std::optional<Duration> retention{};
  std::optional<RateLimit> rate_limit{};
  std::optional<int> max_running{};          // 0 = no limit
  std::optional<int> max_running_per_key{};  // of the tasks with one concurrency_key
  std::optional<bool> paused{};
  std::optional<Reuse> reuse{};
  std::optional<DedupWindow> dedup_window{};
  std::optional<std::string> target{};            // where tasks are pushed to; empty = nowhere: workers poll
  std::optional<Duration> target_timeout{};       // of one request
  std::optional<Duration> target_dedup_window{};  // how long the target remembers names
  std::optional<Duration> heartbeat_timeout{};    // of a task that the target has accepted
  std::optional<int> max_in_flight{};             // requests at once, of each server

  bool operator==(const QueueOptions&) const = default;
};

/// What holds for a queue.
struct QueueSettings {
  Duration retention = default_task_retention;
  Duration run_retention = default_run_retention;  // of whole runs
  std::optional<RateLimit> rate_limit{};
  std::optional<int> max_running{};
  int max_running_per_key = 1;
  bool paused = false;  // what runs goes on; nothing more is given out
  std::optional<Reuse> reuse{};
  std::optional<DedupWindow> dedup_window{};
  std::optional<std::string> target{};  // absent: workers poll
  Duration target_timeout = default_target_timeout;
  Duration target_dedup_window = default_target_dedup_window;
  Duration heartbeat_timeout = default_heartbeat_timeout;
  int max_in_flight = default_max_in_flight;

  bool operator==(const QueueSettings&) const = default;
};

/// How long the queue keeps an execution of the kind after it has closed.
inline Duration retention_of(const QueueSettings& settings, Kind kind) {
  return kind == Kind::workflow ? settings.run_retention : settings.retention;
}

/// What the tenant says counts; then what the configuration says.
QueueSettings settle(const QueueOptions& of_tenant, const QueueOptions& of_all);

/// Tokens of a rate limit: an attempt takes one. Whole numbers only, so that every store comes to the same.
struct TokenBucket {
  std::int64_t level = 0;  // a token is worth as many as its period has milliseconds; `count` come in each
  Time at{};               // when that was so
};

/// As it is before the first token is taken.
TokenBucket full_bucket(const RateLimit& limit, Time now);
/// How many may be taken now; the bucket is brought up to date.
std::int64_t tokens(TokenBucket& bucket, const RateLimit& limit, Time now);
void take(TokenBucket& bucket, const RateLimit& limit, std::int64_t count);
/// When there is a token, at the earliest.
Time next_token(const TokenBucket& bucket, const RateLimit& limit);

/// How many tasks a queue may give out now, as far as each of its limits is concerned.
struct Allowance {
  std::int64_t places = std::numeric_limits<std::int64_t>::max();  // of max_running
  std::int64_t tokens = std::numeric_limits<std::int64_t>::max();  // of the rate limit

  std::int64_t count() const { return std::min(places, tokens); }
};

/// The bucket is that of the rate limit, and is brought up to date; null where there is none.
Allowance allowance(const QueueSettings& settings, std::int64_t running, TokenBucket* bucket, Time now);

/// When the next task may be had, after `given` were: now, when a token comes, or (absent) when one that runs has
/// ended.
std::optional<Time> next_chance(const QueueSettings& settings, const Allowance& allowed, std::int64_t given,
                                const TokenBucket* bucket, Time now);

/// Which of several queues gives the next lease: as often as its weight says, by chance that lies in the attempt's id.
/// A weight of 0 stands for a queue that has nothing more; not all may be 0.
std::size_t pick_queue(const std::vector<int>& weights, AttemptId id);

namespace limits {
inline constexpr int weight_max = 1'000;
inline constexpr std::int64_t rate_max = 1'000'000;
inline constexpr int running_max = 1'000'000;
inline constexpr int in_flight_max = 1'000;
inline constexpr Duration target_timeout_max = 30min;
}  // namespace limits

}  // namespace semel::domain
