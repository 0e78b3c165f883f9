#include <stdexcept>
#include <utility>

#include "bench/workloads.hpp"

namespace semel::bench {
namespace {

constexpr Duration idle_time = 5ms;
constexpr Duration long_poll = 30s;

/// One worker waits in a long poll; after a while without anything one task is submitted; the time until the worker
/// has it counts. Then it is completed, the worker waits again, and so on.
class Handover {
 public:
  Handover(const Setting& setting, std::uint16_t port) : setting_(setting), load_(port) {}

  Report measure() {
    add_worker();
    submitter_ = &load_.add(std::make_unique<Sender>(submissions(1, [this] { return next_number(); }), submitted_));
    end_ = Steady::now() + setting_.options.time;
    submit_later();
    load_.run();
    started_.refused += submitted_.refused;
    return report_of(setting_, started_, started_.latencies.total_seconds());
  }

 private:
  void submit_later() {
    load_.after(idle_time, [this] {
      is_due_ = true;
      submitter_->wake();
    });
  }

  std::optional<std::uint64_t> next_number() {
    if (!std::exchange(is_due_, false)) return std::nullopt;
    begun_ = Steady::now();
    return number_++;
  }

  void add_worker() {
    Worker::Plan plan{0, 1, long_poll};
    plan.goes_on = [] { return true; };
    plan.leased = [this](const std::vector<Leased>& leases) {
      if (leases.empty()) throw std::runtime_error("a task that was submitted did not reach its worker");
      started_.latencies.add(Steady::now() - begun_);
    };
    plan.completed = [this](const auto&, Steady::time_point) {
      if (Steady::now() >= end_) load_.stop();
      else submit_later();
    };
    load_.add(std::make_unique<Worker>(std::move(plan), started_));
  }

  const Setting& setting_;
  Load load_;
  Client* submitter_ = nullptr;
  Steady::time_point end_;
  bool is_due_ = false;
  std::uint64_t number_ = 0;
  Steady::time_point begun_;
  Tally submitted_;
  Tally started_;  // with the times until the lease
};

}  // namespace

Report measure_latency(const Setting& setting) {
  using enum store::Ceiling::Step;
  const auto ceiling = fill_both(setting, 0);
  const auto measure_raw = [&] {
    store::Rate rate;
    for (const auto end = Steady::now() + setting.options.time / 4; Steady::now() < end;) {
      rest(idle_time);
      rate = rate + ceiling->measure({submit, claim}, Duration{0});
    }
    return rate;
  };
  return beside_raw(measure_raw, [&] {
    return with_server(setting, [&](std::uint16_t port) { return Handover(setting, port).measure(); });
  });
}

}  // namespace semel::bench
