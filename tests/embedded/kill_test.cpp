#include "tests/support/killing.hpp"
#include "tests/support/postgres_database.hpp"
#include "tests/support/temp_dir.hpp"

/// Each process has the engine in it: what dies is the worker and the engine.
namespace semel::test {
namespace {

void kill_on_a_file(Plan plan) {
  const TempDir folder;
  const std::string store = (folder.path() / "workflows.db").string();

  Killing(plan, {doomed_worker(store, plan)}).run();

  expect_all_recorded_once(store, plan.workflows);
}

void kill_on_postgres(Plan plan) {
  const PostgresDatabase database;
  const Killing::Command command = doomed_worker(database.url(), plan);

  Killing(plan, {command, command}).run();

  expect_all_recorded_once(database.url(), plan.workflows);
}

TEST(KilledEngines, LoseAndRepeatNothingOnAFile) { kill_on_a_file(small_plan); }
TEST(KilledEngines, LoseAndRepeatNothingOnPostgresThatTwoShare) { kill_on_postgres(small_plan); }

TEST(KilledEnginesLong, LoseAndRepeatNothingOnAFile) { kill_on_a_file(large_plan); }
TEST(KilledEnginesLong, LoseAndRepeatNothingOnPostgresThatTwoShare) { kill_on_postgres(large_plan); }

}  // namespace
}  // namespace semel::test
