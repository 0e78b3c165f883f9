#include "domain/retry.hpp"

#include <algorithm>
#include <array>

#include "base/ensure.hpp"

namespace semel::domain {
namespace {

constexpr std::array all_backoffs{Backoff::fixed, Backoff::linear, Backoff::exponential, Backoff::fibonacci};

/// base × (1, 2, 4, 8, …) or (1, 1, 2, 3, 5, …), as far as the cap: so nothing overflows.
Duration grow(const RetryPolicy& policy, int attempt, bool doubles) {
  Duration before = doubles ? policy.base : Duration{0};
  Duration pause = policy.base;
  for (int number = 1; number < attempt && pause < policy.cap; ++number) {
    const Duration next = pause + (doubles ? pause : before);
    before = pause;
    pause = next;
  }
  return pause;
}

}  // namespace

std::string_view name_of(Backoff backoff) {
  switch (backoff) {
    case Backoff::fixed: return "fixed";
    case Backoff::linear: return "linear";
    case Backoff::exponential: return "exponential";
    case Backoff::fibonacci: return "fibonacci";
  }
  ensure(false);
  return "";
}

std::optional<Backoff> parse_backoff(std::string_view name) {
  for (const Backoff backoff : all_backoffs) {
    if (name_of(backoff) == name) return backoff;
  }
  return std::nullopt;
}

Result<void> check(const RetrySettings& settings) {
  if (settings.base && settings.cap && *settings.base > *settings.cap)
    return bad_request("base is {}, above the cap of {}", to_text(*settings.base), to_text(*settings.cap));
  return {};
}

RetryPolicy apply_settings(RetryPolicy policy, const RetrySettings& settings) {
  policy.max_attempts = settings.max_attempts.value_or(policy.max_attempts);
  policy.backoff = settings.backoff.value_or(policy.backoff);
  policy.base = settings.base.value_or(policy.base);
  policy.cap = settings.cap ? *settings.cap : std::max(policy.cap, policy.base);
  policy.jitter_percent = settings.jitter_percent.value_or(policy.jitter_percent);
  return policy;
}

Duration pause_after(const RetryPolicy& policy, int attempt) {
  ensure(attempt >= 1);
  Duration pause = policy.base;
  switch (policy.backoff) {
    case Backoff::fixed: break;
    case Backoff::linear:
      pause = policy.base.count() > policy.cap.count() / attempt ? policy.cap : policy.base * attempt;
      break;
    case Backoff::exponential: pause = grow(policy, attempt, true); break;
    case Backoff::fibonacci: pause = grow(policy, attempt, false); break;
  }
  return std::min(pause, policy.cap);
}

Duration jittered_pause_after(const RetryPolicy& policy, int attempt, AttemptId id) {
  const Duration pause = pause_after(policy, attempt);
  constexpr std::uint64_t parts = 1'000;
  const auto part = static_cast<std::int64_t>(chance_of(id) % parts);  // of the jitter, in thousandths
  return pause - Duration{pause.count() * policy.jitter_percent * part / (100 * static_cast<std::int64_t>(parts))};
}

}  // namespace semel::domain
