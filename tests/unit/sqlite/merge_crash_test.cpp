#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <set>

#include "tests/support/database.hpp"
#include "tests/unit/sqlite/store_file.hpp"

namespace semel::test {
namespace {

constexpr int batches = 40;

/// The keys of a batch: one to eleven, so that batches and generations never keep step.
std::vector<std::string> keys_of(int batch) {
  std::vector<std::string> keys;
  for (int i = 0; i <= batch * 7 % 11; ++i) keys.push_back(fmt::format("b{}-{}", batch, i));
  return keys;
}

std::vector<Command> commands_of(StoreFile& store, int batch) {
  std::vector<Command> commands;
  for (const std::string& key : keys_of(batch)) commands.emplace_back(store.task(key));
  return commands;
}

/// Where a child ends. Its steps are commits and pieces of housekeeping, in turn.
struct End {
  int steps_max = 1'000'000;              // SIGKILL before this step
  rlim_t file_bytes_max = RLIM_INFINITY;  // or SIGXFSZ within the write that reaches this, wherever it is
};

/// In the child: applies the batches, tells each that was applied, and dies where it should.
[[noreturn]] void apply_and_die(StoreFile& store, int acknowledgements, const End& end) {
  std::signal(SIGXFSZ, SIG_DFL);
  const rlimit none{.rlim_cur = 0, .rlim_max = 0};
  setrlimit(RLIMIT_CORE, &none);
  const rlimit limit{.rlim_cur = end.file_bytes_max, .rlim_max = RLIM_INFINITY};
  setrlimit(RLIMIT_FSIZE, &limit);
  store.reopen();
  int step = 0;
  const auto live_on = [&] {
    if (step++ == end.steps_max) ::kill(::getpid(), SIGKILL);
  };
  for (int batch = 0; batch < batches; ++batch) {
    live_on();
    store.apply(commands_of(store, batch));
    const auto number = static_cast<char>(batch);
    if (::write(acknowledgements, &number, 1) != 1) ::_exit(2);
    if (batch % 3 != 0) continue;
    live_on();
    store->tidy_up();
  }
  ::_exit(0);
}

/// Runs a child to its end. The batches that it acknowledged, and whether it was killed.
struct Ran {
  std::set<int> acknowledged;
  bool was_killed = false;
};

Ran run_child(StoreFile& store, const End& end) {
  std::array<int, 2> pipe{};
  EXPECT_EQ(::pipe2(pipe.data(), O_CLOEXEC), 0);
  store.close();  // the lock must be the child's
  const pid_t child = ::fork();
  if (child == 0) apply_and_die(store, pipe[1], end);
  ::close(pipe[1]);
  Ran ran;
  for (char number = 0; ::read(pipe[0], &number, 1) == 1;) ran.acknowledged.insert(number);
  ::close(pipe[0]);
  int status = 0;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  ran.was_killed = WIFSIGNALED(status) && (WTERMSIG(status) == SIGKILL || WTERMSIG(status) == SIGXFSZ);
  EXPECT_TRUE(ran.was_killed || (WIFEXITED(status) && WEXITSTATUS(status) == 0)) << status;
  return ran;
}

/// Every identity of an acknowledged batch is held; of another one, all or none.
void expect_whole_batches(StoreFile& store, const std::set<int>& acknowledged) {
  for (int batch = 0; batch < batches; ++batch) {
    const std::vector<std::string> keys = keys_of(batch);
    std::size_t held = 0;
    for (const std::string& key : keys) held += store.is_held(store.task(key)) ? 1 : 0;
    const bool is_whole = held == keys.size();
    EXPECT_TRUE(is_whole || (held == 0 && !acknowledged.contains(batch))) << "batch " << batch << " has " << held;
  }
}

/// As a restarted server goes on: what was not acknowledged is asked for again, and then everything is there
/// once.
void finish(StoreFile& store) {
  for (int batch = 0; batch < batches; ++batch) {
    store.apply(commands_of(store, batch));
    if (batch % 5 == 0) store->tidy_up();
  }
  for (int batch = 0; batch < batches; ++batch) {
    for (const std::string& key : keys_of(batch)) store.expect_duplicate(store.task(key));
  }
}

void expect_each_once(StoreFile& store) {
  std::size_t count = 0;
  for (int batch = 0; batch < batches; ++batch) count += keys_of(batch).size();
  EXPECT_EQ(store->check_integrity(), "ok");
  Database database(store.file());
  EXPECT_EQ(database.count("SELECT count(*) FROM executions"), count);
  EXPECT_EQ(database.count("SELECT count(DISTINCT hash) FROM executions WHERE superseded = 0"), count);
}

bool survives(const End& end) {
  StoreFile store;
  const Ran ran = run_child(store, end);
  store.reopen();

  expect_whole_batches(store, ran.acknowledged);
  while (store->tidy_up()) {
  }
  expect_whole_batches(store, ran.acknowledged);
  store.reopen();
  expect_whole_batches(store, ran.acknowledged);
  finish(store);
  expect_each_once(store);
  return !ran.was_killed;
}

TEST(KilledMerge, LosesNothingBetweenAnyTwoCommits) {
  int steps = 0;
  for (bool came_to_its_end = false; !came_to_its_end && !testing::Test::HasFailure(); ++steps) {
    SCOPED_TRACE(fmt::format("killed before step {}", steps));
    came_to_its_end = survives({.steps_max = steps});
  }

  EXPECT_GT(steps, batches);
}

TEST(KilledMerge, LosesNothingInTheMiddleOfAnyWrite) {
  int kills = 0;
  rlim_t bytes = 150'001;  // the schema is made by then; odd, so that writes are torn within pages and their headers
  for (; !testing::Test::HasFailure(); bytes += 36'007, ++kills) {
    SCOPED_TRACE(fmt::format("killed when a file reached {} bytes", bytes));
    if (survives({.file_bytes_max = bytes})) break;
  }

  EXPECT_GT(kills, 10);
}

}  // namespace
}  // namespace semel::test
