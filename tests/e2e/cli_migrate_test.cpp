#include <gmock/gmock.h>

#include <fstream>
#include <sstream>

#include "tests/e2e/cli.hpp"
#include "tests/e2e/docs_steps.hpp"
#include "tests/support/database.hpp"
#include "tests/support/postgres_database.hpp"

namespace semel::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

std::string text_of(const std::filesystem::path& file) {
  std::ostringstream text;
  text << std::ifstream(file, std::ios::binary).rdbuf();
  return text.str();
}

Finished start_on(const std::string& store, const std::string& migrate) {
  return run_to_end(server_command({"--listen", "127.0.0.1:0", "--store", store, "--migrate", migrate}));
}

/// The block of SQL on a page.
std::string sql_of(const std::string& page) {
  for (const DocBlock& block : read_blocks(read_page(page))) {
    if (block.language == "sql") return block.text;
  }
  return {};
}

/// A file as the first version left it.
class CliMigrateFile : public testing::Test {
 protected:
  CliMigrateFile() {
    const std::string first = text_of(source_folder() / "src/store/sqlite/migrations/0001_foundation.sql");
    Database(file_, Database::Access::read_write)
        .execute(first + "PRAGMA application_id = 1397050700; PRAGMA user_version = 1");
  }

  std::string version() { return Database(file_).value("PRAGMA user_version"); }

  TempDir folder_;
  const std::filesystem::path file_ = folder_ / "old.db";
  const std::string store_ = "sqlite:" + file_.string();
};

TEST_F(CliMigrateFile, IsToldWhatWouldBeDone) {
  const Finished told = run_semel({"migrate", "--store", store_, "--dry-run"});

  EXPECT_EQ(told.code, 0) << told.errors;
  EXPECT_THAT(told.output, AllOf(HasSubstr("would apply 0002_keys.sql\n"), HasSubstr("version 1 would become ")));
  EXPECT_EQ(version(), "1");
}

TEST_F(CliMigrateFile, IsBroughtUpToDateOnce) {
  const Finished done = run_semel({"migrate", "--store", store_});
  const Finished again = run_semel({"migrate", "--store", store_});

  EXPECT_EQ(done.code, 0) << done.errors;
  EXPECT_THAT(done.output, AllOf(HasSubstr("applied 0002_keys.sql\n"), HasSubstr("version 1 became ")));
  EXPECT_EQ(again.code, 0);
  EXPECT_THAT(again.output, HasSubstr("nothing to do"));
  EXPECT_EQ(ServerProcess(file_, {"--migrate", "never"}).stop(), 0);
}

TEST_F(CliMigrateFile, IsLeftAloneByAServerThatMayNotMigrate) {
  const Finished refused = start_on(store_, "never");

  EXPECT_EQ(refused.code, 1);
  EXPECT_THAT(refused.errors, HasSubstr("run semel migrate --store " + store_));
  EXPECT_EQ(version(), "1");
  EXPECT_EQ(ServerProcess(file_, {"--migrate", "auto"}).stop(), 0);
  EXPECT_NE(version(), "1");
}

TEST_F(CliMigrateFile, IsRefusedWhileAServerUsesItAndWhenItIsNewer) {
  {
    const ServerProcess server(file_);
    const Finished used = run_semel({"migrate", "--store", store_});
    EXPECT_EQ(used.code, 1);
    EXPECT_THAT(used.errors, HasSubstr("in use by the process with pid"));
    EXPECT_THAT(run_semel({"migrate", "--store", store_, "--dry-run"}).output, HasSubstr("nothing to do"));
  }
  Database(file_, Database::Access::read_write).execute("PRAGMA user_version = 999");

  const Finished newer = run_semel({"migrate", "--store", store_});

  EXPECT_EQ(newer.code, 1);
  EXPECT_THAT(newer.errors, HasSubstr("run a newer semel"));
}

TEST_F(CliMigrateFile, IsMadeWhereThereIsNoneButNotByADryRun) {
  const std::string store = "sqlite:" + (folder_ / "new.db").string();

  EXPECT_THAT(run_semel({"migrate", "--store", store, "--dry-run"}).output,
              HasSubstr("would apply 0001_foundation.sql"));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "new.db"));
  EXPECT_EQ(run_semel({"migrate", "--store", store}).code, 0);
  EXPECT_TRUE(std::filesystem::exists(folder_ / "new.db"));
}

/// Servers whose role may use the schema, and not change it.
TEST(CliMigrateDatabase, LetsServersRunWithoutTheRightToChangeTheSchema) {
  const PostgresDatabase database;
  database.open()->execute(
      "DROP SCHEMA IF EXISTS semel CASCADE;"
      "DO $$ BEGIN CREATE ROLE semel_app LOGIN; EXCEPTION WHEN duplicate_object THEN NULL; END $$;"
      "DO $$ BEGIN CREATE ROLE semel_owner; EXCEPTION WHEN duplicate_object THEN NULL; END $$");
  std::string url = database.url();
  url.replace(url.find("user=semel"), 10, "user=semel_app");

  const Finished early = start_on(url, "never");
  const Finished made = run_semel({"migrate", "--store", database.url()});
  database.open()->execute(sql_of("docs/guide/operating.md"));
  ServerProcess server(StoreUrl{url}, {"--migrate", "never"});
  const Finished beside = run_semel({"migrate", "--store", database.url()});

  EXPECT_EQ(early.code, 1);
  EXPECT_THAT(early.errors, HasSubstr("run semel migrate --store URL"));
  EXPECT_EQ(made.code, 0) << made.errors;
  EXPECT_THAT(made.output, AllOf(HasSubstr("applied 0001_foundation.sql"), HasSubstr("version 0 became ")));
  EXPECT_EQ(server.connect().post("/v1/tasks", {{"handler", "h"}, {"idempotency_key", "k"}}).status, 201);
  EXPECT_THAT(beside.output, HasSubstr("nothing to do"));
  EXPECT_EQ(server.stop(), 0);
  database.open()->execute("DROP SCHEMA semel CASCADE");
}

}  // namespace
}  // namespace semel::test
