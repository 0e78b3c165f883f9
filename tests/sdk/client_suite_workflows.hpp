#pragma once
#include "tests/sdk/client_suite_fixture.hpp"

/// The part of the suite that is about what workflows do.
namespace semel::suite {

inline Workflow<int> add_up(WorkflowContext& ctx, int count) {
  std::vector<Pending<int>> parts;
  for (int i = 1; i <= count; ++i) parts.push_back(ctx.task<int>("square", i));
  int sum = 0;
  for (Pending<int>& part : parts) sum += co_await part;
  co_return sum;
}

TYPED_TEST_P(ClientSuite, AFanOutOfAThousandTasksComesTogether) {
  Client client = this->client();
  Worker worker(client);
  worker.task("square", [](int n) { return n * n; });
  worker.workflow("add_up", add_up);
  worker.start();

  EXPECT_EQ(client.start_workflow<int>("add_up", "sum", 1'000).result(), 333'833'500);
}

inline Workflow<int> count_down(WorkflowContext& ctx, int from) {
  co_await ctx.task<int>("square", from);
  if (from > 0) ctx.continue_as_new(from - 1);
  co_return static_cast<int>(from);
}

TYPED_TEST_P(ClientSuite, AWorkflowContinuesAsNewUnderTheSameId) {
  Client client = this->client();
  Worker worker(client);
  worker.task("square", [](int n) { return n * n; });
  worker.workflow("count_down", count_down);
  worker.start();

  EXPECT_EQ(client.start_workflow<int>("count_down", "down", 5).result(), 0);
}

inline Workflow<std::vector<int>> gather(WorkflowContext& ctx, std::vector<int> so_far) {
  if (so_far.empty()) {
    so_far.push_back(co_await ctx.signal<int>("number"));
    co_await ctx.task<int>("square", 1);
    ctx.continue_as_new(so_far);
  }
  while (so_far.size() < 3) so_far.push_back(co_await ctx.signal<int>("number"));
  co_return std::vector<int>(so_far);
}

TYPED_TEST_P(ClientSuite, SignalsThatNobodyHasReadOutliveContinuingAsNew) {
  Client client = this->client();
  Worker worker(client);
  worker.task("square", [](int n) { return n * n; });
  worker.workflow("gather", gather);
  const auto workflow = client.start_workflow<std::vector<int>>("gather", "g", std::vector<int>());
  for (int i = 1; i <= 3; ++i) client.signal_workflow("g", "number", i);
  worker.start();

  EXPECT_THAT(workflow.result(), ::testing::ElementsAre(1, 2, 3));
}

inline Workflow<int> stoppable(WorkflowContext& ctx, int round) {
  auto stop = ctx.signal<int>("stop");
  co_await ctx.task<int>("square", round);
  if (round == 1) ctx.continue_as_new(2);
  const int code = co_await stop;
  co_return code;
}

TYPED_TEST_P(ClientSuite, ASignalThatWasAskedForAndNotAwaitedOutlivesContinuingAsNew) {
  Client client = this->client();
  Worker worker(client);
  worker.task("square", [](int n) { return n * n; });
  worker.workflow("stoppable", stoppable);
  const auto workflow = client.start_workflow<int>("stoppable", "s", 1);
  client.signal_workflow("s", "stop", 7);
  worker.start();

  EXPECT_EQ(workflow.result(), 7);
}

inline Workflow<int> everything(WorkflowContext& ctx, int seed) {
  const int drawn = ctx.run("draw", [seed] { return seed + 1; });
  if (ctx.version("change-1", 1, 2) == 1) co_return -1;
  ctx.set_status("waiting");
  auto slow = ctx.timer(1h);
  auto task = ctx.task<int>("square", drawn,
                            StepOptions()
                                .priority(3)
                                .max_attempts(2)
                                .timeout(10s)
                                .label("team", "a")
                                .retry(Retry::exponential(1s).cap(5s).jitter_percent(10)));
  auto first = co_await race(std::move(slow), std::move(task));
  const int sum = co_await ctx.child<int>("add_up", 3, ChildOptions().workflow_id("child-of-everything"));
  co_return std::get<1>(first) + sum;
}

TYPED_TEST_P(ClientSuite, EveryKindOfCommandArrives) {
  Client client = this->client();
  Worker worker(client, WorkerOptions().cached_workflows(0));  // everything is replayed each time
  worker.task("square", [](int n) { return n * n; });
  worker.workflow("everything", everything);
  worker.workflow("add_up", add_up);
  worker.start();

  EXPECT_EQ(client.start_workflow<int>("everything", "e", 4).result(), 25 + 14);
}

/// Asks for something that no server takes, once; then somebody has mended it.
inline constexpr std::size_t wrongs = 9;
inline std::array<std::atomic<int>, wrongs> runs_of_wrong{};

inline Workflow<int> wrong(WorkflowContext& ctx, int what) {
  const bool is_mended = ++runs_of_wrong[static_cast<std::size_t>(what)] > 1;
  if (is_mended) co_return static_cast<int>(what);
  if (what == 0) co_await ctx.child<int>("no such: kind", 1);
  if (what == 1) co_await ctx.child<int>("add_up", 1, ChildOptions().workflow_id(std::string(300, 'x')));
  if (what == 2) co_await ctx.child<int>("add_up", 1, ChildOptions().queue("no queue"));
  if (what == 3) co_await ctx.promise<int>(std::string("\n"));
  if (what == 4) co_await ctx.promise<int>("p", PromiseOptions().timeout(-1s));
  if (what == 5) ctx.run(std::string(300, 'x'), [] { return 1; });
  if (what == 6) co_await ctx.sleep(Duration::max());
  if (what == 7) co_await ctx.sleep(-1s);
  if (what == 8) co_await ctx.timer_at(Time::max());
  co_return -1;
}

TYPED_TEST_P(ClientSuite, ACommandThatCannotBeIsRefusedAndTheWorkflowWaitsForCodeThatCan) {
  Client client = this->client();
  Worker worker(client);
  worker.workflow("wrong", wrong);
  worker.workflow("add_up", add_up);
  std::vector<WorkflowHandle<int>> workflows;
  for (std::size_t i = 0; i < wrongs; ++i) {
    runs_of_wrong[i] = 0;
    workflows.push_back(client.start_workflow<int>("wrong", std::to_string(i), static_cast<int>(i)));
  }
  worker.start();

  for (std::size_t i = 0; i < wrongs; ++i) EXPECT_EQ(workflows[i].result(), static_cast<int>(i));
}

TYPED_TEST_P(ClientSuite, ASignalHasAKeyOfAFewBytes) {
  Client client = this->client();
  client.start_workflow<int>("nobody_has_it", "n", 0);

  try {
    client.signal_workflow("n", "note", 1, std::string(300, 'x'));
    FAIL() << "it was taken";
  } catch (const RequestRefused& refused) {
    EXPECT_EQ(refused.code(), "BAD_REQUEST");
  }
}

TYPED_TEST_P(ClientSuite, AWorkflowIsWaitedForOnlySoLong) {
  Client client = this->client();
  const auto workflow = client.start_workflow<int>("nobody_has_it", "n", 0);

  EXPECT_FALSE(workflow.settled_within(1ms).has_value());
  EXPECT_EQ(workflow.status(), Status::pending);
}

inline Workflow<int> reports_itself(WorkflowContext& ctx, int) {
  ctx.set_status(Json{{"step", "waiting"}, {"done", 1}});
  const int more = co_await ctx.signal<int>("more");
  ctx.set_status("over");
  co_return static_cast<int>(more);
}

TYPED_TEST_P(ClientSuite, WhatAWorkflowSaysOfItselfIsReadFromOutside) {
  Client client = this->client();
  Worker worker(client);
  worker.workflow("reports_itself", reports_itself);
  const auto workflow = client.start_workflow<int>("reports_itself", "r", 0);
  EXPECT_FALSE(workflow.custom_status().has_value()) << "nobody has begun it";

  worker.start();
  while (!workflow.custom_status()) std::this_thread::yield();
  EXPECT_EQ(workflow.custom_status(), Json({{"step", "waiting"}, {"done", 1}}));
  EXPECT_EQ(client.custom_status("r"), workflow.custom_status());
  workflow.signal("more", 5);

  EXPECT_EQ(workflow.result(), 5);
  EXPECT_EQ(workflow.template custom_status<std::string>(), "over");
  EXPECT_EQ(client.template custom_status<std::string>("r"), "over");
  EXPECT_EQ(refusal([&] { client.custom_status("nobody"); }), "NOT_FOUND");
  const auto task = client.submit("charge", 0, SubmitOptions().idempotency_key("t"));
  EXPECT_EQ(refusal([&] { client.custom_status("t"); }), "NOT_FOUND") << "a task says nothing";
}

}  // namespace semel::suite
