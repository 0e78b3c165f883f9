#include "bench/workloads.hpp"

namespace semel::bench {
namespace {

constexpr std::size_t open_groups_max = 4;
constexpr Duration poll_wait = 30s;

/// Submitters and workers at the same time. Submitters rest while as many tasks are open as the workers can take a few
/// times over, so that the time of a life is not that of an endless queue. Ends when all that was submitted is
/// completed.
class Cycle {
 public:
  Cycle(const Setting& setting, std::uint16_t port, std::uint64_t first)
      : setting_(setting), load_(port), first_(first), open_max_(open_groups_max * setting.group()) {}

  Report measure() {
    for (std::size_t i = 0; i < setting_.options.in_flight; ++i) add_worker(i);
    for (std::size_t i = 0; i < setting_.options.in_flight; ++i) add_submitter();
    end_ = Steady::now() + setting_.options.time;
    const double seconds = load_.run();
    completed_.refused += submitted_.refused;
    return report_of(setting_, completed_, seconds);
  }

 private:
  void add_submitter() {
    auto plan = submissions(setting_.options.batch, [this] { return next_number(); });
    submitters_.push_back(&load_.add(std::make_unique<Sender>(std::move(plan), submitted_)));
  }

  std::optional<std::uint64_t> next_number() {
    const std::size_t batch = setting_.options.batch;
    if (is_over()) stop_if_done();
    if (is_over() || open() + batch > open_max_) return std::nullopt;
    begun_.insert(begun_.end(), batch, Steady::now());
    return first_ + begun_.size() - batch;
  }

  void add_worker(std::size_t number) {
    Worker::Plan plan{number, setting_.options.batch, poll_wait};
    plan.goes_on = [] { return true; };
    plan.leased = [](const std::vector<Leased>&) {};
    plan.completed = [this](const std::vector<Leased>& leases, Steady::time_point) { completed(leases); };
    load_.add(std::make_unique<Worker>(std::move(plan), completed_));
  }

  void completed(const std::vector<Leased>& leases) {
    const auto now = Steady::now();
    for (const Leased& leased : leases) completed_.latencies.add(now - begun_.at(leased.number - first_));
    for (Client* submitter : submitters_) submitter->wake();
    if (is_over()) stop_if_done();
  }

  bool is_over() const { return Steady::now() >= end_; }
  /// The workers' polls would wait on.
  void stop_if_done() {
    if (open() == 0) load_.stop();
  }

  /// Tasks that were sent and have not come to their end.
  std::size_t open() const { return begun_.size() - submitted_.refused - completed_.latencies.count(); }

  const Setting& setting_;
  Load load_;
  const std::uint64_t first_;
  const std::size_t open_max_;
  Steady::time_point end_;
  std::vector<Client*> submitters_;
  std::vector<Steady::time_point> begun_;  // of each task, by its number from the first on
  Tally submitted_;
  Tally completed_;  // with the times of whole lives
};

}  // namespace

Report run_cycle(const Setting& setting, std::uint16_t port, std::uint64_t first) {
  return Cycle(setting, port, first).measure();
}

Report measure_cycle(const Setting& setting) {
  using enum store::Ceiling::Step;
  const auto ceiling = fill_both(setting, 0);
  const auto measure_raw = [&] { return ceiling->measure({submit, claim, complete}, setting.options.time / 2); };
  return beside_raw(measure_raw,
                    [&] { return with_server(setting, [&](std::uint16_t port) { return run_cycle(setting, port); }); });
}

}  // namespace semel::bench
