#pragma once
#include "tests/sdk/client_suite_fixture.hpp"
#include "tests/sdk/observed.hpp"

/// The part of the suite that is about time, about several things at once, and about code that changes under workflows.
namespace semel::suite {

/// Until the workflow has got so far.
inline void await_event(const Client& client, const std::string& workflow, const std::string& kind) {
  while (true) {
    const sdk::HistoryPage page = client.core()->backend().history(workflow, 0, 1'000).value();
    for (const sdk::Event& event : page.events) {
      if (event.kind == kind) return;
    }
    std::this_thread::yield();
  }
}

inline Workflow<int> together(WorkflowContext& ctx, int) {
  auto [one, two] = co_await all(ctx.task<int>("square", 1), ctx.task<int>("square", 2));
  std::vector<Pending<int>> many;
  for (int i = 3; i <= 5; ++i) many.push_back(ctx.task<int>("square", i));
  int sum = one + two;
  for (const int each : co_await all(std::move(many))) sum += each;
  const auto good = co_await any(ctx.task<int>("fail"), ctx.task<int>("square", 6));
  sum += std::get<1>(good);
  const auto first = co_await race(ctx.timer(1h), ctx.task<int>("square", 7));
  co_return sum + std::get<1>(first);
}

TYPED_TEST_P(ClientSuite, AllAnyAndRaceWaitForSeveralAtOnce) {
  Client client = this->client();
  Worker worker(client);
  worker.task("square", [](int n) { return n * n; });
  worker.task("fail", []() -> int { throw Failure("broken", "as it should").not_retryable(); });
  worker.workflow("together", together);
  worker.start();

  EXPECT_EQ(client.start_workflow<int>("together", "t", 0).result(), 1 + 4 + 9 + 16 + 25 + 36 + 49);
}

// ---- time

inline Workflow<int> sleeper(WorkflowContext& ctx, int milliseconds) {
  co_await ctx.sleep(std::chrono::milliseconds(milliseconds));
  co_return static_cast<int>(milliseconds);
}

TYPED_TEST_P(ClientSuite, TimeGoesOnWhileNothingRuns) {
  std::string id;
  {
    Client client = this->client();
    Worker worker(client);
    worker.workflow("sleeper", sleeper);
    worker.start();
    id = client.start_workflow<int>("sleeper", "s", 100).id();
    await_event(client, id, "timer_started");
    worker.stop();
  }
  this->stage_.restart();

  Client client = this->client();
  Worker worker(client);
  worker.workflow("sleeper", sleeper);
  worker.start();

  EXPECT_EQ(client.workflow<int>(id).result(), 100);
}

inline Workflow<std::string> impatient(WorkflowContext& ctx, int) {
  const Settled<int> settled = co_await ctx.promise<int>("never", PromiseOptions().timeout(20ms)).settled();
  co_return std::string(name_of(settled.failure().status()));
}

TYPED_TEST_P(ClientSuite, PromisesTimeOutInsideAndOutside) {
  Client client = this->client();
  Worker worker(client);
  worker.workflow("impatient", impatient);
  worker.start();

  const auto outside = client.create_promise<int>("also-never", PromiseOptions().timeout(20ms));
  const auto inside = client.start_workflow<std::string>("impatient", "i", 0);

  EXPECT_EQ(outside.settled().failure().status(), Status::timed_out);
  EXPECT_EQ(inside.result(), "timed_out");
}

// ---- code that changes

inline Workflow<int> old_code(WorkflowContext& ctx, int) {
  const int first = co_await ctx.task<int>("square", 2);
  co_return first + co_await ctx.signal<int>("more");
}

inline Workflow<int> code_that_does_not_fit(WorkflowContext& ctx, int) { co_return co_await ctx.task<int>("cube", 2); }

inline Workflow<int> code_with_versions(WorkflowContext& ctx, int) {
  const int version = ctx.version("change-1", 1, 2);
  const int first = co_await ctx.task<int>("square", 2);
  const int more = co_await ctx.signal<int>("more");
  co_return 100 * version + first + more;
}

/// A worker with some code for the kind "changing".
template <typename Code>
void add_code(Worker& worker, Code code) {
  worker.task("square", [](int n) { return n * n; });
  worker.task("cube", [](int n) { return n * n * n; });
  worker.workflow("changing", code);
}

TYPED_TEST_P(ClientSuite, CodeThatDoesNotFitAHistoryHarmsOnlyThatWorkflow) {
  const auto observed = std::make_shared<Observed>(this->client());
  Client client = client_of(observed);
  const auto workflow = client.start_workflow<int>("changing", "old", 0);
  {
    Worker worker(client);
    add_code(worker, old_code);
    worker.start();
    await_event(client, workflow.id(), "task_completed");
    worker.stop();
  }
  workflow.signal("more", 1);
  {
    Worker worker(client);
    add_code(worker, code_that_does_not_fit);
    worker.start();
    EXPECT_EQ(client.start_workflow<int>("changing", "new", 0).result(), 8) << "others go on";
    while (observed->failures().empty()) std::this_thread::yield();
    worker.stop();
  }
  EXPECT_FALSE(is_closed(workflow.status()));
  EXPECT_THAT(observed->failures().at(0),
              ::testing::HasSubstr("the history has task 'square', the code asks for task 'cube'"));

  Worker worker(client);
  add_code(worker, old_code);
  worker.start();
  EXPECT_EQ(workflow.result(), 5) << "when code comes that fits";
}

TYPED_TEST_P(ClientSuite, AWorkflowTakesTheFormThatItBeganWith) {
  Client client = this->client();
  const auto old_one = client.start_workflow<int>("changing", "old", 0);
  {
    Worker worker(client);
    add_code(worker, old_code);
    worker.start();
    await_event(client, old_one.id(), "task_completed");
    worker.stop();
  }

  Worker worker(client);
  add_code(worker, code_with_versions);
  worker.start();
  const auto new_one = client.start_workflow<int>("changing", "new", 0);
  old_one.signal("more", 1);
  new_one.signal("more", 1);

  EXPECT_EQ(old_one.result(), 105);
  EXPECT_EQ(new_one.result(), 205);
}

}  // namespace semel::suite
