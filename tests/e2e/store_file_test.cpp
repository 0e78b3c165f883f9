#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "tests/e2e/server_process.hpp"
#include "tests/support/database.hpp"
#include "tests/support/temp_dir.hpp"

namespace semel::test {
namespace {

using testing::HasSubstr;
using testing::MatchesRegex;

std::string bytes_of(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  std::ostringstream bytes;
  bytes << stream.rdbuf();
  return bytes.str();
}

/// Starts on a file that must be refused; the message.
std::string refusal_of(const std::filesystem::path& file) {
  const Finished finished =
      run_to_end(server_command({"--listen", "127.0.0.1:0", "--store", "sqlite:" + file.string()}));
  EXPECT_EQ(finished.code, 1);
  EXPECT_EQ(finished.output, "");
  EXPECT_THAT(finished.errors, MatchesRegex("semel: [^\n]*\n"));
  return finished.errors;
}

TEST(StoreFile, OfARunningServerIsRefusedToASecondOneWithItsPid) {
  TempDir folder;
  ServerProcess first(folder / "one.db");
  ASSERT_EQ(first.connect().post("/v1/tasks", {{"handler", "h"}, {"idempotency_key", "k"}}).status, 201);

  const std::string refusal = refusal_of(folder / "one.db");

  EXPECT_THAT(refusal, HasSubstr("in use by the process with pid " + std::to_string(first.process().pid())));
  EXPECT_EQ(first.connect().get("/v1/tasks/by-key?key=k").status, 200);
}

TEST(StoreFile, IsFreeAgainAtOnceAfterItsServerWasKilled) {
  TempDir folder;
  ServerProcess first(folder / "one.db");
  first.process().signal(SIGKILL);
  ASSERT_EQ(first.process().wait(), -SIGKILL);

  ServerProcess second(folder / "one.db");

  EXPECT_EQ(second.connect().get("/readyz").status, 200);
}

TEST(StoreFile, MustLieInAFolderThatExists) {
  TempDir folder;

  const std::string refusal = refusal_of(folder / "missing" / "one.db");

  EXPECT_THAT(refusal, HasSubstr("there is no folder " + (folder / "missing").string() + ": make it"));
}

TEST(StoreFile, MustNotBeAFolder) {
  TempDir folder;
  std::filesystem::create_directory(folder / "one.db");

  EXPECT_THAT(refusal_of(folder / "one.db"),
              HasSubstr((folder / "one.db").string() + " is a folder, and the store is a file"));
}

TEST(StoreFile, OfAnotherFormatIsRefusedAndUntouched) {
  TempDir folder;
  const std::filesystem::path file = folder / "letter.txt";
  const std::string letter = "Dear reader,\n" + std::string(5000, 'x');
  std::ofstream(file) << letter;

  const std::string refusal = refusal_of(file);

  EXPECT_THAT(refusal, HasSubstr(file.string() + " cannot be a store: sqlite: file is not a database"));
  EXPECT_TRUE(bytes_of(file) == letter);
}

TEST(StoreFile, OfAnotherProgramIsRefusedAndUntouched) {
  TempDir folder;
  const std::filesystem::path file = folder / "other.db";
  Database(file, Database::Access::read_write)
      .execute("CREATE TABLE photos (name TEXT); INSERT INTO photos VALUES ('a')");
  const std::string before = bytes_of(file);

  const std::string refusal = refusal_of(file);

  EXPECT_THAT(refusal, HasSubstr(file.string() + " is an SQLite database, but not a Semel store"));
  EXPECT_TRUE(bytes_of(file) == before);
  EXPECT_FALSE(std::filesystem::exists(file.string() + "-wal"));
}

TEST(StoreFile, OfANewerVersionIsRefusedAndUntouched) {
  TempDir folder;
  const std::filesystem::path file = folder / "newer.db";
  EXPECT_EQ(ServerProcess(file).stop(), 0);
  Database(file, Database::Access::read_write).execute("PRAGMA user_version = 999");
  const std::string before = bytes_of(file);

  const std::string refusal = refusal_of(file);

  EXPECT_THAT(refusal, HasSubstr("has schema version 999, and this binary knows versions up to"));
  EXPECT_THAT(refusal, HasSubstr("run a newer semel"));
  EXPECT_TRUE(bytes_of(file) == before);
}

TEST(StoreFile, ThatIsEmptyBecomesAStore) {
  TempDir folder;
  const std::filesystem::path file = folder / "empty.db";
  std::ofstream(file).flush();

  ServerProcess server(file);

  EXPECT_EQ(server.connect().post("/v1/tasks", {{"handler", "h"}}).status, 201);
}

}  // namespace
}  // namespace semel::test
