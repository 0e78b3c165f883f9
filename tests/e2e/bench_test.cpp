#include <gmock/gmock.h>

#include "tests/e2e/cli.hpp"
#include "tests/support/database.hpp"
#include "tests/support/places.hpp"

namespace semel::test {
namespace {

using testing::HasSubstr;
using testing::IsSupersetOf;

/// Short runs on a store that stays, so that it can be asked what was really done.
class CliBench : public testing::Test {
 protected:
  static inline const std::vector<std::string> measured{"per_s", "p50_ms", "p99_ms", "raw_per_s", "tasks"};

  /// The one line that the benchmark prints; its members are checked.
  Json bench(std::vector<std::string> arguments, const std::vector<std::string>& positive = measured) {
    const std::string workload = arguments.front();
    arguments.insert(arguments.begin(), "bench");
    arguments.insert(arguments.end(), {"--seconds", "0.2", "--json", "--store", "sqlite:" + file().string()});
    const Finished done = run_semel(arguments);
    EXPECT_EQ(done.code, 0) << done.errors;
    EXPECT_EQ(std::count(done.output.begin(), done.output.end(), '\n'), 1) << done.output;
    const Json report = Json::parse(done.output, nullptr, false);
    std::vector<std::string> members;
    for (const auto& [name, value] : report.items()) members.push_back(name);
    EXPECT_THAT(members, IsSupersetOf({"workload", "store", "transport", "in_flight", "batch", "per_s", "p50_ms",
                                       "p99_ms", "raw_per_s", "ratio"}));
    EXPECT_EQ(report["workload"], workload);
    EXPECT_EQ(report["refused"], 0);
    for (const std::string& name : positive) EXPECT_GT(report[name].get<double>(), 0) << name;
    return report;
  }

  std::filesystem::path file() const { return folder_ / "bench.db"; }
  std::size_t count(const std::string& what) { return Database(file()).count("SELECT count(*) FROM " + what); }

