#include "store/sqlite/inspect.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "tests/unit/sqlite/store_file.hpp"

namespace semel::store::sqlite {
namespace {

using test::StoreFile;

TEST(Inspect, TellsOfAStoreInUse) {
  StoreFile store;
  store.apply(store.task("a"));

  const Inspection found = inspect(store.file());

  EXPECT_EQ(found.integrity, "ok");
  EXPECT_GE(found.schema_version, 1);
  EXPECT_GT(found.file_bytes + found.wal_bytes, 0u);
  EXPECT_GT(found.free_bytes, 0u);
  EXPECT_EQ(found.last_time, store.clock.now());
  EXPECT_EQ(found.used_by, std::to_string(::getpid()));
}

TEST(Inspect, LeavesNothingBesideAStoreThatNobodyUses) {
  StoreFile store;
  store.close();

  inspect(store.file());

  for (const char* suffix : {"-wal", "-shm"}) EXPECT_FALSE(std::filesystem::exists(store.file().string() + suffix));
}

TEST(Inspect, LeavesTheLogOfAStoreInUse) {
  StoreFile store;
  store.apply(store.task("a"));

  inspect(store.file());

  for (const char* suffix : {"-wal", "-shm"}) EXPECT_TRUE(std::filesystem::exists(store.file().string() + suffix));
  store.expect_duplicate(store.task("a"));
}

TEST(Inspect, LeavesTheLogThatACrashLeft) {
  StoreFile store;
  store.apply(store.task("a"));
  const std::filesystem::path left = store.file().string() + ".left";
  for (const char* suffix : {"", "-wal"})
    std::filesystem::copy_file(store.file().string() + suffix, left.string() + suffix);

  inspect(left);

  EXPECT_GT(std::filesystem::file_size(left.string() + "-wal"), 0u);
}

TEST(Inspect, NamesAFileThatIsNotThere) {
  test::TempDir folder;

  EXPECT_EQ(test::refusal_of([&] { inspect(folder / "a.db"); }), "there is no file " + (folder / "a.db").string());
}

TEST(Inspect, TellsThatNobodyUsesAStore) {
  StoreFile store;
  store.close();

  EXPECT_EQ(inspect(store.file()).used_by, std::nullopt);
  store.reopen();  // the look has left no lock behind
}

}  // namespace
}  // namespace semel::store::sqlite
