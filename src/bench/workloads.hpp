#pragma once
#include <functional>
#include <memory>

#include "bench/bench.hpp"
#include "bench/clients.hpp"
#include "bench/server_process.hpp"
#include "bench/stage.hpp"

namespace semel::bench {

/// What a workload is measured with and on.
struct Setting {
  const Options& options;  // nothing is left to a default that all workloads share
  const Stage& stage;

  /// Tasks that are in flight together.
  std::size_t group() const { return options.in_flight * options.batch; }
  /// The raw database under the same load.
  Stage::Raw raw() const;
};

// One workload each, in the file of its name; docs/performance.md says what they measure.
Report measure_submit(const Setting& setting);
Report measure_duplicates(const Setting& setting);
Report measure_run(const Setting& setting);
Report measure_latency(const Setting& setting);
Report measure_cycle(const Setting& setting);
Report measure_claim(const Setting& setting);
Report measure_linear(const Setting& setting);
Report measure_diamond(const Setting& setting);
Report measure_workflow(const Setting& setting);
Report measure_replay(const Setting& setting);
Report measure_suspended(const Setting& setting);
Report measure_push(const Setting& setting);

// ---- What they share.

/// A report of the tasks that were done in that time.
Report report_of(const Setting& setting, Tally& tally, double seconds);

/// Whole lives of tasks on a server, with numbers from `first` on.
Report run_cycle(const Setting& setting, std::uint16_t port, std::uint64_t first = 0);

/// Measures a load on a server of its own, on the setting's store.
Report on_server(const Setting& setting, const std::function<Report(const ServerProcess& server)>& measure_load);
Report with_server(const Setting& setting, const std::function<Report(std::uint16_t port)>& measure_load);

/// Measures the raw database before and after the load, so that a machine that changes its pace does not favour one
/// side.
Report beside_raw(const std::function<store::Rate()>& measure_raw, const std::function<Report()>& measure_load);

/// Fills the setting's store with closed tasks (the prefill) and with so many ready ones, and opens a copy of it for
/// the raw database: both begin with the same.
std::unique_ptr<store::Ceiling> fill_both(const Setting& setting, std::size_t ready);

}  // namespace semel::bench
