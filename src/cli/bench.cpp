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
    const Result<std::string> file = server::parse_sqlite_store(store);
    if (!file) {
      std::fprintf(stderr, "semel: %s\n", file.error().message.c_str());
      return 1;
    }
    options.store = *file;
  }
  const bench::Report report = bench::run(options);
  std::puts((options.json ? bench::to_json(report) : bench::to_text(report)).c_str());
  return report.refused == 0 ? 0 : 1;
}

}  // namespace

void add_bench(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<bench::Options>();
  auto seconds = std::make_shared<double>(5);
  auto store = std::make_shared<std::string>();
  auto transport = std::make_shared<std::string>("http");
  CLI::App* command =
      app.add_subcommand("bench", "Measure this machine: a server of its own, load on loopback, raw SQLite beside it.");
  command->add_option("workload", options->workload, "submit or duplicates")
      ->required()
      ->check(CLI::IsMember({"submit", "duplicates"}));
  command->add_option("--batch", options->batch, "Submissions a request")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  command->add_option("--in-flight", options->in_flight, "Requests at once; 64 by default, 8 with a batch")
      ->check(CLI::Range(1, 10'000));
  command->add_option("--seconds", *seconds, "How long to send")->check(CLI::Range(0.1, 3600.0))->capture_default_str();
  command
      ->add_option("--prefill", options->prefill,
                   "Identities that the store holds before (rounded up to whole thousands)")
      ->check(CLI::Range(0, 100'000'000))
      ->capture_default_str();
  command->add_option("--store", *store, "sqlite:FILE; a temporary one by default");
  command->add_option("--transport", *transport, "http (grpc and embedded are not supported yet)")
      ->check(CLI::IsMember({"http"}));
  command->add_flag("--json", options->json, "One JSON object on a line");
  command->callback(
      [options, seconds, store, transport, &exit_code] { exit_code = run_bench(*options, *seconds, *store); });
}

}  // namespace semel::cli
