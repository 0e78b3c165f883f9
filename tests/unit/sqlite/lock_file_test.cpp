#include "store/sqlite/lock_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <string>

#include "base/error.hpp"
#include "tests/unit/sqlite/store_file.hpp"

namespace semel::store::sqlite {
namespace {

using test::refusal_of;
using test::TempDir;
using testing::HasSubstr;

TEST(LockFile, NamesThePidOfWhoHoldsTheStore) {
  TempDir folder;
  const LockFile lock(folder / "a.db");

  const std::string refusal = refusal_of([&] { LockFile second(folder / "a.db"); });

  EXPECT_THAT(refusal, HasSubstr((folder / "a.db").string()));
  EXPECT_THAT(refusal, HasSubstr("in use by the process with pid " + std::to_string(::getpid()) + ";"));
}

TEST(LockFile, IsNotMadeWhereNoStoreCanBe) {
  TempDir folder;

  EXPECT_EQ(refusal_of([&] { LockFile lock(folder / "no" / "a.db"); }),
            "there is no folder " + (folder / "no").string() + ": make it, or use another --store");
  std::filesystem::create_directory(folder / "a.db");
  EXPECT_THAT(refusal_of([&] { LockFile lock(folder / "a.db"); }), HasSubstr("is a folder, and the store is a file"));
  EXPECT_FALSE(std::filesystem::exists(folder / "a.db.lock"));
}

TEST(LockFile, IsFreeWhenItsOwnerIsGone) {
  TempDir folder;
  {
    const LockFile lock(folder / "a.db");
  }

  EXPECT_EQ(refusal_of([&] { LockFile again(folder / "a.db"); }), "");
  EXPECT_TRUE(std::filesystem::exists(folder / "a.db.lock"));
}

TEST(LockFile, IsFreeWhenItsProcessWasKilled) {
  TempDir folder;
  const pid_t child = ::fork();
  if (child == 0) {
    const LockFile lock(folder / "a.db");
    ::kill(::getpid(), SIGKILL);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);

  EXPECT_EQ(refusal_of([&] { LockFile again(folder / "a.db"); }), "");
}

TEST(LockFile, ForgetsALongerPidOfBefore) {
  TempDir folder;
  std::ofstream(folder / "a.db.lock") << "123456789012345\n";
  const LockFile lock(folder / "a.db");

  const std::string refusal = refusal_of([&] { LockFile second(folder / "a.db"); });

  EXPECT_THAT(refusal, HasSubstr(" pid " + std::to_string(::getpid()) + ";"));
}

TEST(LockFile, KeepsStoresOfDifferentFilesApart) {
  TempDir folder;
  const LockFile first(folder / "a.db");

  EXPECT_EQ(refusal_of([&] { LockFile second(folder / "b.db"); }), "");
}

TEST(LockFile, GuardsTheStoreBeforeItsFileIsTouched) {
  test::StoreFile store;

  const std::string refusal = refusal_of([&] { SqliteStore second(store.file(), store.clock); });

  EXPECT_THAT(refusal, HasSubstr("in use by the process"));
  EXPECT_TRUE(std::holds_alternative<Created>(store.apply(store.task("a"))));
}

}  // namespace
}  // namespace semel::store::sqlite
