#pragma once
#include <cstdint>
#include <optional>
#include <string_view>

#include "base/result.hpp"
#include "base/time.hpp"
#include "domain/id.hpp"

namespace semel::domain {

/// How the pauses between attempts grow. Numbers are stored.
enum class Backoff : std::uint8_t { fixed = 0, linear = 1, exponential = 2, fibonacci = 3 };
std::string_view name_of(Backoff backoff);
std::optional<Backoff> parse_backoff(std::string_view name);

/// How often a task is tried, and how long it rests in between.
struct RetryPolicy {
  int max_attempts = 3;  // the first run counts
  Backoff backoff = Backoff::exponential;
  Duration base = 1s;
  Duration cap = 1h;        // no pause is longer
  int jitter_percent = 20;  // a pause is shortened by up to this part of it, so that a herd does not come back as one

  bool operator==(const RetryPolicy&) const = default;
};

/// What a request or a template says about it; the rest is as usual.
struct RetrySettings {
  std::optional<int> max_attempts{};
  std::optional<Backoff> backoff{};
  std::optional<Duration> base{};
  std::optional<Duration> cap{};
  std::optional<int> jitter_percent{};

  bool operator==(const RetrySettings&) const = default;
};

/// Refuses settings that contradict each other.
Result<void> check(const RetrySettings& settings);

/// The policy with what the settings say over it. A base above the usual cap raises it.
RetryPolicy apply_settings(RetryPolicy policy, const RetrySettings& settings);

namespace limits {
inline constexpr int attempts_max = 1'000;
inline constexpr Duration timeout_max = std::chrono::hours(24 * 366);
inline constexpr Duration backoff_max = std::chrono::hours(24 * 366);
}  // namespace limits

/// The pause after the attempt of that number, before jitter: `base` after the first.
Duration pause_after(const RetryPolicy& policy, int attempt);

/// The same with jitter. The attempt's id, which is random, decides how much: every store comes to the same.
Duration jittered_pause_after(const RetryPolicy& policy, int attempt, AttemptId id);

}  // namespace semel::domain
