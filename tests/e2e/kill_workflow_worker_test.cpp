#include "tests/e2e/server_process.hpp"
#include "tests/support/killing.hpp"
#include "tests/support/postgres_database.hpp"
#include "tests/support/temp_dir.hpp"

/// The processes are workers that are connected to servers: what dies are the workers.
namespace semel::test {
namespace {

/// For doomed_worker: where a server listens for gRPC.
std::string grpc_of(const ServerProcess& server) {
  const std::string& line = server.ready_line();
  const std::size_t begin = line.find("grpc=") + 5;
  return "server:" + line.substr(begin, line.find(' ', begin) - begin);
}

void kill_workers_of_a_file(Plan plan) {
  const TempDir folder;
  const std::filesystem::path file = folder / "semel.db";
  {
    ServerProcess server(file);
    const Killing::Command command = doomed_worker(grpc_of(server), plan);
    Killing(plan, {command, command}).run();
    EXPECT_EQ(server.stop(), 0);
  }

  expect_all_recorded_once(file.string(), plan.workflows);
}

void kill_workers_of_two_servers(Plan plan) {
  const PostgresDatabase database;
  {
    const ServerProcess one{StoreUrl{database.url()}};
    const ServerProcess other{StoreUrl{database.url()}};
    Killing(plan, {doomed_worker(grpc_of(one), plan), doomed_worker(grpc_of(other), plan)}).run();
  }

  expect_all_recorded_once(database.url(), plan.workflows);
}

TEST(KilledWorkflowWorkers, LoseAndRepeatNothingOnAFile) { kill_workers_of_a_file(small_plan); }
TEST(KilledWorkflowWorkers, LoseAndRepeatNothingOnPostgresWithTwoServers) { kill_workers_of_two_servers(small_plan); }

TEST(KilledWorkflowWorkersLong, LoseAndRepeatNothingOnAFile) { kill_workers_of_a_file(large_plan); }
TEST(KilledWorkflowWorkersLong, LoseAndRepeatNothingOnPostgresWithTwoServers) {
  kill_workers_of_two_servers(large_plan);
}

}  // namespace
}  // namespace semel::test
