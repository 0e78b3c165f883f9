#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>

#include "sdk/workflow/recorded.hpp"
#include "tests/unit/sdk/server.hpp"

namespace semel::sdk {
namespace {

Workflow<int> leg(WorkflowContext& ctx, int from) {
  const int half = co_await ctx.task<int>("step", from, StepOptions().max_attempts(100));
  co_await ctx.sleep(10min);
  co_return co_await ctx.task<int>("step", half, StepOptions().max_attempts(100));
}

/// A bit of everything that a workflow can wait for.
Workflow<int> journey(WorkflowContext& ctx, int number) {
  const int start = ctx.run("start", [&] { return number * 100; });
  auto [left, right] = co_await all(leg(ctx, start), leg(ctx, start + 10));
  auto first = co_await race(ctx.task<int>("step", left + right, StepOptions().max_attempts(100)), ctx.timer(100h));
  int sum = -1;
  if (first.index() == 0) sum = std::get<0>(first);
  const int approval = co_await ctx.promise<int>("approve-" + std::to_string(number));
  const int signal = co_await ctx.signal<int>("go");
  co_return sum + approval + signal;
}

/// Workers that die, lose what they had in memory, and whose answers get lost, from one seed.
class Simulation {
 public:
  explicit Simulation(unsigned seed) : random_(seed) {
    for (const std::size_t kept : {0u, 3u, 100u}) {
      workers_.push_back(std::make_unique<Activations>(*server_.backend, functions_, kept));
    }
  }

  std::vector<WorkflowHandle<int>> start(int count) {
    std::vector<WorkflowHandle<int>> handles;
    for (int i = 0; i < count; ++i) {
      handles.push_back(server_.client.start_workflow<int>("journey", "journey-" + std::to_string(i), i));
      handles.back().signal("go", 1000);
    }
    return handles;
  }

  void step(int workflows) {
    switch (chance(10)) {
      case 0: return server_.backend->advance_to(server_.backend->now() + 5min);
      case 1: return server_.backend->end_leases();
      case 2: return keep_promise(chance(workflows));
      case 3:
      case 4:
      case 5: return do_tasks();
      default: return activate();
    }
  }

  MemoryBackend& server() { return *server_.backend; }

 private:
  int chance(int of) { return static_cast<int>(random_() % static_cast<unsigned>(of)); }

  void activate() {
    Activations& worker = *workers_[static_cast<std::size_t>(chance(3))];
    for (const Lease& lease : server_.poll("workflow:journey", 1 + chance(5))) {
      const Answer answer = worker.answer(lease);
      ASSERT_TRUE(std::holds_alternative<ActivationEnd>(answer.what)) << std::get<AttemptFailure>(answer.what).error;
      if (chance(5) == 0) continue;  // it dies before it has answered
      server_.answer(answer);
      if (chance(5) == 0) server_.answer(answer);  // it did not hear that it was heard
    }
  }

  void do_tasks() {
    for (const Lease& lease : server_.poll("step", 1 + chance(5))) {
      if (chance(20) == 0) continue;
      server_.answer({lease.attempt_id, Completion{std::to_string(std::stoi(lease.context) + 1)}});
    }
  }

  void keep_promise(int number) {
    server_.backend->settle_promise({{"", "approve-" + std::to_string(number)}, EndWith{"10"}});
  }

  std::mt19937 random_;
  TestServer server_;
  const WorkflowFunctions functions_{{"journey", detail::make_workflow(journey)}};
  std::vector<std::unique_ptr<Activations>> workers_;
};

TEST(Simulation, WorkersThatDieAnywhereEndEveryWorkflowAndDoNothingTwice) {
  constexpr int workflows = 12;
  for (unsigned seed = 1; seed <= 8; ++seed) {
    Simulation simulation(seed);
    const auto handles = simulation.start(workflows);
    const auto is_open = [&](const WorkflowHandle<int>& handle) { return !is_closed(handle.status()); };
    int steps = 0;
    while (std::any_of(handles.begin(), handles.end(), is_open)) {
      simulation.step(workflows);
      ASSERT_LT(++steps, 100'000) << "seed " << seed;
    }

    for (int i = 0; i < workflows; ++i) {
      EXPECT_EQ(handles[static_cast<std::size_t>(i)].result(), 200 * i + 10 + 4 + 1 + 1010) << "seed " << seed;
      std::map<std::uint64_t, int> ended;
      std::map<std::uint64_t, int> asked;
      for (const Event& event : simulation.server().whole_history(handles[static_cast<std::size_t>(i)].id())) {
        const Recorded recorded = read_event(event).value();
        if (recorded.what == Recorded::What::asked) ++asked[recorded.number];
        if (recorded.what == Recorded::What::closed) ++ended[recorded.number];
      }
      for (const auto& [number, count] : asked) EXPECT_EQ(count, 1) << "command " << number;
      for (const auto& [number, count] : ended) EXPECT_EQ(count, 1) << "command " << number;
    }
  }
}

}  // namespace
}  // namespace semel::sdk
