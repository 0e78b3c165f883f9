#include <gmock/gmock.h>

#include "tests/unit/sdk/server.hpp"

namespace semel::sdk {
namespace {

using ::testing::HasSubstr;

Workflow<int> count_three(WorkflowContext& ctx) {
  int sum = 0;
  for (int i = 0; i < 3; ++i) sum += co_await ctx.task<int>("add", i);
  co_return sum;
}

/// A server with one kind of workflow and one of task, and who does them.
struct ActivationsTest : ::testing::Test {
  TestServer server;
  WorkflowFunctions functions{{"count", detail::make_workflow(count_three)}};

  WorkflowHandle<int> start(const std::string& id) { return server.client.start_workflow<int>("count", id, 1); }
  /// Activations until there are none, each followed by its tasks.
  void run(Activations& worker) {
    while (step(worker)) {
    }
  }
  bool step(Activations& worker) {
    const std::vector<Lease> leases = server.poll("workflow:count");
    for (const Lease& lease : leases) server.answer(worker.answer(lease));
    const std::vector<Lease> tasks = server.poll("add");
    for (const Lease& task : tasks) server.answer({task.attempt_id, Completion{"5"}});
    return !leases.empty() || !tasks.empty();
  }
};

TEST_F(ActivationsTest, AWorkflowThatIsKeptIsNotReplayed) {
  Activations worker(*server.backend, functions, 10);
  const auto handle = start("w");

  run(worker);

  EXPECT_EQ(handle.result(), 15);
  EXPECT_EQ(worker.replays(), 1u);
  EXPECT_EQ(worker.kept(), 0u);  // it has ended
}

TEST_F(ActivationsTest, WithoutAPlaceInMemoryItIsReplayedEachTime) {
  Activations worker(*server.backend, functions, 0);
  const auto handle = start("w");

  run(worker);

  EXPECT_EQ(handle.result(), 15);
  EXPECT_EQ(worker.replays(), 4u);
}

TEST_F(ActivationsTest, HistoriesThatDoNotFitIntoALeaseAreReadInPages) {
  server.backend->set_events_a_lease(1);
  Activations kept(*server.backend, functions, 10);
  Activations lost(*server.backend, functions, 0);
  const auto first = start("a");
  run(kept);
  const auto second = start("b");
  run(lost);

  EXPECT_EQ(first.result(), 15);
  EXPECT_EQ(second.result(), 15);
}

TEST_F(ActivationsTest, TheLeastRecentlyUsedIsLetGo) {
  Activations worker(*server.backend, functions, 2);
  const auto a = start("a");
  const auto b = start("b");
  const auto c = start("c");
  for (const Lease& lease : server.poll("workflow:count")) server.answer(worker.answer(lease));

  EXPECT_EQ(worker.kept(), 2u);
  run(worker);

  EXPECT_EQ(a.result() + b.result() + c.result(), 45);
}

TEST_F(ActivationsTest, AnAnswerThatWasNotTakenIsNotBuiltUpon) {
  Activations worker(*server.backend, functions, 10);
  const auto handle = start("w");
  const std::vector<Lease> leases = server.poll("workflow:count");
  worker.answer(leases.at(0));  // never told to the server
  server.backend->end_leases();

  run(worker);

  EXPECT_EQ(handle.result(), 15);
  EXPECT_EQ(worker.replays(), 2u);
}

TEST_F(ActivationsTest, WhatWentOnElsewhereIsNotBuiltUpon) {
  functions.insert_or_assign("count", detail::make_workflow([](WorkflowContext& ctx) -> Workflow<int> {
                               const int first = co_await ctx.signal<int>("n");
                               const int second = co_await ctx.signal<int>("n");
                               const int third = co_await ctx.signal<int>("n");
                               co_return first * 100 + second * 10 + third;
                             }));
  Activations here(*server.backend, functions, 10);
  Activations elsewhere(*server.backend, functions, 10);
  const auto handle = start("w");
  for (Activations* worker : {&here, &here, &elsewhere}) {
    step(*worker);
    handle.signal("n", worker == &elsewhere ? 3 : 1);
  }
  run(here);

  EXPECT_EQ(handle.result(), 113);  // without a command by which the two could be told apart
}

TEST_F(ActivationsTest, WhatMissedAnEventIsNotBuiltUponThoughTheNumbersAgree) {
  functions.insert_or_assign("count", detail::make_workflow([](WorkflowContext& ctx) -> Workflow<int> {
                               const Pending<int> task = ctx.task<int>("never");
                               const int first = co_await ctx.signal<int>("n");
                               const int second = co_await ctx.signal<int>("n");
                               co_return first * 10 + second;
                             }));
  Activations here(*server.backend, functions, 10);
  Activations elsewhere(*server.backend, functions, 10);
  const auto handle = start("w");
  here.answer(server.poll("workflow:count").at(0));  // has begun a task after event 1, and is never heard
  server.backend->end_leases();
  handle.signal("n", 1);
  const Answer heard = elsewhere.answer(server.poll("workflow:count").at(0));
  handle.signal("n", 2);
  server.answer(heard);  // has seen event 2: as many as one event and one command

  run(here);

  EXPECT_EQ(server.backend->state(handle.id())->closing.result, "12");
}

TEST_F(ActivationsTest, CodeThatDoesNotFitFailsOnlyItsActivationAndWaitsForCodeThatDoes) {
  Activations worker(*server.backend, functions, 0);
  const auto broken = start("broken");
  step(worker);
  const auto other = start("other");
  const WorkflowFunctions changed{{"count", detail::make_workflow([](WorkflowContext& ctx) -> Workflow<int> {
                                     co_return co_await ctx.task<int>("multiply");
                                   })}};
  Activations deployed(*server.backend, changed, 0);
  for (const Lease& lease : server.poll("workflow:count")) server.answer(deployed.answer(lease));

  EXPECT_EQ(broken.status(), Status::pending);
  EXPECT_THAT(server.backend->state(broken.id())->closing.error, HasSubstr("the history has task 'add'"));
  EXPECT_EQ(server.poll("multiply").size(), 1u);  // of the other one, which is as well off as ever
  server.backend->advance_to(server.backend->now() + 1s);
  run(worker);

  EXPECT_EQ(broken.result(), 15);
}

TEST_F(ActivationsTest, AHistoryThatCannotBeHadFailsTheActivation) {
  struct Deaf : Between {
    using Between::Between;
    Reply<HistoryPage> history(const std::string&, std::uint64_t, int) override { return unavailable("nobody there"); }
  };
  server.backend->set_events_a_lease(0);
  Deaf deaf(server.backend);
  Activations worker(deaf, functions, 0);
  start("w");

  const Answer answer = worker.answer(server.poll("workflow:count").at(0));

  EXPECT_THAT(std::get<AttemptFailure>(answer.what).error, HasSubstr("history_unavailable"));
}

}  // namespace
}  // namespace semel::sdk
