#include "store/sqlite/identity_index.hpp"

#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <random>

#include "store/sqlite/facts.hpp"
#include "store/sqlite/migrate.hpp"
#include "tests/support/builders.hpp"
#include "tests/support/temp_dir.hpp"

namespace semel::store::sqlite {
namespace {

constexpr std::size_t generation = 8;
constexpr std::int64_t tenant = 1;

IdentityKey key_of(std::int64_t number) { return {tenant, test::hash_of(std::to_string(number))}; }

/// An index over a database of its own, driven as the writer drives it.
class IdentityIndexTest : public testing::Test {
 protected:
  IdentityIndexTest() {
    connection_.execute("PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF");  // nothing here is about crashes
    migrate(connection_);
  }

  void begin() { connection_.execute("BEGIN IMMEDIATE"); }
  void stage(const IdentityKey& key, std::int64_t seq) { index_.stage(key, seq); }
  void commit(std::size_t rows_min = 0) {
    index_.merge_slice(connection_, rows_min);
    connection_.execute("COMMIT");
    index_.committed(last_seq_);
  }
  void roll_back() {
    index_.rolled_back();
    connection_.execute("ROLLBACK");
  }

  /// Claims so many new identities in one commit.
  void claim(std::int64_t count) {
    begin();
    for (std::int64_t i = 0; i < count; ++i) stage(key_of(last_seq_ + 1), last_seq_ + 1), ++last_seq_;
    commit();
  }

  std::int64_t find(std::int64_t number) { return index_.find(connection_, key_of(number)); }
  std::int64_t merged_count() {
    Scoped query = connection_.use("SELECT count(*) FROM identities");
    query->step();
    return query->integer(0);
  }
  std::int64_t watermark() { return read_fact(connection_, fact::identity_watermark); }
  void expect_all_found() {
    for (std::int64_t seq = 1; seq <= last_seq_; ++seq) ASSERT_EQ(find(seq), seq);
  }

  test::TempDir folder_;
  Connection connection_{folder_ / "index.db", Connection::Access::read_write};
  IdentityIndex index_{generation};
  std::int64_t last_seq_ = 0;
};

TEST_F(IdentityIndexTest, FindsWhatIsStagedAndForgetsWhatIsRolledBack) {
  begin();
  stage(key_of(1), 1);
  EXPECT_EQ(find(1), 1);
  EXPECT_EQ(index_.recent(key_of(1)), std::nullopt);

  roll_back();

  EXPECT_EQ(find(1), IdentityIndex::nobody);
}

TEST_F(IdentityIndexTest, MergesTwiceAsManyAsAreClaimedAndMovesTheWatermarkWithTheLastSlice) {
  claim(8);
  EXPECT_EQ(merged_count(), 0);

  for (std::int64_t slice = 1; slice <= 4; ++slice) {
    EXPECT_EQ(watermark(), 0);
    claim(1);
    EXPECT_EQ(merged_count(), 2 * slice);
    expect_all_found();
  }

  EXPECT_EQ(watermark(), 8);
  EXPECT_EQ(index_.recent(key_of(1)), std::nullopt) << "the table has it now";
  EXPECT_EQ(index_.recent(key_of(9)), 9);
}

TEST_F(IdentityIndexTest, KeepsTheIdentitiesInMemoryBounded) {
  constexpr std::int64_t batch_max = 5;
  std::mt19937 random(1);
  for (int round = 0; round < 2'000; ++round) {
    while (index_.is_full()) {
      begin();
      commit(1);
    }
    claim(1 + static_cast<std::int64_t>(random() % batch_max));
    ASSERT_LE(index_.recent_count(), 2 * (generation + batch_max));
  }

  expect_all_found();
}

/// Three milliseconds pass between two looks at it.
IdentityIndex::Steady::time_point slow_stopwatch() {
  static IdentityIndex::Steady::time_point now{};
  return now += std::chrono::milliseconds(3);
}

/// What a commit may be held up by a merge (ADR 0006).
static_assert(IdentityIndex::slice_time_max <= std::chrono::milliseconds(20));

TEST_F(IdentityIndexTest, ASliceEndsWhenItsTimeIsOverHoweverMuchIsLeft) {
  constexpr std::int64_t count = 1'000;
  IdentityIndex index(count, slow_stopwatch);
  const auto claim_some = [&](std::int64_t first, std::int64_t last) {
    begin();
    for (std::int64_t seq = first; seq <= last; ++seq) index.stage(key_of(seq), seq);
    index.merge_slice(connection_, count);
    connection_.execute("COMMIT");
    index.committed(last);
  };
  claim_some(1, count);  // a whole generation
  ASSERT_EQ(merged_count(), 0);

  claim_some(count + 1, count + 1);

  constexpr auto looks = static_cast<std::int64_t>(IdentityIndex::slice_time_max / std::chrono::milliseconds(3)) + 1;
  constexpr auto in_time = looks * static_cast<std::int64_t>(IdentityIndex::rows_between_looks_at_the_clock);
  EXPECT_EQ(merged_count(), in_time);
  EXPECT_LT(in_time, count);
  for (std::int64_t seq = 1; seq <= count + 1; ++seq) ASSERT_EQ(index.find(connection_, key_of(seq)), seq);
}

TEST_F(IdentityIndexTest, MergesTheSliceAgainThatWasRolledBack) {
  claim(8);

  begin();
  stage(key_of(9), 9);
  index_.merge_slice(connection_, 5);
  roll_back();

  EXPECT_EQ(merged_count(), 0);
  while (index_.merge_waits()) {
    begin();
    commit(3);
  }
  EXPECT_EQ(merged_count(), 8);
  EXPECT_EQ(watermark(), 8);
  expect_all_found();
}

TEST_F(IdentityIndexTest, TheNewestHolderWinsWhereverTheOlderOnesAre) {
  claim(8);  // merging
  begin();
  for (const std::int64_t number : {1, 2, 3}) stage(key_of(number), 100 + number);
  commit(4);
  EXPECT_EQ(find(1), 101);

  while (index_.merge_waits()) {
    begin();
    commit(2);
    for (const std::int64_t number : {1, 2, 3}) ASSERT_EQ(find(number), 100 + number);
  }

  for (const std::int64_t number : {4, 5, 6, 7, 8}) EXPECT_EQ(find(number), number);
}

TEST_F(IdentityIndexTest, WhatWasGivenUpWhileItWasMergedIsNobodys) {
  claim(8);
  begin();
  stage(key_of(3), IdentityIndex::nobody);
  commit();
  EXPECT_EQ(find(3), IdentityIndex::nobody);
  EXPECT_EQ(index_.recent(key_of(3)), IdentityIndex::nobody);
  last_seq_ = 8;
  for (int round = 0; round < 40; ++round) {
    claim(3);
    ASSERT_EQ(find(3), IdentityIndex::nobody);
  }

  EXPECT_EQ(index_.recent(key_of(3)), std::nullopt) << "merged long ago";
  EXPECT_EQ(IdentityIndex::find_merged(connection_, key_of(3)), IdentityIndex::nobody);
}

TEST_F(IdentityIndexTest, KeepsTenantsApart) {
  begin();
  stage({1, test::hash_of("a")}, 1);
  stage({2, test::hash_of("a")}, 2);
  commit();

  EXPECT_EQ(index_.find(connection_, {1, test::hash_of("a")}), 1);
  EXPECT_EQ(index_.find(connection_, {2, test::hash_of("a")}), 2);
  EXPECT_EQ(index_.find(connection_, {3, test::hash_of("a")}), IdentityIndex::nobody);
}

}  // namespace
}  // namespace semel::store::sqlite
