#include "bench/filler.hpp"
#include "bench/workloads.hpp"

namespace semel::bench {
namespace {

constexpr std::size_t others_count = 300'000;
constexpr Duration far_away = 24h;
constexpr int claims_a_turn = 100;

/// The claim of a worker that finds nothing for itself in that queue.
class EmptyClaim {
 public:
  EmptyClaim(Store& store, std::string_view queue, std::size_t max) : store_(store) {
    Claim claim{.tenant = "default",
                .worker = "bench",
                .queues = {std::string(queue)},
                .handlers = std::vector{std::string(handler_name)},
                .attempt_ids = {}};
    claim.attempt_ids.resize(max);
    commands_.emplace_back(std::move(claim));
  }

  void take_turn() {
    for (int i = 0; i < claims_a_turn; ++i) {
      const auto begun = Steady::now();
      const Applied applied = store_.apply(commands_);
      tally.latencies.add(Steady::now() - begun);
      const bool is_empty = std::get<Claimed>(applied.outcomes.front()).leases.empty();
      ++(is_empty ? tally.tasks : tally.refused);
    }
  }

  Tally tally;

 private:
  Store& store_;
  std::vector<Command> commands_;
};

void fill_queue(const Setting& setting) {
  const std::size_t count = setting.options.prefill > 0 ? setting.options.prefill : others_count;
  Filler filler(setting.stage.open());
  filler.add({.key_prefix = "delayed-", .delay = far_away}, count);
  filler.add({.key_prefix = "foreign-", .handler = "foreign"}, count);
}

}  // namespace

Report measure_claim(const Setting& setting) {
  fill_queue(setting);
  const std::unique_ptr<Store> store = setting.stage.open();
  EmptyClaim full(*store, queue_name, setting.options.batch);
  EmptyClaim empty(*store, "empty", setting.options.batch);
  for (const auto end = Steady::now() + setting.options.time; Steady::now() < end;) {
    full.take_turn();
    empty.take_turn();
  }
  Report report = report_of(setting, full.tally, full.tally.latencies.total_seconds());
  report.transport = "embedded";
  report.yardstick = "empty queue";
  report.raw_per_s = static_cast<double>(empty.tally.latencies.count()) / empty.tally.latencies.total_seconds();
  return report;
}

}  // namespace semel::bench
