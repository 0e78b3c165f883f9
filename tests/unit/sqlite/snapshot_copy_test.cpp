#include "store/sqlite/snapshot_copy.hpp"

#include <gtest/gtest.h>

#include "tests/support/database.hpp"
#include "tests/unit/sqlite/store_file.hpp"

namespace semel::store::sqlite {
namespace {

using test::Database;

TEST(SnapshotCopy, IsReadWhileItsStoreGoesOnAndEmptiesItsLog) {
  test::StoreFile store;
  for (int i = 0; i < 3; ++i) store.apply(store.task(i));
  const test::TempDir folder;
  SnapshotCopy copy({store.file(), folder / "copy.db"}, store.clock, {});
  const std::unique_ptr<dump::Source> source = copy.open();
  const std::unique_ptr<dump::Cursor> rows = source->read(dump::table_named("executions"));
  ASSERT_TRUE(rows->next());

  for (int i = 3; i < 10; ++i) store.apply(store.task(i));
  Database beside(store.file(), Database::Access::read_write);
  const std::string is_busy = beside.value("PRAGMA wal_checkpoint(TRUNCATE)");

  EXPECT_EQ(is_busy, "0");
  EXPECT_EQ(std::filesystem::file_size(store.file().string() + "-wal"), 0u);
  std::size_t left = 0;
  while (rows->next()) left += 1;
  EXPECT_EQ(left, 2u);
  EXPECT_EQ(beside.count("SELECT count(*) FROM executions"), 10u);
}

TEST(SnapshotCopy, GoesWithItsObject) {
  test::StoreFile store;
  const test::TempDir folder;
  {
    const SnapshotCopy copy({store.file(), folder / "copy.db"}, store.clock, {});
  }

  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

}  // namespace
}  // namespace semel::store::sqlite
