#include "bench/bench.hpp"

#include <CLI/CLI.hpp>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>

#include "cli/commands.hpp"
#include "server/options.hpp"

namespace semel::cli {
namespace {

int run_bench(bench::Options options, double seconds, const std::string& store) {
  options.time = std::chrono::round<Duration>(std::chrono::duration<double>(seconds));
  options.binary = std::filesystem::read_symlink("/proc/self/exe").string();
  if (!store.empty()) {
    const Result<server::StoreTarget> target = server::parse_store(store);
    if (!target) {
      std::fprintf(stderr, "semel: %s\n", target.error().message.c_str());
      return 1;
    }
    options.store = target->place;
  }
  options.completed = options.completed || !options.dedup_cache.empty();
  bool is_good = true;
  for (const bench::Report& report : bench::run(options)) {
    std::puts((options.json ? bench::to_json(report) : bench::to_text(report)).c_str());
    is_good = is_good && report.refused == 0;
  }
  return is_good ? 0 : 1;
}

constexpr const char* workloads_help =
    "Workloads:\n"
    "  submit      new tasks\n"
    "  duplicates  tasks that exist already\n"
    "  run         workers drain a full queue: poll, then complete\n"
    "  latency     from a submit until a worker that waits has the task, on an idle server\n"
    "  cycle       submitters and workers at once: whole lives of tasks\n"
    "  claim       a claim between 300,000 delayed tasks and 300,000 of other handlers, beside one of an empty queue\n"
    "  dag         runs of 4 steps in a line, and of 7 in a diamond, beside single tasks: steps a second, time of a "
    "run\n"
    "  workflow    workflows of 3 steps, written with the SDK, on an engine in this process, or over gRPC\n"
    "  replay      workflow code from the first line, by a history of 10,000 events (or as --tasks says)\n"
    "  suspended   20,000 workflows that wait (or as --tasks says), and what one of them takes in memory";

void add_sizes(CLI::App& command, bench::Options& options) {
  command.add_option("--batch", options.batch, "Tasks a request; latency, duplicates and dag have one")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  command
      .add_option("--in-flight", options.in_flight,
                  "Requests at once, of submitters and of workers each; 64 by default, 8 with a batch; latency and"
                  " claim have one")
      ->check(CLI::Range(1, 10'000));
  command
      .add_option(
          "--prefill", options.prefill,
          "Tasks that the store holds before: pending ones for submit, completed ones for run, latency and cycle;"
          " for claim so many of each kind")
      ->check(CLI::Range(0, 100'000'000))
      ->capture_default_str();
  command
      .add_option(
          "--tasks", options.tasks,
          "Tasks in the queue that run drains, 50,000 a second by default; events of replay, workflows of suspended")
      ->check(CLI::Range(1, 100'000'000));
}

}  // namespace

void add_bench(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<bench::Options>();
  auto seconds = std::make_shared<double>(5);
  auto store = std::make_shared<std::string>();
  CLI::App* command =
      app.add_subcommand("bench", "Measure this machine: a server of its own, load on loopback, raw SQLite beside it.");
  command->footer(workloads_help);
  command->add_option("workload", options->workload, "What to measure, see below")
      ->required()
      ->check(CLI::IsMember(bench::workload_names()));
  add_sizes(*command, *options);
  command->add_option("--seconds", *seconds, "How long to send")->check(CLI::Range(0.1, 3600.0))->capture_default_str();
  command->add_option(
      "--store", *store,
      "sqlite:FILE, or postgres://… of a cluster in which databases are made and removed; a temporary file by default");
  command->add_option(
      "--dedup-cache", options->dedup_cache,
      "redis://… of a Redis that the server on PostgreSQL asks first; for duplicates of completed tasks");
  command->add_flag("--completed", options->completed,
                    "Duplicates are of tasks that have completed, not of open ones; so they are with --dedup-cache");
  command
      ->add_option("--transport", options->transport,
                   "http, or grpc for submit, duplicates and workflow, which is embedded by default; or sdk for submit:"
                   " callers of the C++ SDK, each on a thread")
      ->check(CLI::IsMember({"http", "grpc", "embedded", "sdk"}))
      ->capture_default_str();
  command->add_flag("--stream", options->stream, "With grpc: all submitters on one stream, what waits in one message");
  command->add_flag("--json", options->json, "One JSON object on a line");
  command->callback([options, seconds, store, &exit_code] { exit_code = run_bench(*options, *seconds, *store); });
}

}  // namespace semel::cli
