#pragma once
#include "tests/sdk/client_suite_workers.hpp"

namespace semel::suite {

TYPED_TEST_P(ClientSuite, ATaskIsDoneAndItsDuplicateGetsItsResult) {
  Client client = this->client();
  Worker worker(client);
  this->add_all(worker);
  worker.start();

  const auto first = client.submit<std::string>("charge", Order{"1", 5}, SubmitOptions().idempotency_key("k"));
  const auto again = client.submit<std::string>("charge", Order{"1", 5}, SubmitOptions().idempotency_key("k"));

  EXPECT_EQ(first.result(), "paid:5");
  EXPECT_TRUE(first.is_new());
  EXPECT_FALSE(again.is_new());
  EXPECT_EQ(again.id(), first.id());
  EXPECT_EQ(again.result(), "paid:5");
  EXPECT_EQ(this->charges_, 1);
}

TYPED_TEST_P(ClientSuite, AKeyWithAnotherPayloadIsRefused) {
  Client client = this->client();
  client.submit("charge", Order{"1", 5}, SubmitOptions().idempotency_key("k"));

  try {
    client.submit("charge", Order{"1", 6}, SubmitOptions().idempotency_key("k"));
    FAIL() << "it was taken";
  } catch (const RequestRefused& refused) {
    EXPECT_EQ(refused.code(), "IDEMPOTENCY_KEY_MISMATCH");
  }
}

TYPED_TEST_P(ClientSuite, AKeyThatIsHeldOutsideIsNotGivenToAPromiseInside) {
  Client client = this->client();
  Worker worker(client);
  this->add_all(worker);
  const auto promise = client.create_promise<bool>("approve-7");
  const auto order = client.start_workflow<std::string>("process_order", "order-7", Order{"7", 100});
  worker.start();

  const Settled<std::string> settled = order.settled();
  EXPECT_FALSE(settled.has_value());
  EXPECT_EQ(settled.failure().type(), "IDEMPOTENCY_KEY_CONFLICT");
  EXPECT_TRUE(client.resolve_promise("approve-7", true));
  EXPECT_FALSE(client.resolve_promise("approve-7", true)) << "it had been kept before";
  EXPECT_EQ(promise.result(), true);
}

/// Waits until the workflow has made its promise: then it can be kept by its key.
inline void keep(Client& client, const std::string& key) {
  while (true) {
    try {
      client.resolve_promise(key, true);
      return;
    } catch (const RequestRefused& refused) {
      if (refused.code() != "NOT_FOUND") throw;
      std::this_thread::yield();
    }
  }
}

TYPED_TEST_P(ClientSuite, AWorkflowGoesFromItsFirstTaskToItsEnd) {
  Client client = this->client();
  Worker worker(client);
  this->add_all(worker);
  const auto order = client.start_workflow<std::string>("process_order", "order-7", Order{"7", 100});
  EXPECT_TRUE(client.signal_workflow("order-7", "note", "fragile", "n1"));
  EXPECT_FALSE(client.signal_workflow("order-7", "note", "fragile", "n1")) << "it had come before";

  worker.start();
  keep(client, "approve-7");

  EXPECT_EQ(order.result(), "paid:100 sent:parcel-7 fragile");
}

TYPED_TEST_P(ClientSuite, AWorkflowOutlivesItsWorkersAndItsProcess) {
  {
    Client client = this->client();
    Worker worker(client);
    this->add_all(worker);
    worker.start();
    client.start_workflow<std::string>("process_order", "order-8", Order{"8", 3});
    keep(client, "approve-8");
    worker.stop();
  }
  EXPECT_EQ(this->charges_, 1);
  this->stage_.restart();

  Client client = this->client();
  Worker worker(client);
  this->add_all(worker);
  worker.start();
  client.signal_workflow("order-8", "note", "late");
  const auto again = client.start_workflow<std::string>("process_order", "order-8", Order{"8", 3});

  EXPECT_FALSE(again.is_new());
  EXPECT_EQ(again.result(), "paid:3 sent:parcel-8 late");
  EXPECT_EQ(this->charges_, 1) << "what was recorded is not done again";
}

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

TYPED_TEST_P(ClientSuite, AWorkflowThatIsCancelledEndsSo) {
  Client client = this->client();
  Worker worker(client);
  this->add_all(worker);
  worker.start();
  const auto order = client.start_workflow<std::string>("process_order", "order-9", Order{"9", 1});
  keep(client, "approve-9");

  order.cancel();

  EXPECT_EQ(order.settled().failure().status(), Status::cancelled);
}

TYPED_TEST_P(ClientSuite, QueuesAreConfiguredPieceByPiece) {
  Client client = this->client();

  client.configure_queue("mail", QueueSettings().max_running(3).rate_limit("100/sec"));
  client.configure_queue("mail", QueueSettings().paused(true));

  EXPECT_THROW(client.configure_queue("mail", QueueSettings().rate_limit("often")), RequestRefused);
}

// ---- failures

TYPED_TEST_P(ClientSuite, AFailureIsToldWithItsTypeAndDetails) {
  Client client = this->client();
  Worker worker(client);
  worker.task("charge", [](Order) -> int {
    throw Failure("card_declined", "the bank said no").not_retryable().details(R"({"code":51})");
  });
  worker.start();

  const Settled<int> settled = client.submit<int>("charge", Order{"1", 5}).settled();

  ASSERT_FALSE(settled.has_value());
  EXPECT_EQ(settled.failure().type(), "card_declined");
  EXPECT_EQ(settled.failure().status(), Status::failed);
  const Json error = Json::parse(settled.failure().error());
  EXPECT_EQ(error["message"], "the bank said no");
  EXPECT_EQ(error["details"], Json({{"code", 51}}));
}

inline Workflow<std::string> compensate(WorkflowContext& ctx) {
  const auto charged = co_await ctx.task<int>("charge").settled();
  if (!charged) co_return charged.failure().type();
  throw Failure("impossible", "it was charged");
}

TYPED_TEST_P(ClientSuite, AWorkflowSeesHowItsTaskFailedAndGoesOn) {
  Client client = this->client();
  Worker worker(client);
  worker.task("charge", []() -> int { throw Failure("card_declined", "no").not_retryable(); });
  worker.workflow("compensate", compensate);
  worker.start();

  EXPECT_EQ(client.start_workflow<std::string>("compensate", "w", 0).result(), "card_declined");
}

TYPED_TEST_P(ClientSuite, APromiseIsBrokenWithAReason) {
  Client client = this->client();
  const auto promise = client.create_promise<int>("answer");

  EXPECT_TRUE(client.reject_promise("answer", Failure("too_late", "the office has closed")));

  const Settled<int> settled = promise.settled();
  ASSERT_FALSE(settled.has_value());
  EXPECT_EQ(settled.failure().type(), "too_late");
}

TYPED_TEST_P(ClientSuite, WhatIsNotThereIsSaidToBeNotThere) {
  Client client = this->client();

  try {
    client.signal_workflow("no-such-order", "note", 1);
    FAIL() << "it was taken";
  } catch (const RequestRefused& refused) {
    EXPECT_EQ(refused.code(), "NOT_FOUND");
  }
}

// ---- workflows

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

REGISTER_TYPED_TEST_SUITE_P(ClientSuite, ATaskIsDoneAndItsDuplicateGetsItsResult, AKeyWithAnotherPayloadIsRefused,
                            AKeyThatIsHeldOutsideIsNotGivenToAPromiseInside, AWorkflowGoesFromItsFirstTaskToItsEnd,
                            AWorkflowOutlivesItsWorkersAndItsProcess, AFanOutOfAThousandTasksComesTogether,
                            AWorkflowContinuesAsNewUnderTheSameId, AWorkflowThatIsCancelledEndsSo,
                            QueuesAreConfiguredPieceByPiece, AFailureIsToldWithItsTypeAndDetails,
                            AWorkflowSeesHowItsTaskFailedAndGoesOn, APromiseIsBrokenWithAReason,
                            WhatIsNotThereIsSaidToBeNotThere, ARunningTaskHearsThatItIsCancelled,
                            AWorkerThatStopsEndsWhatItHasBegun, WhatAStoppedWorkerDidNotBeginIsDoneByAnother,
                            NoHandlerRunsMoreOftenAtOnceThanItMay, AllRoomOfAWorkerGoesToTheQueueThatHasWork,
                            TwoWorkersOfOneClientGetEachItsOwn, ManyCallersGetEachTheirOwnResult,
                            SignalsThatNobodyHasReadOutliveContinuingAsNew,
                            ASignalThatWasAskedForAndNotAwaitedOutlivesContinuingAsNew, EveryKindOfCommandArrives,
                            ACommandThatCannotBeIsRefusedAndTheWorkflowWaitsForCodeThatCan, ASignalHasAKeyOfAFewBytes,
                            AWorkflowIsWaitedForOnlySoLong);

}  // namespace semel::suite
