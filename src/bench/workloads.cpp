#include "bench/workloads.hpp"

#include <array>
#include <stdexcept>

#include "bench/filler.hpp"

namespace semel::bench {
namespace {

struct Workload {
  std::string_view name;
  Report (*measure)(const Setting&);
  bool has_batch = true;
  bool has_in_flight = true;
  bool has_grpc = false;
  bool is_embedded = false;  // in this process, without a server, unless said otherwise
  bool has_sdk = false;      // also by callers of the SDK, over grpc
};

constexpr std::array workloads{
    Workload{"submit", measure_submit, true, true, true, false, true},
    Workload{"duplicates", measure_duplicates, false, true, true},
    Workload{"run", measure_run},
    Workload{"latency", measure_latency, false, false},
    Workload{"cycle", measure_cycle},
    Workload{"claim", measure_claim, true, false},
    Workload{"dag", measure_linear, false},
    Workload{"dag", measure_diamond, false},
    Workload{"workflow", measure_workflow, false, true, true, true},
    Workload{"replay", measure_replay, false, false, false, true},
    Workload{"suspended", measure_suspended, false, true, false, true},
    Workload{"push", measure_push, false},
};

/// What the workload does not know is 1, and is reported as such.
Options complete_options(Options options, const Workload& workload) {
  if (!workload.has_batch) options.batch = 1;
  if (!workload.has_in_flight) options.in_flight = 1;
  if (options.transport == "sdk") options.batch = 1;
  if (workload.is_embedded && options.transport != "grpc") options.transport = "embedded";
  if (options.in_flight == 0 && workload.is_embedded) options.in_flight = 256;
  if (options.in_flight == 0) options.in_flight = options.batch > 1 ? 8 : 64;
  return options;
}

}  // namespace

std::vector<std::string> workload_names() {
  std::vector<std::string> names;
  for (const Workload& workload : workloads) {
    if (names.empty() || names.back() != workload.name) names.emplace_back(workload.name);
  }
  return names;
}

std::vector<Report> run(const Options& given) {
  const bool is_grpc = given.transport == "grpc";
  const bool is_postgres = given.store.starts_with("postgres");
  const auto stage = is_postgres ? make_postgres_stage(given.store) : make_sqlite_stage(given.store);
  if (given.stream && (!is_grpc || given.workload != "submit"))
    throw std::runtime_error("--stream belongs to submit over grpc");
  std::vector<Report> reports;
  for (const Workload& workload : workloads) {
    if (workload.name != given.workload) continue;
    if (is_grpc && !workload.has_grpc) throw std::runtime_error(given.workload + " is not measured over grpc");
    if (given.transport == "sdk" && !workload.has_sdk)
      throw std::runtime_error(given.workload + " is not measured through the SDK by itself");
    if (given.transport == "embedded" && !workload.is_embedded)
      throw std::runtime_error(given.workload + " is measured through a server only");
    const Options options = complete_options(given, workload);
    reports.push_back(workload.measure({options, *stage}));
  }
  if (reports.empty()) throw std::runtime_error("there is no workload " + given.workload);
  return reports;
}

Stage::Raw Setting::raw() const {
  Stage::Raw raw;
  raw.in_flight = options.in_flight;
  raw.batch = options.batch;
  raw.context_bytes = context_of(0).size();
  raw.result = result_text;
  return raw;
}

Report report_of(const Setting& setting, Tally& tally, double seconds) {
  Report report;
  report.workload = setting.options.workload;
  report.store = setting.stage.name();
  report.transport = setting.options.stream ? "grpc-stream" : setting.options.transport;
  report.in_flight = setting.options.in_flight;
  report.batch = setting.options.batch;
  report.per_s = seconds > 0 ? static_cast<double>(tally.tasks) / seconds : 0;
  report.p50_ms = tally.latencies.percentile_ms(0.50);
  report.p99_ms = tally.latencies.percentile_ms(0.99);
  report.refused = tally.refused;
  report.tasks = tally.tasks;
  return report;
}

Report on_server(const Setting& setting, const std::function<Report(const ServerProcess& server)>& measure_load) {
  const ServerProcess server(setting.options.binary, setting.stage.url(), setting.options.dedup_cache);
  Report report = measure_load(server);
  report.resident_kib = server.resident_kib();
  return report;
}

Report with_server(const Setting& setting, const std::function<Report(std::uint16_t port)>& measure_load) {
  return on_server(setting, [&](const ServerProcess& server) { return measure_load(server.port()); });
}

Report beside_raw(const std::function<store::Rate()>& measure_raw, const std::function<Report()>& measure_load) {
  const store::Rate before = measure_raw();
  Report report = measure_load();
  report.raw_per_s = (before + measure_raw()).per_second();
  return report;
}

std::unique_ptr<store::Ceiling> fill_both(const Setting& setting, std::size_t ready) {
  {
    Filler filler(setting.stage.open());
    filler.add_completed({.key_prefix = "prefill-"}, setting.options.prefill);
    filler.add({.key_prefix = "bench-"}, ready);
  }
  Stage::Raw raw = setting.raw();
  raw.is_copy = true;
  raw.ready = ready;
  return setting.stage.open_raw(raw);
}

}  // namespace semel::bench
