#include "bench/workloads.hpp"

namespace semel::bench {
namespace {

constexpr std::size_t tasks_a_second_max = 50'000;  // more than any store here drains

std::size_t tasks_to_drain(const Options& options) {
  if (options.tasks > 0) return options.tasks;
  return tasks_a_second_max * static_cast<std::size_t>(std::chrono::ceil<std::chrono::seconds>(options.time).count());
}

/// Workers on a full queue, until it is empty or the time is over. Everything that is claimed is also completed.
class Drain {
 public:
  Drain(const Setting& setting, std::uint16_t port) : setting_(setting), load_(port) {}

  Report measure() {
    for (std::size_t i = 0; i < setting_.options.in_flight; ++i) add_worker(i);
    end_ = Steady::now() + setting_.options.time;
    const double seconds = load_.run();
    return report_of(setting_, tally_, seconds);
  }

 private:
  void add_worker(std::size_t number) {
    Worker::Plan plan{number, setting_.options.batch};
    plan.goes_on = [this] { return !is_empty_ && Steady::now() < end_; };
    plan.leased = [this](const std::vector<Leased>& leases) { is_empty_ = is_empty_ || leases.empty(); };
    plan.completed = [this](const auto&, Steady::time_point polled) { tally_.latencies.add(Steady::now() - polled); };
    load_.add(std::make_unique<Worker>(std::move(plan), tally_));
  }

  const Setting& setting_;
  Load load_;
  Steady::time_point end_;
  bool is_empty_ = false;
  Tally tally_;
};

}  // namespace

Report measure_run(const Setting& setting) {
  using enum store::Ceiling::Step;
  const std::size_t tasks = tasks_to_drain(setting.options);
  const auto ceiling = fill_both(setting, tasks);
  store::Rate one_commit;
  const auto measure_raw = [&] {
    one_commit = one_commit + ceiling->measure({turn}, setting.options.time / 2, tasks / 4);
    return ceiling->measure({claim, complete}, setting.options.time / 2, tasks / 4);
  };
  Report report = beside_raw(measure_raw, [&] {
    return with_server(setting, [&](std::uint16_t port) { return Drain(setting, port).measure(); });
  });
  report.raw_one_commit_per_s = one_commit.per_second();
  return report;
}

}  // namespace semel::bench
