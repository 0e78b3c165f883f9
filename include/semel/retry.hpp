#pragma once
#include <cstdint>
#include <optional>
#include <type_traits>

#include "semel/time.hpp"

namespace semel {

/// How the pauses between attempts grow: `Retry::exponential(1s).cap(5min)`.
class Retry {
 public:
  enum class Backoff : std::uint8_t { fixed, linear, exponential, fibonacci };

  static Retry fixed(Duration base) { return Retry(Backoff::fixed, base); }
  static Retry linear(Duration base) { return Retry(Backoff::linear, base); }
  static Retry exponential(Duration base) { return Retry(Backoff::exponential, base); }
  static Retry fibonacci(Duration base) { return Retry(Backoff::fibonacci, base); }

  /// No pause is longer.
  Retry& cap(Duration longest) {
    cap_ = longest;
    return *this;
  }
  /// A pause is shortened by up to this part of it, so that a herd does not come back as one.
  Retry& jitter_percent(int percent) {
    jitter_percent_ = percent;
    return *this;
  }

  Backoff backoff() const { return backoff_; }
  Duration base() const { return base_; }
  std::optional<Duration> cap() const { return cap_; }
  std::optional<int> jitter_percent() const { return jitter_percent_; }

 private:
  Retry(Backoff backoff, Duration base) : backoff_(backoff), base_(base) {}

  Backoff backoff_;
  Duration base_;
  std::optional<Duration> cap_;
  std::optional<int> jitter_percent_;
};

static_assert(!std::is_aggregate_v<Retry>);

}  // namespace semel
