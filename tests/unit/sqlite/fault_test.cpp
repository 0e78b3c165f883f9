#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <thread>

#include "store/sqlite/connection.hpp"
#include "tests/support/database.hpp"
#include "tests/unit/sqlite/file_size_limit.hpp"
#include "tests/unit/sqlite/store_file.hpp"

namespace semel::test {
namespace {

std::uintmax_t log_size(const StoreFile& store) { return std::filesystem::file_size(store.file().string() + "-wal"); }

// No text that the engine lets through is refused by SQLite; an id that two submissions share is what can be
// reached.
TEST(BadCommand, HarmsOnlyItself) {
  StoreFile store;
  const Submit first = store.task("a");
  Submit same_id = store.task("b");
  same_id.spec.id = first.spec.id;
  const Submit last = store.task("c");

  const std::vector<Outcome> outcomes = store.apply({first, same_id, last});

  EXPECT_TRUE(std::holds_alternative<Created>(outcomes[0]));
  ASSERT_TRUE(std::holds_alternative<Rejected>(outcomes[1]));
  EXPECT_EQ(std::get<Rejected>(outcomes[1]).error.code, ErrorCode::bad_request);
  EXPECT_TRUE(std::holds_alternative<Created>(outcomes[2]));
  for (int round = 0; round < 2; ++round) {
    EXPECT_TRUE(store.is_held(store.task("a")));
    EXPECT_FALSE(store.is_held(store.task("b")));
    EXPECT_TRUE(store.is_held(store.task("c")));
    store.reopen();
  }
}

TEST(BadCommand, IsRefusedAlsoWhenItComesAlone) {
  StoreFile store;
  const Submit first = store.task("a");
  Submit same_id = store.task("b");
  same_id.spec.id = first.spec.id;
  store.apply(first);

  const Outcome outcome = store.apply(same_id);

  EXPECT_TRUE(std::holds_alternative<Rejected>(outcome)) << describe(outcome);
  EXPECT_FALSE(store.is_held(same_id));
  EXPECT_TRUE(std::holds_alternative<Created>(store.apply(store.task("b"))));
}

TEST(BadCommand, DoesNotDisturbAMerge) {
  StoreFile store;
  for (int i = 0; i < 500; ++i) {
    const Submit good = store.task(i);
    Submit bad = store.task(fmt::format("bad-{}", i));
    bad.spec.id = good.spec.id;
    store.apply({good, bad});
  }

  for (int i = 0; i < 500; ++i) {
    ASSERT_TRUE(store.is_held(store.task(i))) << i;
    ASSERT_FALSE(store.is_held(store.task(fmt::format("bad-{}", i)))) << i;
  }
}

TEST(FullDisk, RefusesChangesAndReadsGoOn) {
  StoreFile store;
  store.apply(store.task("before"));
  {
    const FileSizeLimit full(log_size(store));

    EXPECT_THROW(store.apply(store.task("during")), StoreFault);
    EXPECT_TRUE(store.is_held(store.task("before")));
    EXPECT_FALSE(store.is_held(store.task("during")));
  }

  EXPECT_TRUE(std::holds_alternative<Created>(store.apply(store.task("during"))));
  store.reopen();
  EXPECT_TRUE(store.is_held(store.task("before")));
  EXPECT_TRUE(store.is_held(store.task("during")));
  EXPECT_EQ(store->check_integrity(), "ok");
}

// The bad command makes the store apply the batch one by one; then the disk is full for the last.
TEST(FullDisk, DoesNotDenyWhatWasCommittedBeforeInTheSameBatch) {
  StoreFile store;
  store.apply(store.task("before"));
  const Submit first = store.task("a");
  Submit same_id = store.task("b");
  same_id.spec.id = first.spec.id;
  Submit large = store.task("c");
  large.spec.context = '"' + std::string(1 << 20, 'x') + '"';
  std::vector<Outcome> outcomes;
  {
    const FileSizeLimit full(log_size(store) + (512 << 10));
    outcomes = store.apply({first, same_id, large});
  }

  EXPECT_TRUE(std::holds_alternative<Created>(outcomes[0])) << describe(outcomes[0]);
  ASSERT_TRUE(std::holds_alternative<Rejected>(outcomes[2])) << describe(outcomes[2]);
  EXPECT_EQ(std::get<Rejected>(outcomes[2]).error.code, ErrorCode::unavailable);
  store.reopen();
  EXPECT_TRUE(store.is_held(store.task("a")));
  EXPECT_FALSE(store.is_held(store.task("c")));
}

/// Claims so many that the next commit has to merge first, and how many that were.
int claim_until_a_merge_is_due(StoreFile& store) {
  std::vector<Command> batch;
  for (int i = 0; i < 400; ++i) batch.emplace_back(store.task(i));
  store.apply(batch);
  batch.clear();
  for (int i = 400; i < 408; ++i) batch.emplace_back(store.task(i));
  store.apply(batch);
  return 408;
}

TEST(FullDisk, LosesNoIdentityWhenAMergeFails) {
  for (const bool by_tidy_up : {false, true}) {
    StoreFile store;
    const int count = claim_until_a_merge_is_due(store);
    {
      const FileSizeLimit full(log_size(store));
      if (by_tidy_up) EXPECT_THROW(store->tidy_up(), StoreFault);
      else EXPECT_THROW(store.apply(store.task("more")), StoreFault);
    }

    store.apply(store.task("more"));
    while (store->tidy_up()) {
    }

    for (int round = 0; round < 2; ++round) {
      for (int i = 0; i < count; ++i) ASSERT_TRUE(store.is_held(store.task(i))) << i;
      ASSERT_TRUE(store.is_held(store.task("more")));
      store.reopen();
    }
  }
}

TEST(Readers, SeeWhatApplyReturnedWhileIdentitiesAreMerged) {
  StoreFile store({.readers = 4, .identity_generation = small_generation});
  constexpr int count = 2'000;
  std::vector<Submit> submissions;
  for (int i = 0; i < count; ++i) submissions.push_back(store.task(i));
  std::atomic<int> applied = 0;
  std::atomic<int> missing = 0;
  const auto read = [&](int thread) {
    for (int seen = 0, turn = thread; seen < count; ++turn) {
      seen = applied.load();
      if (seen == 0) continue;
      Submit newest = submissions[static_cast<std::size_t>(seen - 1)];
      Submit other = submissions[static_cast<std::size_t>(turn % seen)];
      Submit* const both[] = {&newest, &other};
      for (const auto& held : store->probe(both)) missing += held ? 0 : 1;
    }
  };
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) threads.emplace_back(read, i);

