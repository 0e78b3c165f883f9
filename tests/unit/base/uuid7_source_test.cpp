#include "base/uuid7_source.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <latch>
#include <set>
#include <thread>
#include <vector>

namespace semel {
namespace {

const Time midday = from_ms(1768910400000);

Uuid7Source with_constant(std::uint64_t random) {
  return Uuid7Source([random] { return random; });
}

std::int64_t ms_of(const Uuid& uuid) {
  std::int64_t ms = 0;
  for (std::size_t i = 0; i < 6; ++i) ms = ms * 256 + uuid.bytes[i];
  return ms;
}

bool strictly_increases(const std::vector<Uuid>& ids) {
  return std::adjacent_find(ids.begin(), ids.end(), std::greater_equal<>()) == ids.end();
}

TEST(Uuid7Source, SetsVersionAndVariantWhateverTheRandomBitsAre) {
  for (const std::uint64_t random : {0ULL, ~0ULL, 0x5555555555555555ULL, 0xAAAAAAAAAAAAAAAAULL}) {
    const Uuid id = with_constant(random).next(midday);

    EXPECT_EQ(id.version(), 7);
    EXPECT_TRUE(id.is_rfc_variant());
  }
}

TEST(Uuid7Source, BeginsWithTheMillisecond) {
  EXPECT_EQ(ms_of(with_constant(0).next(midday)), to_ms(midday));
  EXPECT_EQ(ms_of(with_constant(~0ULL).next(from_ms(0))), 0);
  EXPECT_EQ(ms_of(with_constant(0).next(from_ms(0xFFFFFFFFFFFF))), 0xFFFFFFFFFFFF);
}

TEST(Uuid7Source, KeepsAllRandomBitsBehindTheVariant) {
  const Uuid id = with_constant(0x0123456789ABCDEFULL).next(midday);

  EXPECT_EQ(id.text().substr(19), "8123-456789abcdef");
}

TEST(Uuid7Source, IncreasesStrictlyWhileTheClockStands) {
  Uuid7Source source(secure_random);
  std::vector<Uuid> ids;

  for (int i = 0; i < 100'000; ++i) ids.push_back(source.next(midday));

  EXPECT_TRUE(strictly_increases(ids));
  EXPECT_EQ(ms_of(ids.front()), to_ms(midday));
}

TEST(Uuid7Source, BorrowsTheNextMillisecondOnlyWhenTheCounterIsFull) {
  Uuid7Source source = with_constant(~0ULL);  // the counter begins at its highest seed, 2047

  std::vector<Uuid> ids;
  for (int i = 0; i < 2050; ++i) ids.push_back(source.next(midday));

  EXPECT_EQ(ms_of(ids[2048]), to_ms(midday));
  EXPECT_EQ(ms_of(ids[2049]), to_ms(midday) + 1);
  EXPECT_TRUE(strictly_increases(ids));
}

TEST(Uuid7Source, IncreasesStrictlyWhenTheClockGoesBack) {
  Uuid7Source source(secure_random);
  std::vector<Uuid> ids;

  for (const Duration step : {0ms, -1ms, -3600'000ms, -1ms, 0ms, 1ms, -5ms, 2ms})
    ids.push_back(source.next(midday + step));

  EXPECT_TRUE(strictly_increases(ids));
  EXPECT_EQ(ms_of(ids.back()), to_ms(midday) + 2);
}

TEST(Uuid7Source, FollowsTheClockAgainOnceItHasCaughtUpWithBorrowedTime) {
  Uuid7Source source(secure_random);
  std::vector<Uuid> ids;
  for (int i = 0; i < 20'000; ++i) ids.push_back(source.next(midday));
  const std::int64_t borrowed = ms_of(ids.back());

  ids.push_back(source.next(midday + 1ms));
  ids.push_back(source.next(from_ms(borrowed + 1)));

  EXPECT_GT(borrowed, to_ms(midday) + 1);
  EXPECT_TRUE(strictly_increases(ids));
  EXPECT_EQ(ms_of(ids.back()), borrowed + 1);
}

TEST(Uuid7Source, GivesFourThreadsDistinctIdsEachInOrder) {
  constexpr std::size_t threads = 4;
  Uuid7Source source(secure_random);
  std::vector<std::vector<Uuid>> made(threads);
  {
    std::latch start(threads);
    std::vector<std::jthread> running;
    for (std::size_t i = 0; i < threads; ++i) {
      running.emplace_back([&, i] {
        start.arrive_and_wait();
        for (int j = 0; j < 25'000; ++j) made[i].push_back(source.next(midday));
      });
    }
  }

  std::set<Uuid> all;
  for (const std::vector<Uuid>& ids : made) {
    EXPECT_TRUE(strictly_increases(ids));
    all.insert(ids.begin(), ids.end());
  }
  EXPECT_EQ(all.size(), 100'000u);
}

TEST(SecureRandom, DoesNotRepeatItself) {
  std::set<std::uint64_t> seen;

  for (int i = 0; i < 10'000; ++i) seen.insert(secure_random());

  EXPECT_EQ(seen.size(), 10'000u);
}

TEST(SecureRandom, GivesTwoThreadsDifferentBits) {
  std::uint64_t other = 0;
  std::jthread([&] { other = secure_random(); }).join();

  EXPECT_NE(other, secure_random());
}

}  // namespace
}  // namespace semel
