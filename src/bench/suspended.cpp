#include <malloc.h>
#include <unistd.h>

#include <atomic>
#include <fstream>
#include <thread>

#include "bench/workloads.hpp"
#include "semel/embed.hpp"
#include "semel/semel.hpp"

namespace semel::bench {
namespace {

constexpr std::size_t default_workflows = 20'000;
constexpr std::size_t first_workflows = 1'000;  // after these, caches and pools have their size

Workflow<void> wait_for_a_day(WorkflowContext& ctx) { co_await ctx.sleep(std::chrono::hours(24)); }

/// Of this process, without what was freed.
std::uint64_t resident_bytes() {
  ::malloc_trim(0);
  std::uint64_t size = 0;
  std::uint64_t resident = 0;
  std::ifstream("/proc/self/statm") >> size >> resident;
  return resident * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

/// Starts workflows up to this number, and returns when all of them wait.
void suspend_until(::semel::Client& client, std::atomic<std::size_t>& number, std::size_t end, std::size_t callers) {
  std::vector<std::jthread> threads;
  for (std::size_t i = 0; i < callers; ++i) {
    threads.emplace_back([&] {
      for (std::size_t mine = number.fetch_add(1); mine < end; mine = number.fetch_add(1)) {
        const auto handle = client.start_workflow<void>("wait_for_a_day", "bench-" + std::to_string(mine), 0);
        while (handle.status() != Status::suspended) std::this_thread::yield();
      }
    });
  }
}

}  // namespace

/// What the engine holds in memory for a workflow that waits. The worker keeps none of them: it would hold their
/// coroutines.
Report measure_suspended(const Setting& setting) {
  const std::size_t count = setting.options.tasks > 0 ? setting.options.tasks : default_workflows;
  ::semel::Client client = embed(setting.stage.url());
  ::semel::Worker worker(client, WorkerOptions().cached_workflows(0));
  worker.workflow("wait_for_a_day", wait_for_a_day);
  worker.start();
  std::atomic<std::size_t> number = 0;
  suspend_until(client, number, first_workflows, setting.options.in_flight);
  const std::uint64_t before = resident_bytes();
  const auto begun = Steady::now();
  number = first_workflows;
  suspend_until(client, number, first_workflows + count, setting.options.in_flight);
  Tally tally;
  tally.tasks = count;
  Report report = report_of(setting, tally, std::chrono::duration<double>(Steady::now() - begun).count());
  const std::uint64_t after = resident_bytes();
  report.resident_kib = after / 1024;
  report.bytes_each = after > before ? static_cast<double>(after - before) / static_cast<double>(count) : 0;
  return report;
}

}  // namespace semel::bench
