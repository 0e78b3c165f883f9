#include "parquet/folder.hpp"

#include <gmock/gmock.h>

#include <fstream>

#include "base/error.hpp"
#include "parquet/export.hpp"
#include "tests/support/temp_dir.hpp"

namespace semel::parquet {
namespace {

using testing::HasSubstr;

void put_file(const std::filesystem::path& file, const std::string& text) {
  std::filesystem::create_directories(file.parent_path());
  std::ofstream(file, std::ios::binary) << text;
}

std::string text_of(const std::filesystem::path& file) {
  std::ifstream stream(file);
  return {std::istreambuf_iterator<char>(stream), {}};
}

std::string refusal_of(const std::filesystem::path& target, bool replace) {
  try {
    const Draft draft(target, replace);
    return "";
  } catch (const StoreFault& fault) {
    return fault.what();
  }
}

TEST(ExportDraft, IsInItsPlaceWhenItIsFinishedAndNotBefore) {
  test::TempDir folder;
  const std::filesystem::path target = folder / "a/b/export";

  Draft draft(target, false);
  put_file(draft.folder() / "x.parquet", "x");
  const bool before = std::filesystem::exists(target);
  draft.finish();

  EXPECT_FALSE(before);
  EXPECT_EQ(text_of(target / "x.parquet"), "x");
  EXPECT_FALSE(std::filesystem::exists(draft.folder()));
}

TEST(ExportDraft, LeavesNothingWhenItIsGivenUp) {
  test::TempDir folder;
  {
    const Draft draft(folder / "export", false);
    put_file(draft.folder() / "x.parquet", "x");
  }

  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(ExportDraft, WritesOverWhatAKilledProcessHasLeft) {
  test::TempDir folder;
  put_file(folder / ".export.draft/half.parquet", "half");

  Draft draft(folder / "export/", false);
  put_file(draft.folder() / "x.parquet", "x");
  draft.finish();

  EXPECT_FALSE(std::filesystem::exists(folder / "export/half.parquet"));
  EXPECT_TRUE(std::filesystem::exists(folder / "export/x.parquet"));
}

TEST(ExportDraft, IsWrittenByOneAtATime) {
  test::TempDir folder;
  const Draft first(folder / "export", false);
  put_file(first.folder() / "x.parquet", "x");

  EXPECT_THAT(refusal_of(folder / "export", false), HasSubstr("another export into"));
  EXPECT_EQ(text_of(first.folder() / "x.parquet"), "x");
}

TEST(ExportDraft, ReplacesAnExportOnlyWhenItMay) {
  test::TempDir folder;
  put_file(folder / "export/old.parquet", "old");
  put_file(folder / "export/export.json", "{}");
  const std::string refused = refusal_of(folder / "export", false);

  Draft draft(folder / "export", true);
  put_file(draft.folder() / "new.parquet", "new");
  draft.finish();

  EXPECT_THAT(refused, HasSubstr("exists already; name another folder, or replace it with --force"));
  EXPECT_FALSE(std::filesystem::exists(folder / "export/old.parquet"));
  EXPECT_EQ(text_of(folder / "export/new.parquet"), "new");
  EXPECT_FALSE(std::filesystem::exists(draft.folder()));
}

TEST(ExportDraft, NeverReplacesWhatIsNoExport) {
  test::TempDir folder;
  put_file(folder / "home/letter.txt", "dear");
  put_file(folder / "file", "x");

  EXPECT_THAT(refusal_of(folder / "home", true), HasSubstr("holds something else than an export (letter.txt)"));
  EXPECT_THAT(refusal_of(folder / "file", true), HasSubstr("is a file; name a folder"));
  EXPECT_THAT(refusal_of(folder / "file/below", true), HasSubstr("cannot make"));
  EXPECT_EQ(text_of(folder / "home/letter.txt"), "dear");
}

/// Finishes it, and says why that was refused.
std::string refusal_to_finish(Draft& draft) {
  try {
    draft.finish();
    return "";
  } catch (const StoreFault& fault) {
    return fault.what();
  }
}

TEST(ExportDraft, ReplacesNothingThatAppearedMeanwhileUnlessItMay) {
  test::TempDir folder;
  std::string refusal;
  {
    Draft draft(folder / "export", false);
    put_file(draft.folder() / "new.parquet", "new");
    put_file(folder / "export/other.parquet", "other");
    refusal = refusal_to_finish(draft);
  }

  EXPECT_THAT(refusal, HasSubstr("exists already; name another folder, or replace it with --force"));
  EXPECT_EQ(text_of(folder / "export/other.parquet"), "other");
  EXPECT_FALSE(std::filesystem::exists(folder / "export/new.parquet"));
  EXPECT_FALSE(std::filesystem::exists(folder / ".export.draft"));
}

TEST(ExportDraft, NeverReplacesWhatIsNoExportAnyMore) {
  test::TempDir folder;
  put_file(folder / "export/old.parquet", "old");
  std::string refusal;
  {
    Draft draft(folder / "export", true);
    put_file(draft.folder() / "new.parquet", "new");
    put_file(folder / "export/letter.txt", "dear");
    refusal = refusal_to_finish(draft);
  }

  EXPECT_THAT(refusal, HasSubstr("holds something else than an export (letter.txt)"));
  EXPECT_EQ(text_of(folder / "export/letter.txt"), "dear");
  EXPECT_EQ(text_of(folder / "export/old.parquet"), "old");
  EXPECT_FALSE(std::filesystem::exists(folder / "export/new.parquet"));
  EXPECT_FALSE(std::filesystem::exists(folder / ".export.draft"));
}

TEST(ExportDraft, NeverReplacesAFileThatAppearedMeanwhile) {
  test::TempDir folder;
  std::string refusal;
  {
    Draft draft(folder / "export", true);
    put_file(folder / "export", "dear");
    refusal = refusal_to_finish(draft);
  }

  EXPECT_THAT(refusal, HasSubstr("is a file; name a folder"));
  EXPECT_EQ(text_of(folder / "export"), "dear");
}

TEST(ExportDraft, TakesAnEmptyFolder) {
  test::TempDir folder;
  std::filesystem::create_directories(folder / "export");

  Draft draft(folder / "export", false);
  put_file(draft.folder() / "x.parquet", "x");
  draft.finish();

  EXPECT_EQ(text_of(folder / "export/x.parquet"), "x");
}

TEST(ExportDraft, GoesWhereALinkLeads) {
  test::TempDir folder;
  std::filesystem::create_directories(folder / "disk/export");
  std::filesystem::create_directory_symlink("disk/export", folder / "link");
  for (const bool replace : {false, true}) {
    Draft draft(folder / "link", replace);
    put_file(draft.folder() / "x.parquet", replace ? "2" : "1");
    draft.finish();
  }

  EXPECT_TRUE(std::filesystem::is_symlink(folder / "link"));
  EXPECT_EQ(text_of(folder / "disk/export/x.parquet"), "2");
}

TEST(ExportFolder, LosesWhatKilledProcessesHaveLeft) {
  test::TempDir folder;
  put_file(folder / "date=2026-11-17/.at=05-00-00Z.draft/snapshot.db", "half");
  put_file(folder / "date=2026-11-17/at=04-00-00Z/events.parquet", "whole");
  const Draft running(folder / "date=2026-11-17/at=06-00-00Z", false);

  remove_left_drafts(folder.path());
  remove_left_drafts(folder / "none");

  EXPECT_FALSE(std::filesystem::exists(folder / "date=2026-11-17/.at=05-00-00Z.draft"));
  EXPECT_TRUE(std::filesystem::exists(folder / "date=2026-11-17/at=04-00-00Z/events.parquet"));
  EXPECT_TRUE(std::filesystem::exists(running.folder()));
}

TEST(ExportFolder, KnowsItsTables) {
  test::TempDir folder;
  put_file(folder / "one/attempts.parquet", "");
  put_file(folder / "one/export.json", "");
  put_file(folder / "many/date=2026-11-17/at=05-00-00Z/events.parquet", "");
  put_file(folder / "many/date=2026-11-17/.at=06-00-00Z.draft/half.parquet", "");
  std::filesystem::create_directories(folder / "none");

  const std::vector<FoundTable> one = tables_in(folder / "one");
  const std::vector<FoundTable> many = tables_in(folder / "many");

  ASSERT_EQ(one.size(), 1u);
  EXPECT_EQ(one[0].name, "attempts");
  EXPECT_EQ(one[0].files, (folder / "one/attempts.parquet").string());
  ASSERT_EQ(many.size(), 1u);
  EXPECT_EQ(many[0].files, (folder / "many/date=*/at=*/events.parquet").string());
  EXPECT_TRUE(many[0].is_by_time);
  EXPECT_TRUE(tables_in(folder / "none").empty());
}

TEST(ExportFolder, KnowsItsNewestExport) {
  test::TempDir folder;
  const Time early = *parse_rfc3339("2026-11-17T23:59:59Z");
  const Time late = *parse_rfc3339("2026-11-18T00:00:01Z");
  put_file(folder / place_of(early) / "export.json", "{}");
  put_file(folder / place_of(late) / "export.json", "{}");
  std::filesystem::create_directories(folder / "date=2026-11-19/at=00-00-00Z");  // nothing in it
  put_file(folder / "date=x/at=y/export.json", "{}");

  EXPECT_EQ(place_of(early), "date=2026-11-17/at=23-59-59Z");
  EXPECT_EQ(newest_export(folder.path()), late);
  EXPECT_EQ(newest_export(folder / "none"), std::nullopt);
}

/// As every folder is that may not be read.
TEST(ExportFolder, ThatCannotBeReadIsNotTakenForAnEmptyOne) {
  test::TempDir folder;
  std::filesystem::create_symlink("date=2026-11-17", folder / "date=2026-11-17");  // leads nowhere but to itself
  put_file(folder / "file", "x");

  EXPECT_THROW(newest_export(folder.path()), StoreFault);
  EXPECT_THROW(newest_export(folder / "file"), StoreFault);
  EXPECT_NO_THROW(remove_left_drafts(folder.path()));
}

}  // namespace
}  // namespace semel::parquet