  TempDir folder_;
};

constexpr const char* completed = "executions WHERE state = 3";
constexpr const char* unfinished_attempts = "attempts WHERE outcome <> 1";

TEST_F(CliBench, SubmitsWhatItSays) {
  const Json report = bench({"submit", "--in-flight", "2", "--batch", "5", "--prefill", "30"});

  EXPECT_EQ(count("executions WHERE state = 0"), report["tasks"].get<std::size_t>() + 30);
}

TEST_F(CliBench, SubmitsWhatItSaysOverGrpcToo) {
  const Json calls = bench({"submit", "--transport", "grpc", "--in-flight", "2"});
  EXPECT_EQ(calls["transport"], "grpc");
  EXPECT_EQ(count("executions WHERE state = 0"), calls["tasks"].get<std::size_t>());
}

TEST_F(CliBench, SubmitsWhatItSaysInBatchesOnOneStream) {
  const Json stream = bench({"submit", "--transport", "grpc", "--stream", "--in-flight", "8", "--batch", "5"});
  EXPECT_EQ(stream["transport"], "grpc-stream");
  EXPECT_EQ(count("executions WHERE state = 0"), stream["tasks"].get<std::size_t>());
}

TEST_F(CliBench, AnswersDuplicatesOverGrpcWithoutNewTasks) {
  bench({"duplicates", "--transport", "grpc", "--in-flight", "2"});

  EXPECT_EQ(count("executions"), 1000u);
}

TEST_F(CliBench, AnswersDuplicatesWithoutNewTasks) {
  const Json report = bench({"duplicates", "--in-flight", "2", "--batch", "5"});

  EXPECT_EQ(report["batch"], 1);
  EXPECT_EQ(count("executions"), 1000u);
}

TEST_F(CliBench, PushesWhatItSays) {
  // Its latencies are whole milliseconds, as attempts keep them: on a store in memory they may be none.
  const Json report = bench({"push", "--in-flight", "8", "--tasks", "300"}, {"per_s", "raw_per_s", "tasks"});

  EXPECT_EQ(report["tasks"], count(completed));
  EXPECT_GE(count("dispatches"), count(completed));
}

TEST_F(CliBench, RunsWhatItSays) {
  const Json report = bench({"run", "--in-flight", "2", "--batch", "10", "--tasks", "205", "--prefill", "30"});

  const auto tasks = report["tasks"].get<std::size_t>();
  EXPECT_EQ(report["in_flight"], 2);
  EXPECT_EQ(report["batch"], 10);
  EXPECT_LE(tasks, 205u);
  EXPECT_EQ(count(completed), tasks + 30);
  EXPECT_EQ(count("executions WHERE state = 0 AND phase = 1"), 205 - tasks);
  EXPECT_EQ(count(unfinished_attempts), 0u);
}

TEST_F(CliBench, LeavesWhatTheServerCountsToo) {
  const Json report = bench({"run", "--in-flight", "1", "--tasks", "20000"});

  ServerProcess server(file());
  const std::string metrics = server.connect().raw().ask({.target = "/metrics"}).body;
  const std::size_t left = 20'000 - report["tasks"].get<std::size_t>();
  EXPECT_THAT(metrics, HasSubstr(R"(semel_queue_tasks{phase="ready",queue="bench",tenant="default"} )" +
                                 std::to_string(left) + "\n"));
  EXPECT_THAT(metrics, HasSubstr(R"(semel_queue_tasks{phase="running",queue="bench",tenant="default"} 0)"));
}

TEST_F(CliBench, CompletesEveryCycleThatItBegan) {
  const Json report = bench({"cycle", "--in-flight", "2", "--batch", "5", "--prefill", "30"});

  EXPECT_EQ(count(completed), report["tasks"].get<std::size_t>() + 30);
  EXPECT_EQ(count("executions"), report["tasks"].get<std::size_t>() + 30);
  EXPECT_EQ(count(unfinished_attempts), 0u);
}

TEST_F(CliBench, CyclesSingleTasks) {
  const Json report = bench({"cycle", "--in-flight", "3"});

  EXPECT_EQ(report["batch"], 1);
  EXPECT_EQ(count(completed), report["tasks"].get<std::size_t>());
}

TEST_F(CliBench, HandsOneTaskAtATimeToAWaitingWorker) {
  const Json report = bench({"latency", "--in-flight", "7"});

  EXPECT_EQ(report["in_flight"], 1);
  EXPECT_EQ(count(completed), report["tasks"].get<std::size_t>());
  EXPECT_EQ(count("executions"), report["tasks"].get<std::size_t>());
}

TEST_F(CliBench, SubmitsByCallersOfTheSdk) {
  const Json report = bench({"submit", "--transport", "sdk", "--in-flight", "4"});

  EXPECT_EQ(report["transport"], "sdk");
  EXPECT_EQ(report["batch"], 1);
  EXPECT_EQ(count("executions"), report["tasks"].get<std::size_t>());
}

TEST_F(CliBench, RunsWorkflowsOverGrpc) {
  const Json report = bench({"workflow", "--transport", "grpc", "--in-flight", "4"});

  EXPECT_EQ(report["transport"], "grpc");
  EXPECT_GT(report["tasks"], 0);
  EXPECT_EQ(count("workflows"), report["tasks"].get<std::size_t>());
}

TEST_F(CliBench, ClaimsNothingBetweenDelayedAndForeignTasks) {
  const Json report = bench({"claim", "--prefill", "50"});

  EXPECT_EQ(report["transport"], "embedded");
  EXPECT_EQ(count("executions WHERE phase = 2"), 50u);
  EXPECT_EQ(count("executions WHERE phase = 1 AND handler = 'foreign'"), 50u);
  EXPECT_EQ(count("attempts"), 0u);
}

TEST_F(CliBench, RunsBothShapesOfStepsToTheirEnd) {
  const Finished done = run_semel({"bench", "dag", "--in-flight", "2", "--seconds", "0.2", "--json"});

  EXPECT_EQ(done.code, 0) << done.errors;
  std::istringstream lines(done.output);
  std::vector<std::string> shapes;
  for (std::string line; std::getline(lines, line);) {
    const Json report = Json::parse(line);
    shapes.push_back(report["shape"]);
    EXPECT_EQ(report["workload"], "dag");
    EXPECT_EQ(report["refused"], 0);
    for (const char* name : {"per_s", "p50_ms", "p99_ms", "raw_per_s", "ratio"})
      EXPECT_GT(report[name].get<double>(), 0) << name;
    const int steps = report["shape"] == "linear-4" ? 4 : 7;
    EXPECT_EQ(report["tasks"].get<int>() % steps, 0) << "a run was left before its end";
  }
  EXPECT_EQ(shapes, (std::vector<std::string>{"linear-4", "diamond-7"}));
}

TEST_F(CliBench, RefusesAStoreWithTasksOfAnotherRun) {
  bench({"run", "--tasks", "20"});

  const Finished again = run_semel({"bench", "run", "--tasks", "20", "--store", "sqlite:" + file().string()});

  EXPECT_EQ(again.code, 1);
  EXPECT_THAT(again.errors, HasSubstr("choose a new file"));
}

TEST_F(CliBench, LeavesNothingBehindWithoutAStoreOfOnesOwn) {
  const Finished done = run_to_end(
      {"env", "TMPDIR=" + folder_.path().string(), places::semel, "bench", "run", "--tasks", "20", "--seconds", "0.1"});

  EXPECT_EQ(done.code, 0) << done.errors;
  EXPECT_THAT(done.output, HasSubstr(" tasks, 0 refused, server "));
  EXPECT_TRUE(std::filesystem::is_empty(folder_.path()));
}

TEST(CliBenchHelp, TellsOfEveryWorkload) {
  const Finished help = run_semel({"bench", "--help"});

  EXPECT_EQ(help.code, 0);
  for (const char* workload : {"submit", "duplicates", "run", "latency", "cycle", "claim", "dag"})
    EXPECT_THAT(help.output, HasSubstr(std::string("\n  ") + workload + " "));
}

TEST_F(CliBench, ReplaysAHistory) {
  const Finished done = run_semel({"bench", "replay", "--tasks", "100", "--seconds", "0.1", "--json"});
  const Json report = Json::parse(done.output, nullptr, false);

  EXPECT_EQ(done.code, 0) << done.errors;
  EXPECT_EQ(report["tasks"].get<std::size_t>() % 100, 0u) << report;
  EXPECT_GT(report["p50_ms"].get<double>(), 0) << report;
}

TEST_F(CliBench, CountsWhatWaitingWorkflowsTake) {
  const Finished done = run_semel(
      {"bench", "suspended", "--tasks", "200", "--in-flight", "8", "--json", "--store", "sqlite:" + file().string()});
  const Json report = Json::parse(done.output, nullptr, false);

  EXPECT_EQ(done.code, 0) << done.errors;
  EXPECT_EQ(report["tasks"], 200) << report;
  EXPECT_EQ(count("executions WHERE state = 2"), 1'200u) << "those before are to fill the caches";
}

}  // namespace
}  // namespace semel::test
