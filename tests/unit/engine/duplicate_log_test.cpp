#include "engine/duplicate_log.hpp"

#include <gtest/gtest.h>

#include <thread>

#include "tests/support/builders.hpp"

namespace semel::engine {
namespace {

DuplicateHit hit(int number) { return {from_ms(number), "key-" + std::to_string(number), "409 CONFLICT"}; }

domain::ExecutionId id_of(std::uint32_t number) {
  domain::ExecutionId id;
  for (std::size_t i = 0; i < 4; ++i) id.uuid.bytes[i] = static_cast<std::uint8_t>(number >> (24 - 8 * i));
  return id;
}

DuplicateTally tally_of(std::uint32_t id, std::uint64_t count, int first, int last) {
  DuplicateTally tally{"acme", id_of(id), count, {}};
  for (int i = first; i <= last; ++i) tally.last.push_back(hit(i));
  return tally;
}

std::vector<DuplicateHit> hits(int first, int last) { return tally_of(0, 0, first, last).last; }

TEST(DuplicateLog, CountsAndKeepsTheLastTwentyNewestLast) {
  DuplicateLog log;

  for (int i = 1; i <= 20; ++i) log.add("acme", id_of(1), hit(i));
  EXPECT_EQ(log.read("acme", id_of(1)).last, hits(1, 20));

  for (int i = 21; i <= 55; ++i) log.add("acme", id_of(1), hit(i));
  EXPECT_EQ(log.read("acme", id_of(1)).count, 55u);
  EXPECT_EQ(log.read("acme", id_of(1)).last, hits(36, 55));
}

TEST(DuplicateLog, KeepsHoldersAndTenantsApart) {
  DuplicateLog log;
  log.add("acme", id_of(1), hit(1));
  log.add("acme", id_of(2), hit(2));
  log.add("other", id_of(1), hit(3));

  EXPECT_EQ(log.read("acme", id_of(1)).last, hits(1, 1));
  EXPECT_EQ(log.read("acme", id_of(2)).last, hits(2, 2));
  EXPECT_EQ(log.read("other", id_of(1)).last, hits(3, 3));
  EXPECT_EQ(log.read("other", id_of(2)).count, 0u);
  EXPECT_EQ(log.read("other", id_of(2)).id, id_of(2));
}

TEST(DuplicateLog, GivesAwayWhatIsTaken) {
  DuplicateLog log;
  EXPECT_TRUE(log.empty());
  for (std::uint32_t i = 0; i < 5; ++i) log.add("acme", id_of(i), hit(1));

  const auto first = log.take(3);
  const auto rest = log.take(100);

  EXPECT_EQ(first.size(), 3u);
  EXPECT_EQ(rest.size(), 2u);
  EXPECT_TRUE(log.empty());
  EXPECT_TRUE(log.take(100).empty());
  EXPECT_EQ(log.read("acme", first[0].id).count, 0u);
}

TEST(DuplicateLog, PutsBackWhatWasTakenBeforeWhatCameSince) {
  DuplicateLog log;
  for (int i = 1; i <= 15; ++i) log.add("acme", id_of(1), hit(i));
  log.add("acme", id_of(2), hit(1));
  auto taken = log.take(100);
  for (int i = 16; i <= 25; ++i) log.add("acme", id_of(1), hit(i));

  log.put_back(std::move(taken));

  EXPECT_EQ(log.read("acme", id_of(1)).count, 25u);
  EXPECT_EQ(log.read("acme", id_of(1)).last, hits(6, 25));
  EXPECT_EQ(log.read("acme", id_of(2)).count, 1u);
}

TEST(DuplicateLog, RemembersAtMost100000Holders) {
  DuplicateLog log;
  for (std::uint32_t i = 0; i < 100'000; ++i) log.add("acme", id_of(i), hit(1));

  log.add("acme", id_of(100'000), hit(1));
  log.add("acme", id_of(7), hit(2));
  log.put_back({tally_of(100'001, 5, 1, 1), tally_of(8, 5, 1, 1)});

  EXPECT_EQ(log.read("acme", id_of(100'000)).count, 0u) << "one more holder is not counted";
  EXPECT_EQ(log.read("acme", id_of(100'001)).count, 0u);
  EXPECT_EQ(log.read("acme", id_of(7)).count, 2u) << "but those known are";
  EXPECT_EQ(log.read("acme", id_of(8)).count, 6u);
  EXPECT_EQ(log.take(1'000'000).size(), 100'000u);
}

TEST(DuplicateLog, LosesNoCountOfManyThreads) {
  DuplicateLog log;
  std::uint64_t taken = 0;
  {
    std::vector<std::jthread> adding;
    for (int i = 0; i < 3; ++i) {
      adding.emplace_back([&] {
        for (std::uint32_t j = 0; j < 3'000; ++j) log.add("acme", id_of(j % 10), hit(1));
      });
    }
    for (int i = 0; i < 100; ++i) {
      for (const DuplicateTally& tally : log.take(3)) taken += tally.count;
    }
  }

  for (const DuplicateTally& tally : log.take(100)) taken += tally.count;
  EXPECT_EQ(taken, 9'000u);
}

TEST(JoinTallies, AddsCountsAndKeepsTheLastTwentyOfBoth) {
  const DuplicateTally joined = join(tally_of(1, 100, 1, 20), tally_of(1, 3, 21, 23));

  EXPECT_EQ(joined.count, 103u);
  EXPECT_EQ(joined.last, hits(4, 23));
  EXPECT_EQ(join(tally_of(1, 0, 1, 0), tally_of(1, 2, 1, 2)).last, hits(1, 2));
}

}  // namespace
}  // namespace semel::engine
