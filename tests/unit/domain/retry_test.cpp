#include "domain/retry.hpp"

#include <gtest/gtest.h>

#include <set>

#include "base/uuid7_source.hpp"

namespace semel::domain {
namespace {

using Pauses = std::vector<Duration>;

Pauses pauses(Backoff backoff, Duration base, Duration cap, int count) {
  const RetryPolicy policy{10, backoff, base, cap, 0};
  Pauses pauses;
  for (int attempt = 1; attempt <= count; ++attempt) pauses.push_back(pause_after(policy, attempt));
  return pauses;
}

TEST(Backoff, GrowsAsItsNameSays) {
  EXPECT_EQ(pauses(Backoff::fixed, 2s, 1h, 4), (Pauses{2s, 2s, 2s, 2s}));
  EXPECT_EQ(pauses(Backoff::linear, 2s, 1h, 4), (Pauses{2s, 4s, 6s, 8s}));
  EXPECT_EQ(pauses(Backoff::exponential, 2s, 1h, 5), (Pauses{2s, 4s, 8s, 16s, 32s}));
  EXPECT_EQ(pauses(Backoff::fibonacci, 2s, 1h, 6), (Pauses{2s, 2s, 4s, 6s, 10s, 16s}));
}

TEST(Backoff, NeverPassesTheCap) {
  EXPECT_EQ(pauses(Backoff::fixed, 2s, 1s, 1), Pauses{1s});
  EXPECT_EQ(pauses(Backoff::linear, 2s, 5s, 4), (Pauses{2s, 4s, 5s, 5s}));
  EXPECT_EQ(pauses(Backoff::exponential, 2s, 5s, 4), (Pauses{2s, 4s, 5s, 5s}));
  EXPECT_EQ(pauses(Backoff::fibonacci, 2s, 5s, 5), (Pauses{2s, 2s, 4s, 5s, 5s}));
}

TEST(Backoff, OfZeroIsNoPause) {
  for (const Backoff backoff : {Backoff::fixed, Backoff::linear, Backoff::exponential, Backoff::fibonacci}) {
    EXPECT_EQ(pause_after({10, backoff, 0s, 1h, 20}, 1'000), 0s) << name_of(backoff);
  }
}

TEST(Backoff, StaysInRangeAfterAThousandAttempts) {
  for (const Backoff backoff : {Backoff::linear, Backoff::exponential, Backoff::fibonacci}) {
    EXPECT_EQ(pause_after({1'000, backoff, 1h, limits::backoff_max, 20}, 1'000),
              backoff == Backoff::linear ? Duration{1000h} : limits::backoff_max)
        << name_of(backoff);
  }
}

TEST(Backoff, IsReadAsItIsWritten) {
  for (const Backoff backoff : {Backoff::fixed, Backoff::linear, Backoff::exponential, Backoff::fibonacci}) {
    EXPECT_EQ(parse_backoff(name_of(backoff)), backoff);
  }
  EXPECT_EQ(parse_backoff("Fixed"), std::nullopt);
  EXPECT_EQ(static_cast<int>(Backoff::fibonacci), 3);  // stored
}

TEST(Jitter, ShortensAPauseByUpToItsPartAndSpreadsIt) {
  std::uint64_t count = 1;
  Uuid7Source ids([&] { return count++ * 0x9E3779B97F4A7C15ULL; });
  const RetryPolicy policy{3, Backoff::fixed, 100s, 1h, 20};
  std::set<Duration> seen;
  for (int i = 0; i < 1'000; ++i) {
    const Duration pause = jittered_pause_after(policy, 1, {ids.next(from_ms(1'700'000'000'000))});
    EXPECT_GE(pause, 80s);
    EXPECT_LE(pause, 100s);
    seen.insert(pause);
  }
  EXPECT_GT(seen.size(), 500u);
  EXPECT_LT(*seen.begin(), 81s);
  EXPECT_GT(*seen.rbegin(), 99s);
}

TEST(Jitter, IsTheSameForTheSameAttempt) {
  const RetryPolicy policy;
  const AttemptId id = *AttemptId::parse("019bddae-b818-7d82-b7c5-bd42e5db27fc");
  EXPECT_EQ(jittered_pause_after(policy, 2, id), jittered_pause_after(policy, 2, id));
}

TEST(Jitter, OfZeroChangesNothing) {
  const AttemptId id = *AttemptId::parse("019bddae-b818-7d82-b7c5-bd42e5db27fc");
  EXPECT_EQ(jittered_pause_after({3, Backoff::exponential, 1s, 1h, 0}, 3, id), 4s);
}

TEST(RetrySettings, GoOverThePolicy) {
  const RetryPolicy usual;
  EXPECT_EQ(apply_settings(usual, {}), usual);
  EXPECT_EQ(apply_settings(usual, {.max_attempts = 7}).max_attempts, 7);
  const RetryPolicy all = apply_settings(usual, {5, Backoff::linear, 2s, 9s, 50});
  EXPECT_EQ(all, (RetryPolicy{5, Backoff::linear, 2s, 9s, 50}));
}

TEST(RetrySettings, ABaseAboveTheUsualCapRaisesIt) {
  EXPECT_EQ(apply_settings({}, {.base = 2h}).cap, 2h);
  EXPECT_EQ(apply_settings({}, {.base = 2s}).cap, RetryPolicy().cap);
}

TEST(RetrySettings, ABaseAboveTheGivenCapIsRefused) {
  EXPECT_FALSE(check({.base = 2h, .cap = 1h}).has_value());
  EXPECT_TRUE(check({.base = 1h, .cap = 1h}).has_value());
  EXPECT_TRUE(check({.cap = 1h}).has_value());
}

}  // namespace
}  // namespace semel::domain
