#include "store/sqlite/migrate.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "tests/support/database.hpp"
#include "tests/support/places.hpp"
#include "tests/unit/sqlite/store_file.hpp"

namespace semel::test {
namespace {

using testing::HasSubstr;

std::string schema_of(const std::filesystem::path& file) {
  std::string schema;
  for (const std::string& sql : Database(file).column("SELECT sql FROM sqlite_schema ORDER BY name"))
    schema += sql + ";\n";
  return schema;
}

std::string refusal_of(const std::filesystem::path& file) {
  const ManualClock clock;
  try {
    store::SqliteStore store(file, clock);
  } catch (const StoreFault& fault) {
    return fault.what();
  }
  return "";
}

TEST(Migrate, MakesANewFileOurs) {
  StoreFile store;

  Database database(store.file());

  EXPECT_EQ(database.value("PRAGMA application_id"), std::to_string(0x53454D4C));
  EXPECT_EQ(database.value("PRAGMA user_version"), "10");
  EXPECT_EQ(database.value("PRAGMA journal_mode"), "wal");
  EXPECT_EQ(database.count("SELECT count(*) FROM sqlite_schema WHERE name = 'executions'"), 1u);
}

TEST(Migrate, LeavesAFileOfItsOwnVersionAsItIs) {
  StoreFile store;
  store.apply(store.task("a"));
  const std::string before = schema_of(store.file());

  store.reopen();

  EXPECT_EQ(schema_of(store.file()), before);
  EXPECT_TRUE(store.is_held(store.task("a")));
}

TEST(Migrate, RefusesANewerVersion) {
  StoreFile store;
  store.close();
  Database(store.file(), Database::Access::read_write).execute("PRAGMA user_version = 99");

  EXPECT_THAT(refusal_of(store.file()), HasSubstr("has schema version 99, and this binary knows versions up to 10"));
  EXPECT_EQ(Database(store.file()).value("PRAGMA user_version"), "99");
}

TEST(Migrate, BringsTheFirstSchemaUpToDateAndKeepsWhatIsThere) {
  StoreFile newest;
  TempDir folder;
  const std::filesystem::path file = folder / "old.db";
  std::ifstream first(std::string(places::sources) + "/src/store/sqlite/migrations/0001_foundation.sql");
  Database(file, Database::Access::read_write)
      .execute(std::string(std::istreambuf_iterator<char>(first), {}) +
               "INSERT INTO tenants (id, name) VALUES (7, 'kept');"
               "PRAGMA application_id = 0x53454D4C; PRAGMA user_version = 1; PRAGMA journal_mode = wal");

  const ManualClock clock;
  store::SqliteStore(file, clock);

  EXPECT_EQ(schema_of(file), schema_of(newest.file()));
  EXPECT_EQ(Database(file).value("SELECT name FROM tenants WHERE id = 7"), "kept");
}

TEST(Migrate, RefusesTheFileOfAnotherProgramAndLeavesItsJournalModeAlone) {
  TempDir folder;
  const std::filesystem::path file = folder / "other.db";
  Database(file, Database::Access::read_write).execute("CREATE TABLE photos (name TEXT)");

  EXPECT_THAT(refusal_of(file), HasSubstr("an SQLite database, but not a Semel store"));

  EXPECT_EQ(Database(file).value("PRAGMA journal_mode"), "delete");
  EXPECT_EQ(Database(file).column("SELECT name FROM sqlite_schema"), std::vector<std::string>{"photos"});
}

TEST(Migrate, RefusesAFileThatIsNoDatabase) {
  TempDir folder;
  std::ofstream(folder / "letter.txt") << std::string(2'000, 'x');

  EXPECT_THAT(refusal_of(folder / "letter.txt"), HasSubstr("file is not a database"));
}

}  // namespace
}  // namespace semel::test
