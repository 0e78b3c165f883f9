#include <cstdlib>
#include <stdexcept>
#include <thread>

#include "bench/filler.hpp"
#include "bench/push_baseline.hpp"
#include "bench/push_target.hpp"
#include "bench/workloads.hpp"
#include "domain/principal.hpp"

namespace semel::bench {
namespace {

constexpr std::size_t pushed_a_second_max = 15'000;  // more than two cores push
constexpr std::size_t envelope_bytes = 900;          // about what is sent for one task

std::size_t tasks_to_push(const Options& options) {
  if (options.tasks > 0) return options.tasks;
  return pushed_a_second_max * static_cast<std::size_t>(std::chrono::ceil<std::chrono::seconds>(options.time).count());
}

void fill_with_target(const Setting& setting, const std::string& url, std::size_t tasks) {
  Filler(setting.stage.open()).add({.key_prefix = "bench-"}, tasks);
  domain::QueueOptions queue;
  queue.target = url;
  queue.max_in_flight = static_cast<int>(setting.options.in_flight);
  const Command put = PutQueue{std::string(domain::default_tenant), std::string(queue_name), queue};
  setting.stage.open()->apply({&put, 1});
}

/// Tasks that have not been done.
std::size_t left_in(Store& store) {
  std::size_t left = 0;
  for (const QueueDepth& depth : store.queue_depths()) left += depth.ready + depth.waiting + depth.running;
  return left;
}

/// From when it was taken until its result was recorded, of the newest that were done.
Latencies times_taken(Store& store) {
  constexpr std::size_t looked_at = 1'000;
  ListQuery query;
  query.tenant = domain::default_tenant;
  query.states = {domain::State::completed};
  query.limit = looked_at;
  Latencies latencies;
  const Result<Page> page = store.list(query);
  if (!page) return latencies;
  for (const domain::Execution& each : page->executions) {
    for (const domain::Attempt& attempt : store.attempts(query.tenant, each.spec.id))
      if (attempt.ended_at) latencies.add(*attempt.ended_at - attempt.started_at);
  }
  return latencies;
}

/// How long the server pushed, from its first request on, until the time was over or nothing was left to push.
double push_all(const Setting& setting, const PushTarget& target, std::size_t tasks) {
  const ServerProcess server(setting.options.binary, setting.stage.url());
  target.wait_for(1, Steady::now() + 30s);
  const Steady::time_point begun = Steady::now();
  target.wait_for(tasks, begun + setting.options.time);
  return std::chrono::duration<double>(Steady::now() - begun).count();
}

}  // namespace

/// A full queue with a target on this machine, which does every task at once; a bare loop of the same HTTP client is
/// what it is compared with. Only what is recorded as completed counts.
Report measure_push(const Setting& setting) {
  const std::size_t tasks = tasks_to_push(setting.options);
  const std::string body(envelope_bytes, 'x');
  const auto bare = [&](const PushTarget& target) {
    return bare_push_per_s(target.url(), setting.options.in_flight, body, setting.options.time / 2);
  };
  ::setenv("SEMEL_DISPATCH_ALLOWED_NETWORKS", "127.0.0.0/8", 1);  // for the server, which inherits it
  const PushTarget yardstick;
  const double before = bare(yardstick);
  const PushTarget target;
  fill_with_target(setting, target.url(), tasks);
  Tally tally;
  const double seconds = push_all(setting, target, tasks);
  const std::unique_ptr<Store> store = setting.stage.open();
  tally.tasks = tasks - left_in(*store);
  tally.latencies = times_taken(*store);
  Report report = report_of(setting, tally, seconds);
  report.raw_per_s = (before + bare(yardstick)) / 2;
  report.yardstick = "a bare loop of the same client";
  return report;
}

}  // namespace semel::bench
