#include "bench/workloads.hpp"
#include "semel/semel.hpp"
#include "semel/testing.hpp"

namespace semel::bench {
namespace {

constexpr std::size_t default_events = 10'000;
constexpr std::size_t events_of_a_step = 2;      // its beginning and its end
constexpr std::size_t events_of_a_workflow = 2;  // likewise

Workflow<std::size_t> many_steps(WorkflowContext& ctx, std::size_t steps) {
  std::size_t sum = 0;
  for (std::size_t i = 0; i < steps; ++i) sum += co_await ctx.task<std::size_t>("step", i);
  co_return sum;
}

std::string history_of(std::size_t steps) {
  testkit::WorkflowTest test("many_steps", many_steps);
  test.task("step", [](std::size_t number) { return number; });
  test.run<std::size_t>(steps);
  return test.history();
}

}  // namespace

/// Replays one long history again and again: events a second, and how long one replay takes, from the text of the
/// history to the last line of the code.
Report measure_replay(const Setting& setting) {
  const std::size_t events = setting.options.tasks > 0 ? setting.options.tasks : default_events;
  const std::string history =
      history_of((std::max(events, events_of_a_workflow) - events_of_a_workflow) / events_of_a_step);
  Tally tally;
  const auto begun = Steady::now();
  const auto end = begun + setting.options.time;
  while (Steady::now() < end) {
    const auto before = Steady::now();
    if (!testkit::replay(many_steps, history).fits()) tally.refused += events;
    tally.latencies.add(Steady::now() - before);
    tally.tasks += events;
  }
  return report_of(setting, tally, std::chrono::duration<double>(Steady::now() - begun).count());
}

}  // namespace semel::bench
