#include <atomic>
#include <mutex>
#include <thread>

#include "bench/workloads.hpp"
#include "semel/connect.hpp"
#include "semel/embed.hpp"
#include "semel/semel.hpp"

namespace semel::bench {
namespace {

constexpr std::uint64_t steps_a_workflow = 3;
constexpr int workflow_threads = 2;

Workflow<void> three_steps(WorkflowContext& ctx) {
  for (std::uint64_t i = 0; i < steps_a_workflow; ++i) co_await ctx.task<void>("step");
}

/// Starts workflows of three steps that do nothing, one after the other on each of the threads, and waits for their
/// ends; a worker in the same process does them.
class Starters {
 public:
  Starters(const ::semel::Client& client, const Options& options) : client_(client), options_(options) {}

  double run() {
    const auto begun = Steady::now();
    end_ = begun + options_.time;
    {
      std::vector<std::jthread> threads;
      for (std::size_t i = 0; i < options_.in_flight; ++i) threads.emplace_back([this] { go_on(); });
    }
    return std::chrono::duration<double>(Steady::now() - begun).count();
  }
  Tally tally{};

 private:
  void go_on() {
    Latencies taken;
    while (Steady::now() < end_) {
      const auto begun = Steady::now();
      const std::string id = "bench-" + std::to_string(number_.fetch_add(1));
      client_.start_workflow<void>("three_steps", id, 0).result();
      taken.add(Steady::now() - begun);
    }
    const std::lock_guard lock(mutex_);
    tally.tasks += taken.count();
    tally.latencies.add_all(taken);
  }

  ::semel::Client client_;
  const Options& options_;
  Steady::time_point end_;
  std::atomic<std::uint64_t> number_ = 0;
  std::mutex mutex_;  // guards tally
};

Report measure_with(const Setting& setting, const ::semel::Client& client) {
  ::semel::Worker worker(client, WorkerOptions()
                                     .concurrency(16)
                                     .activations(static_cast<int>(setting.options.in_flight))
                                     .workflow_threads(workflow_threads)
                                     .cached_workflows(2 * setting.options.in_flight));
  worker.task("step", [] {});
  worker.workflow("three_steps", three_steps);
  worker.start();
  Starters starters(client, setting.options);
  const double seconds = starters.run();
  return report_of(setting, starters.tally, seconds);
}

}  // namespace

/// Workflows a second, beside what the database alone does with the rows of their tasks. Over gRPC, the worker and
/// those who start are in this process, the server in another.
Report measure_workflow(const Setting& setting) {
  const auto ceiling = setting.stage.open_raw(setting.raw());
  const auto measure_raw = [&] {
    using Step = store::Ceiling::Step;
    const store::Rate tasks = ceiling->measure({Step::submit, Step::claim, Step::complete}, setting.options.time / 4);
    return store::Rate{tasks.count / steps_a_workflow, tasks.seconds};
  };
  return beside_raw(measure_raw, [&] {
    if (setting.options.transport != "grpc") return measure_with(setting, embed(setting.stage.url()));
    return on_server(setting, [&](const ServerProcess& server) {
      return measure_with(setting, ::semel::connect("127.0.0.1:" + std::to_string(server.grpc_port())));
    });
  });
}

}  // namespace semel::bench
