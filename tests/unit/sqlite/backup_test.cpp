#include "store/sqlite/backup.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "tests/support/database.hpp"
#include "tests/unit/sqlite/store_file.hpp"

namespace semel::store::sqlite {
namespace {

using std::filesystem::path;
using test::Database;
using test::refusal_of;
using test::StoreFile;
using test::TempDir;
using testing::HasSubstr;

std::string bytes_of(const path& file) {
  std::ifstream stream(file, std::ios::binary);
  std::ostringstream bytes;
  bytes << stream.rdbuf();
  return bytes.str();
}

std::size_t tasks_in(const path& file) { return Database(file).count("SELECT count(*) FROM executions"); }

std::vector<std::string> names_in(const path& folder) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) names.push_back(entry.path().filename());
  return names;
}

/// Flips bytes in the middle of a database that has something there.
void damage(const path& file) {
  std::fstream stream(file, std::ios::in | std::ios::out | std::ios::binary);
  stream.seekp(static_cast<std::streamoff>(std::filesystem::file_size(file) / 2));
  stream << std::string(8192, '\x5a');
}

/// A store that is still open, with this many tasks of 64 KiB each.
void fill(StoreFile& store, int count) {
  for (int i = 0; i < count; ++i) store.apply(store.task(i).context("\"" + std::string(1 << 16, 'x') + "\""));
}

TEST(Backup, IsAWholeStoreInOneFile) {
  StoreFile store;
  store.apply(store.task("a"));
  TempDir folder;

  backup_store(store.file(), folder / "copy.db", {});

  EXPECT_EQ(names_in(folder.path()), std::vector<std::string>{"copy.db"});
  test::ManualClock clock;
  SqliteStore copy(folder / "copy.db", clock);
  Submit again = store.task("a");
  EXPECT_TRUE(std::holds_alternative<Held>(copy.apply(std::vector<Command>{again}).outcomes[0]));
}

