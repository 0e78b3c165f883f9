#include "store/common/dump_compare.hpp"

#include <gtest/gtest.h>

#include <deque>
#include <map>

namespace semel::store::dump {
namespace {

using StoredRow = std::vector<Value>;

/// A store whose tables are empty but for what a test puts into them.
class FakeStore final : public Source {
 public:
  std::map<std::string_view, std::deque<StoredRow>> rows;
  std::map<std::string_view, std::int64_t> uncounted;

  std::unique_ptr<Cursor> read(const Table& table) override { return std::make_unique<FakeCursor>(rows[table.name]); }
  std::int64_t count(const Table& table) override {
    return static_cast<std::int64_t>(rows[table.name].size()) + uncounted[table.name];
  }

 private:
  class FakeCursor final : public Cursor {
   public:
    explicit FakeCursor(const std::deque<StoredRow>& rows) : rows_(rows) {}
    std::optional<Row> next() override {
      if (next_ == rows_.size()) return std::nullopt;
      return rows_[next_++];
    }

   private:
    const std::deque<StoredRow>& rows_;
    std::size_t next_ = 0;
  };
};

StoredRow identity(std::string_view tenant, std::string_view hash, std::string_view holder) {
  return {tenant, hash, holder};
}

const TableSums& sums_of(const Comparison& comparison, std::string_view table) {
  for (const TableSums& each : comparison.tables) {
    if (each.table == table) return each;
  }
  throw std::out_of_range("no such table");
}

class Compared : public testing::Test {
 protected:
  Comparison compare_both() {
    return compare(before_, after_, [this](std::int64_t rows) { ticks_ += rows; });
  }

  FakeStore before_;
  FakeStore after_;
  std::int64_t ticks_ = 0;
};

TEST_F(Compared, StoresAreTheSameRowByRow) {
  for (FakeStore* each : {&before_, &after_})
    each->rows["identities"] = {identity("a", "1", "x"), identity("a", "2", "y")};

  const Comparison comparison = compare_both();

  EXPECT_TRUE(comparison.are_same());
  EXPECT_EQ(sums_of(comparison, "identities").rows_before, 2);
  EXPECT_TRUE(sums_of(comparison, "identities").are_same());
  EXPECT_EQ(ticks_, 2);
}

TEST_F(Compared, AMissingRowIsNamedAndTheRestStillMeets) {
  before_.rows["identities"] = {identity("a", "1", "x"), identity("a", "2", "y"), identity("b", "1", "z")};
  after_.rows["identities"] = {identity("a", "1", "x"), identity("b", "1", "z")};

  const Comparison comparison = compare_both();

  ASSERT_EQ(comparison.differences_found, 1);
  EXPECT_EQ(comparison.differences[0].table, "identities");
  EXPECT_EQ(comparison.differences[0].key, "a/32");  // hashes are shown as hexadecimal digits
  EXPECT_EQ(comparison.differences[0].what, "is missing in the copy");
  EXPECT_FALSE(sums_of(comparison, "identities").are_same());
}

TEST_F(Compared, ARowTooManyIsNamed) {
  after_.rows["identities"] = {identity("a", "1", "x")};

  const Comparison comparison = compare_both();

  ASSERT_EQ(comparison.differences_found, 1);
  EXPECT_EQ(comparison.differences[0].what, "is in the copy only");
}

TEST_F(Compared, FieldsThatDifferAreNamed) {
  before_.rows["identities"] = {identity("a", "1", "x")};
  after_.rows["identities"] = {identity("a", "1", "y")};

  const Comparison comparison = compare_both();

  ASSERT_EQ(comparison.differences_found, 1);
  EXPECT_EQ(comparison.differences[0].what, "has another execution_id");
}

TEST_F(Compared, WhatACursorDoesNotShowIsStillMissed) {
  before_.uncounted["attempts"] = 3;

  const Comparison comparison = compare_both();

  ASSERT_EQ(comparison.differences_found, 1);
  EXPECT_EQ(comparison.differences[0].table, "attempts");
  EXPECT_EQ(comparison.differences[0].key, "");
}

TEST_F(Compared, OnlyTheFirstDifferencesAreKept) {
  for (int i = 0; i < 100; ++i) before_.rows["audit"].push_back({"a", std::int64_t{i}, std::int64_t{0}, "", "", ""});

  const Comparison comparison = compare_both();

  EXPECT_EQ(comparison.differences_found, 100);
  EXPECT_EQ(comparison.differences.size(), Comparison::differences_kept);
}

TEST(DumpDigest, TellsApartWhatOnlyLooksTheSame) {
  const auto digest_of = [](const std::vector<StoredRow>& rows) {
    Digest digest;
    for (const StoredRow& row : rows) digest.add(row);
    return digest.finish();
  };

  EXPECT_NE(digest_of({{"ab", "c"}}), digest_of({{"a", "bc"}}));
  EXPECT_NE(digest_of({{"a"}, {"b"}}), digest_of({{"b"}, {"a"}}));
  EXPECT_NE(digest_of({{""}}), digest_of({{std::monostate{}}}));
  EXPECT_NE(digest_of({{std::int64_t{0}}}), digest_of({{std::string_view("\0\0\0\0\0\0\0\0", 8)}}));
  EXPECT_EQ(digest_of({{"a", std::int64_t{-1}}}), digest_of({{"a", std::int64_t{-1}}}));
}

TEST(DumpTables, HaveKeysOfWhichNoneIsAbsent) {
  for (const Table& table : tables()) {
    EXPECT_GT(table.key_size, 0u) << table.name;
    EXPECT_LE(table.key_size, table.fields.size()) << table.name;
  }
}

}  // namespace
}  // namespace semel::store::dump
