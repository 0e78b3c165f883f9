#include <gmock/gmock.h>
#include <sys/stat.h>

#include "tests/e2e/export.hpp"
#include "tests/support/folder_watch.hpp"
#include "tests/support/places.hpp"

namespace semel::test {
namespace {

using testing::HasSubstr;
using testing::Not;

/// What an export does when it cannot be done: nothing, and says why.
class CliExportRefusal : public CliTest {
 protected:
  std::string store() { return "sqlite:" + (folder_ / "semel.db").string(); }
  std::filesystem::path out() { return folder_ / "export"; }
  Finished run_export(std::vector<std::string> more = {}) {
    std::vector<std::string> command{"export", "--store", store(), "--out", out().string()};
    command.insert(command.end(), more.begin(), more.end());
    return run_semel(command);
  }
  void submit_quickly() { EXPECT_EQ(client_.post("/v1/tasks", {{"handler", "h"}}).status, 201); }

  /// Until an export that runs has begun to write this file, or is over.
  void wait_for_draft(FolderWatch& places, const std::string& file) {
    const std::filesystem::path begun = places.wait_for({".export.draft", "export"});
    try {
      FolderWatch(begun).wait_for({file});
    } catch (const std::exception&) {  // the draft has got its name meanwhile
    }
  }

  void expect_whole() {
    EXPECT_TRUE(std::filesystem::exists(out() / "export.json"));
    EXPECT_FALSE(std::filesystem::exists(out() / "snapshot.db"));
    EXPECT_EQ(query_export(out(), "select count(*) as n from executions")[0]["n"], 300);
    EXPECT_EQ(query_export(out(), "select count(*) as n from events")[0]["n"], 0);
  }

  RestClient client_ = server_.connect();

  /// Neither an export nor a draft.
  bool is_untouched() { return !std::filesystem::exists(out()) && !std::filesystem::exists(folder_ / ".export.draft"); }
};

TEST_F(CliExportRefusal, OfAFolderThatIsThere) {
  submit({"--handler", "h"});
  ASSERT_EQ(run_export().code, 0);
  submit({"--handler", "h"});

  const Finished again = run_export();
  const Json before = query_export(out(), "select count(*) as n from executions");
  const Finished forced = run_export({"--force"});

  EXPECT_EQ(again.code, 1);
  EXPECT_THAT(again.errors, HasSubstr("exists already; name another folder, or replace it with --force"));
  EXPECT_EQ(before[0]["n"], 1);
  EXPECT_EQ(forced.code, 0) << forced.errors;
  EXPECT_EQ(query_export(out(), "select count(*) as n from executions")[0]["n"], 2);
}

TEST_F(CliExportRefusal, OfAFolderOfSomethingElse) {
  write_file(out() / "letter.txt", "dear");

  const Finished done = run_export({"--force"});

  EXPECT_EQ(done.code, 1);
  EXPECT_THAT(done.errors, HasSubstr("holds something else than an export (letter.txt)"));
  EXPECT_TRUE(std::filesystem::exists(out() / "letter.txt"));
}

TEST_F(CliExportRefusal, OfAPlaceThatCannotBeMade) {
  write_file(folder_ / "file", "x");

  const Finished done = run_semel({"export", "--store", store(), "--out", (folder_ / "file/export").string()});

  EXPECT_EQ(done.code, 1);
  EXPECT_THAT(done.errors, HasSubstr("cannot make"));
}

TEST_F(CliExportRefusal, OfAStoreThatIsNone) {
  write_file(folder_ / "letter.db", std::string(5'000, 'x'));
  const std::string out = (folder_ / "export").string();

  const Finished none = run_semel({"export", "--store", "sqlite:" + (folder_ / "none.db").string(), "--out", out});
  const Finished letter = run_semel({"export", "--store", "sqlite:" + (folder_ / "letter.db").string(), "--out", out});
  const Finished database = run_semel({"export", "--store", "postgres://x@127.0.0.1:1/x", "--out", out});
  const Finished unknown = run_semel({"export", "--store", "mysql://x", "--out", out});

  EXPECT_EQ(none.code, 1);
  EXPECT_THAT(none.errors, HasSubstr("there is no file"));
  EXPECT_EQ(letter.code, 1);
  EXPECT_EQ(database.code, 1);
  EXPECT_EQ(unknown.code, 2);
  EXPECT_TRUE(is_untouched());
  EXPECT_FALSE(std::filesystem::exists(folder_ / "none.db"));
}

TEST_F(CliExportRefusal, OfATimeThatIsNone) {
  const Finished done = run_export({"--since", "yesterday"});

  EXPECT_EQ(done.code, 2);
  EXPECT_THAT(done.errors, HasSubstr("neither a time such as"));
}

TEST_F(CliExportRefusal, OfALibraryThatIsMissing) {
  const Finished missing = run_export({"--duckdb", (folder_ / "libduckdb.so").string()});
  const std::filesystem::path lonely = folder_ / "bin/semel";
  std::filesystem::create_directories(folder_ / "bin");
  std::filesystem::copy_file(places::semel, lonely);  // nothing is beside it, and no checkout above it
  const Finished nowhere = run_to_end({lonely.string(), "export", "--store", store(), "--out", out().string()});
  const Finished query = run_to_end({lonely.string(), "query", "--export", folder_.path().string(), "select 1"});

  EXPECT_EQ(missing.code, 1);
  EXPECT_THAT(missing.errors, HasSubstr("libduckdb.so"));
  EXPECT_EQ(nowhere.code, 1);
  EXPECT_THAT(nowhere.errors, HasSubstr("DuckDB is not here"));
  EXPECT_THAT(nowhere.errors, HasSubstr("script/bootstrap"));
  EXPECT_EQ(query.code, 1);
  EXPECT_THAT(query.errors, HasSubstr("DuckDB is not here"));
  EXPECT_TRUE(is_untouched());
}

TEST_F(CliExportRefusal, OfALibraryThatCannotBeUsed) {
  write_file(folder_ / "letter.so", "dear");

  const Finished old = run_export({"--duckdb", places::old_duckdb});
  const Finished odd = run_export({"--duckdb", places::odd_duckdb});
  const Finished letter = run_export({"--duckdb", (folder_ / "letter.so").string()});

  EXPECT_EQ(old.code, 1);
  EXPECT_THAT(old.errors, HasSubstr("is DuckDB v0.9.2, and 1.4 or a later 1.x is needed"));
  EXPECT_EQ(odd.code, 1);
  EXPECT_THAT(odd.errors, HasSubstr("has no function duckdb_"));
  EXPECT_EQ(letter.code, 1);
  EXPECT_TRUE(is_untouched());
}

TEST_F(CliExportRefusal, LeavesNothingHalfUnderItsNameWhenItIsKilled) {
  for (int i = 0; i < 300; ++i) submit_quickly();
  for (const char* file : {"snapshot.db", "executions.parquet", "timers.parquet", "events.parquet"}) {
    std::filesystem::remove_all(out());
    FolderWatch places(folder_.path());
    Process exporting({places::semel, "export", "--store", store(), "--out", out().string()});
    wait_for_draft(places, file);
    exporting.signal(SIGKILL);
    exporting.wait();

    if (std::filesystem::exists(out())) expect_whole();

    const Finished again = run_export({"--force"});
    EXPECT_EQ(again.code, 0) << again.errors;
    expect_whole();
    EXPECT_FALSE(std::filesystem::exists(folder_ / ".export.draft"));
  }
}

}  // namespace
}  // namespace semel::test