TEST(Backup, ShowsOneMomentAlthoughAWriterWrites) {
  StoreFile store;
  fill(store, 100);
  TempDir folder;
  std::vector<std::int64_t> seen;
  int written = 0;
  CopyOptions options;
  options.progress = [&](std::int64_t done, std::int64_t) {
    seen.push_back(done);
    if (written < 5) store.apply(store.task(1'000 + written++));  // or a copy that begins anew would never end
  };

  backup_store(store.file(), folder / "copy.db", options);

  ASSERT_GE(seen.size(), 2u);
  EXPECT_TRUE(std::is_sorted(seen.begin(), seen.end()));  // it was not begun anew
  EXPECT_EQ(tasks_in(folder / "copy.db"), 100u);
  EXPECT_EQ(tasks_in(store.file()), 100u + static_cast<std::size_t>(written));
  EXPECT_EQ(Database(folder / "copy.db").value("PRAGMA integrity_check"), "ok");
}

TEST(Backup, LeavesNothingBesideAStoreThatNobodyUses) {
  StoreFile store;
  store.close();
  TempDir folder;

  backup_store(store.file(), folder / "copy.db", {});

  for (const char* suffix : {"-wal", "-shm"}) EXPECT_FALSE(std::filesystem::exists(store.file().string() + suffix));
}

TEST(Backup, OverwritesOnlyWhenTold) {
  StoreFile store;
  TempDir folder;
  std::ofstream(folder / "copy.db") << "a letter";

  EXPECT_THAT(refusal_of([&] { backup_store(store.file(), folder / "copy.db", {}); }),
              HasSubstr("copy.db exists already; name another file, or overwrite it with --force"));
  EXPECT_EQ(bytes_of(folder / "copy.db"), "a letter");
  backup_store(store.file(), folder / "copy.db", {.overwrite = true});

  EXPECT_EQ(tasks_in(folder / "copy.db"), 0u);
}

TEST(Backup, NeverGoesOverAStoreInUse) {
  StoreFile store;
  StoreFile other;

  const CopyOptions force{.overwrite = true};
  EXPECT_THAT(refusal_of([&] { backup_store(store.file(), store.file(), force); }), HasSubstr("are the same file"));
  EXPECT_THAT(refusal_of([&] { backup_store(store.file(), other.file(), force); }),
              HasSubstr("is the store of the process with pid " + std::to_string(::getpid())));
}

TEST(Backup, OfADamagedStoreIsRefusedAndLeavesNothing) {
  StoreFile store;
  fill(store, 20);
  store.close();
  damage(store.file());
  TempDir folder;

  const std::string refusal = refusal_of([&] { backup_store(store.file(), folder / "copy.db", {}); });

  EXPECT_THAT(refusal, HasSubstr("no backup was written"));
  EXPECT_TRUE(names_in(folder.path()).empty());
}

TEST(Backup, NeedsAStore) {
  TempDir folder;
  std::ofstream(folder / "empty.db").flush();
  Database(folder / "other.db", Database::Access::read_write).execute("CREATE TABLE photos (name TEXT)");
  const auto refusal = [&](const char* name) {
    return refusal_of([&] { backup_store(folder / name, folder / "copy.db", {}); });
  };

  EXPECT_THAT(refusal("none.db"), HasSubstr("there is no file"));
  EXPECT_THAT(refusal("empty.db"), HasSubstr("is empty"));
  EXPECT_THAT(refusal("other.db"), HasSubstr("not a Semel store"));
  EXPECT_FALSE(std::filesystem::exists(folder / "copy.db"));
}

class Restore : public testing::Test {
 protected:
  Restore() {
    StoreFile store;
    fill(store, 20);
    backup_store(store.file(), backup_, {});
  }

  TempDir folder_;
  path backup_ = folder_ / "backup.db";
};

TEST_F(Restore, MakesANewStore) {
  restore_store(backup_, folder_ / "new.db", {});

  test::ManualClock clock;
  SqliteStore store(folder_ / "new.db", clock);
  EXPECT_EQ(store.check_integrity(), "ok");
  EXPECT_EQ(tasks_in(folder_ / "new.db"), 20u);
}

TEST_F(Restore, ReplacesAStoreAndItsLogOnlyWhenTold) {
  StoreFile old;
  old.apply(old.task("a"));
  const path left = folder_ / "left.db";  // as a kill leaves it: with a log
  for (const char* suffix : {"", "-wal"}) {
    std::filesystem::copy_file(old.file().string() + suffix, left.string() + suffix);
  }
  ASSERT_GT(std::filesystem::file_size(left.string() + "-wal"), 0u);

  EXPECT_THAT(refusal_of([&] { restore_store(backup_, left, {}); }), HasSubstr("exists already"));
  EXPECT_EQ(tasks_in(left), 1u);
  restore_store(backup_, left, {.overwrite = true});

  EXPECT_FALSE(std::filesystem::exists(left.string() + "-wal"));
  EXPECT_EQ(tasks_in(left), 20u);
  EXPECT_EQ(Database(left).value("PRAGMA integrity_check"), "ok");
}

TEST_F(Restore, ReplacesADamagedStore) {
  std::ofstream(folder_ / "bad.db") << std::string(9000, 'x');
  std::ofstream(folder_ / "bad.db-wal") << std::string(9000, 'y');

  restore_store(backup_, folder_ / "bad.db", {.overwrite = true});

  EXPECT_EQ(tasks_in(folder_ / "bad.db"), 20u);
}

TEST_F(Restore, OfADamagedBackupIsRefusedAndTheStoreUntouched) {
  StoreFile store;
  store.apply(store.task("a"));
  store.close();
  const std::string before = bytes_of(store.file());
  damage(backup_);

  const std::string refusal = refusal_of([&] { restore_store(backup_, store.file(), {.overwrite = true}); });

  EXPECT_THAT(refusal, HasSubstr("cannot be restored, and nothing was changed"));
  EXPECT_TRUE(bytes_of(store.file()) == before);
}

TEST_F(Restore, OfATruncatedBackupIsRefused) {
  std::filesystem::resize_file(backup_, std::filesystem::file_size(backup_) / 3);

  EXPECT_THAT(refusal_of([&] { restore_store(backup_, folder_ / "new.db", {}); }), HasSubstr("cannot be restored"));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "new.db"));
}

TEST_F(Restore, IsRefusedWhileAProcessHasTheStore) {
  StoreFile store;

  const std::string refusal = refusal_of([&] { restore_store(backup_, store.file(), {.overwrite = true}); });

  EXPECT_THAT(refusal, HasSubstr("in use by the process with pid " + std::to_string(::getpid())));
  EXPECT_TRUE(std::holds_alternative<Created>(store.apply(store.task("a"))));
}

TEST_F(Restore, TakesOnlyAStore) {
  std::ofstream(folder_ / "letter.txt") << std::string(9000, 'x');

  EXPECT_THAT(refusal_of([&] { restore_store(folder_ / "letter.txt", folder_ / "new.db", {}); }),
              HasSubstr("cannot be a store"));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "new.db"));
}

}  // namespace
}  // namespace semel::store::sqlite
