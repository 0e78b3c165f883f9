#pragma once
#include "tests/sdk/client_suite_fixture.hpp"
#include "tests/sdk/observed.hpp"

/// The part of the suite that is about what of a history travels to workers.
namespace semel::suite {

inline constexpr int sticky_steps = 10;

inline Workflow<int> step_by_step(WorkflowContext& ctx, int steps) {
  int sum = 0;
  for (int i = 0; i < steps; ++i) sum += co_await ctx.task<int>("square", i);
  co_return static_cast<int>(sum);
}

inline void add_steps(Worker& worker) {
  worker.task("square", [](int n) { return n * n; });
  worker.workflow("step_by_step", step_by_step);
}

TYPED_TEST_P(ClientSuite, AWorkerIsGivenEachEventOfAWorkflowOnce) {
  const auto observed = std::make_shared<Observed>(this->client());
  Client client = client_of(observed);
  Worker worker(client);
  add_steps(worker);
  worker.start();

  EXPECT_EQ(client.start_workflow<int>("step_by_step", "s", sticky_steps).result(), 285);

  std::map<std::uint64_t, int> given;
  for (const sdk::Activation& activation : observed->activations()) {
    for (const sdk::Event& event : activation.events) ++given[event.sequence];
  }
  EXPECT_THAT(observed->pages(), ::testing::IsEmpty());
  EXPECT_GT(observed->activations().size(), 1u);
  for (const auto& [sequence, times] : given) EXPECT_EQ(times, 1) << "event " << sequence;
}

TYPED_TEST_P(ClientSuite, AWorkerThatHasLostAWorkflowReadsItsWholeHistory) {
  const auto observed = std::make_shared<Observed>(this->client());
  Client client = client_of(observed);
  Worker worker(client, WorkerOptions().cached_workflows(0));
  add_steps(worker);
  worker.start();

  EXPECT_EQ(client.start_workflow<int>("step_by_step", "s", sticky_steps).result(), 285);

  const std::vector<sdk::Activation> activations = observed->activations();
  const std::vector<Observed::Page> pages = observed->pages();
  ASSERT_EQ(pages.size() + 1, activations.size()) << "all but the first, which has the beginning itself";
  for (std::size_t i = 0; i < pages.size(); ++i) {
    EXPECT_EQ(pages[i].after, 0u);
    EXPECT_GE(pages[i].events, activations[i + 1].history_length);
  }
}

/// Waits before its last step until somebody says so.
inline Workflow<int> pausing(WorkflowContext& ctx, int) {
  const int first = co_await ctx.task<int>("square", 3);
  const int more = co_await ctx.signal<int>("more");
  co_return first + more;
}

TYPED_TEST_P(ClientSuite, AnotherWorkerReadsTheWholeHistory) {
  const auto observed = std::make_shared<Observed>(this->client());
  Client client = client_of(observed);
  const auto add_all = [](Worker& worker) {
    worker.task("square", [](int n) { return n * n; });
    worker.workflow("pausing", pausing);
  };
  const auto workflow = client.start_workflow<int>("pausing", "p", 0);
  {
    Worker first(client);
    add_all(first);
    first.start();
    while (observed->activations().size() < 2) std::this_thread::yield();  // after its task has completed
    first.stop();
  }
  ASSERT_THAT(observed->pages(), ::testing::IsEmpty());

  Worker second(client);
  add_all(second);
  second.start();
  workflow.signal("more", 1);

  EXPECT_EQ(workflow.result(), 10);
  ASSERT_THAT(observed->pages(), ::testing::SizeIs(1));
  EXPECT_EQ(observed->pages()[0].after, 0u);
  EXPECT_GE(observed->pages()[0].events, observed->activations().back().seen);
}

}  // namespace semel::suite