  for (const Submit& submit : submissions) {
    store.apply(submit);
    if (applied % 3 == 0) store->tidy_up();
    ++applied;
  }
  for (std::thread& thread : threads) thread.join();

  EXPECT_EQ(missing, 0);
}

/// The superuser may write everything; nobody may not.
void open_as_nobody(const std::filesystem::path& file) {
  if (::geteuid() == 0 && ::setuid(65534) != 0) ::_exit(1);
  try {
    const store::sqlite::Connection connection(file, store::sqlite::Connection::Access::read_write);
  } catch (const StoreFault& fault) {
    std::fputs(fault.what(), stderr);
    ::_exit(3);
  }
  ::_exit(0);
}

TEST(ReadOnlyFile, IsRefusedWhenItIsOpenedAndNotAtTheFirstChange) {
  TempDir folder;
  std::filesystem::permissions(folder / ".", std::filesystem::perms{0755});
  std::ofstream(folder / "a.db").close();
  std::filesystem::permissions(folder / "a.db", std::filesystem::perms{0444});

  EXPECT_EXIT(open_as_nobody(folder / "a.db"), testing::ExitedWithCode(3),
              "cannot open .*: this user may not write to it");
}

TEST(Clock, DoesNotGoBackOverARestart) {
  StoreFile store;
  const Time latest = store.clock.now() + 1h;
  store.clock.set(latest);
  store.apply(store.task("a"));
  store.close();
  store.clock.set(latest - 30min);

  store.reopen();

  EXPECT_EQ(store->now(), latest);
  EXPECT_EQ(Database(store.file()).value("SELECT value FROM facts WHERE name = 'last_time'"),
            std::to_string(to_ms(latest)));
}

TEST(Clock, IsKeptByTheMergeToo) {
  StoreFile store;
  claim_until_a_merge_is_due(store);
  const Time latest = store.clock.now() + 1h;
  store.clock.set(latest);
  store->tidy_up();
  store.clock.set(latest - 30min);

  store.reopen();

  EXPECT_EQ(store->now(), latest);
}

}  // namespace
}  // namespace semel::test
