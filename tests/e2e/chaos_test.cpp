#include "tests/e2e/chaos.hpp"
#include "tests/support/database.hpp"
#include "tests/support/sanitized.hpp"
#include "tests/support/temp_dir.hpp"

namespace semel::test {
namespace {

void expect_all_done_once(const ChaosRun& chaos, const std::filesystem::path& file) {
  Database database(file);
  EXPECT_EQ(database.value("PRAGMA integrity_check"), "ok");
  EXPECT_EQ(database.count("SELECT count(*) FROM executions"), chaos.tasks());
  EXPECT_EQ(database.count("SELECT count(*) FROM executions WHERE state <> 3"), 0u) << "a task is not completed";
  EXPECT_EQ(database.count("SELECT count(*) FROM (SELECT 1 FROM attempts WHERE outcome = 1 GROUP BY seq"
                           " HAVING count(*) > 1)"),
            0u)
      << "a task was completed twice";
  EXPECT_EQ(database.count("SELECT count(*) FROM executions e WHERE NOT EXISTS (SELECT 1 FROM attempts a"
                           " WHERE a.seq = e.seq AND a.outcome = 1 AND a.number = e.attempt AND lower(hex(a.id)) ="
                           " replace(json_extract(e.result, '$.attempt'), '-', ''))"),
            0u)
      << "a result is not that of the last attempt";
  const std::vector<std::string> completed = database.column("SELECT lower(hex(id)) FROM attempts WHERE outcome = 1");
  const std::set<std::string> known(completed.begin(), completed.end());
  for (std::string attempt : chaos.accepted()) {
    std::erase(attempt, '-');
    EXPECT_TRUE(known.contains(attempt)) << "the result of " << attempt << " was accepted, and did not count";
  }
  EXPECT_GT(database.count("SELECT count(*) FROM attempts WHERE outcome <> 1"), 0u);  // there was some chaos
}

void expect_every_task_completes_once(int tasks, int kills) {
  const TempDir folder;
  const std::filesystem::path file = folder / "chaos.db";
  ChaosRun chaos(tasks, kills, 1, [&] { return std::make_unique<ServerProcess>(file); });

  chaos.run();

  expect_all_done_once(chaos, file);
}

TEST(Chaos, EveryTaskCompletesOnceWhoeverIsKilled) {
  expect_every_task_completes_once(is_sanitized ? 300 : 2'000, is_sanitized ? 10 : 40);
}

TEST(ChaosLong, EveryTaskCompletesOnceWhoeverIsKilled) { expect_every_task_completes_once(20'000, 400); }

}  // namespace
}  // namespace semel::test
