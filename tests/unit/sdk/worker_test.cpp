#include <gmock/gmock.h>

#include <atomic>
#include <csignal>
#include <future>
#include <latch>

#include "sdk/worker/answers.hpp"
#include "sdk/worker/heartbeats.hpp"
#include "sdk/worker/lanes.hpp"
#include "sdk/worker/progress.hpp"
#include "tests/unit/sdk/server.hpp"

namespace semel::sdk {
namespace {

using ::testing::ElementsAre;

TEST(WorkerTasks, HandlersOfAllFormsAreTyped) {
  TestServer server;
  Worker worker(server.client);
  worker.task("both", [](TaskContext& ctx, int n) { return ctx.handler() + std::to_string(n); });
  worker.task("input", [](std::vector<int> numbers) { return numbers.size(); });
  worker.task("context", [](TaskContext& ctx) { return ctx.attempt(); });
  worker.task("nothing", [] {});
  worker.start();

  EXPECT_EQ(server.client.submit<std::string>("both", 7).result(), "both7");
  EXPECT_EQ(server.client.submit<int>("input", std::vector<int>{1, 2, 3}).result(), 3);
  EXPECT_EQ(server.client.submit<int>("context", 0).result(), 1);
  EXPECT_NO_THROW(server.client.submit<void>("nothing", 0).result());
}

TEST(WorkerTasks, AnInputThatDoesNotFitIsNotTriedAgain) {
  TestServer server;
  Worker worker(server.client);
  worker.task("number", [](int n) { return n; });
  worker.start();

  const Settled<int> settled = server.client.submit<int>("number", "no number").settled();

  EXPECT_EQ(settled.failure().type(), "invalid_input");
}

TEST(WorkerTasks, AFailureSaysHowItGoesOn) {
  TestServer server;
  std::atomic<int> attempts = 0;
  Worker worker(server.client);
  worker.task("flaky", [&](TaskContext& ctx) {
    ++attempts;
    if (ctx.attempt() == 1) throw Failure("busy", "later").retry_after(Duration::zero());
    throw Failure("broken", "never").not_retryable();
  });
  worker.start();

  const Settled<void> settled = server.client.submit<void>("flaky", 0).settled();

  EXPECT_EQ(settled.failure().type(), "broken");
  EXPECT_EQ(attempts, 2);
}

TEST(WorkerTasks, EffectsHaveKeysThatAreTheSameInAllAttempts) {
  TestServer server;
  Worker worker(server.client);
  std::vector<std::string> keys;
  worker.task("charge", [&](TaskContext& ctx) {
    keys.push_back(ctx.idempotency_key("charge"));
    if (ctx.attempt() == 1) throw Failure("busy", "later").retry_after(Duration::zero());
    keys.push_back(ctx.idempotency_key("mail"));
  });
  worker.start();

  const auto handle = server.client.submit<void>("charge", 0);
  handle.result();

  EXPECT_THAT(keys, ElementsAre(handle.id() + ":charge", handle.id() + ":charge", handle.id() + ":mail"));
}

TEST(WorkerTasks, NoMoreThanAllowedRunAtOnce) {
  TestServer server;
  Worker worker(server.client, WorkerOptions().concurrency(8));
  std::atomic<int> running = 0;
  std::atomic<int> most = 0;
  const auto work = [&](int) {
    const int now = ++running;
    int seen = most.load();
    while (now > seen && !most.compare_exchange_weak(seen, now)) continue;
    std::this_thread::yield();
    --running;
  };
  worker.task("narrow", TaskOptions().concurrency(2), work);
  worker.start();
  std::vector<TaskHandle<void>> handles;
  for (int i = 0; i < 50; ++i) handles.push_back(server.client.submit<void>("narrow", i));
  for (const auto& handle : handles) handle.result();

  EXPECT_LE(most, 2);
}

TEST(WorkerTasks, TwoTasksThatNeedEachOtherRunAtTheSameTime) {
  TestServer server;
  Worker worker(server.client, WorkerOptions().concurrency(2));
  std::latch both(2);
  worker.task("meet", [&] { both.arrive_and_wait(); });
  worker.start();

  const auto first = server.client.submit<void>("meet", 1);
  const auto second = server.client.submit<void>("meet", 2);

  EXPECT_NO_THROW(first.result());
  EXPECT_NO_THROW(second.result());
}

TEST(WorkerWorkflows, RunWithTheirTasksAndChildren) {
  TestServer server;
  Worker worker(server.client);
  worker.task("add", [](std::vector<int> pair) { return pair.at(0) + pair.at(1); });
  worker.workflow("sum", [](WorkflowContext& ctx, std::vector<int> numbers) -> Workflow<int> {
    int sum = 0;
    for (const int number : numbers) {
      const std::vector<int> pair{sum, number};
      sum = co_await ctx.task<int>("add", pair);
    }
    co_return sum;
  });
  worker.workflow("both", [](WorkflowContext& ctx) -> Workflow<int> {
    const std::vector<int> left{1, 2};
    const std::vector<int> right{3, 4};
    auto [a, b] = co_await all(ctx.child<int>("sum", left), ctx.child<int>("sum", right));
    co_return a* b;
  });
  worker.start();

  std::vector<WorkflowHandle<int>> handles;
  for (int i = 0; i < 20; ++i) {
    handles.push_back(server.client.start_workflow<int>("both", "both-" + std::to_string(i), 0));
  }

  for (const auto& handle : handles) EXPECT_EQ(handle.result(), 21);
}

TEST(WorkerWorkflows, WaitForSignalsPromisesAndTimers) {
  TestServer server;
  Worker worker(server.client);
  worker.workflow("wait", [](WorkflowContext& ctx) -> Workflow<int> {
    ctx.set_status("waits");
    const int first = co_await ctx.signal<int>("number");
    const int second = co_await ctx.promise<int>("key");
    co_return first + second;
  });
  worker.start();
  const auto handle = server.client.start_workflow<int>("wait", "w", 0);

  handle.signal("number", 1);
  while (true) {
    try {
      server.client.resolve_promise("key", 2);
      break;
    } catch (const RequestRefused&) {
      std::this_thread::yield();  // the workflow has not made it yet
    }
  }

  EXPECT_EQ(handle.result(), 3);
  EXPECT_EQ(server.backend->status_text(handle.id()), R"("waits")");
}

// ---- stopping

TEST(WorkerStop, EndsWhatWasBegunAndTellsItsOutcome) {
  TestServer server;
  Worker worker(server.client);
  std::latch has_begun(1);
  std::promise<void> may_end;
  worker.task("slow", [&] {
    has_begun.count_down();
    may_end.get_future().wait();
    return 1;
  });
  worker.start();
  const auto handle = server.client.submit<int>("slow", 0);
  has_begun.wait();
  std::future<void> stopped = std::async(std::launch::async, [&] { worker.stop(); });
  may_end.set_value();
  stopped.get();

  EXPECT_EQ(handle.result(), 1);
}

TEST(WorkerStop, AsksHandlersToEndWhenItHasWaitedForLongEnough) {
  TestServer server;
  Worker worker(server.client, WorkerOptions().grace(Duration::zero()));
  std::latch has_begun(1);
  worker.task("endless", [&](TaskContext& ctx) {
    has_begun.count_down();
    while (!ctx.should_cancel()) std::this_thread::yield();
    throw Failure("stopped", "the worker stops");
  });
  worker.start();
  server.client.submit("endless", 0);
  has_begun.wait();

  worker.stop();

  SUCCEED();
}

TEST(WorkerStop, ASignalDrains) {
  TestServer server;
  Worker worker(server.client);
  std::latch has_begun(1);
  std::promise<void> may_end;
  worker.task("slow", [&] {
    has_begun.count_down();
    may_end.get_future().wait();
    return 1;
  });
  const auto handle = server.client.submit<int>("slow", 0);
  std::future<void> running = std::async(std::launch::async, [&] { worker.run(); });
  has_begun.wait();
  ::raise(SIGTERM);
  may_end.set_value();
  running.get();

  EXPECT_EQ(handle.result(), 1);
}

TEST(WorkerStop, RunReturnsWhenSomebodyStopsIt) {
  TestServer server;
  Worker worker(server.client);
  std::latch has_begun(1);
  worker.task("any", [&] { has_begun.count_down(); });
  server.client.submit("any", 0);
  std::future<void> running = std::async(std::launch::async, [&] { worker.run(); });
  has_begun.wait();

  worker.stop();
  running.get();

  SUCCEED();
}

TEST(WorkerStop, WhatWasNeverStartedIsStopped) {
  TestServer server;
  Worker worker(server.client);

  EXPECT_THROW(worker.start(), std::logic_error);  // it has nothing to do
  worker.stop();
}

TEST(WorkerOutage, OutcomesAreToldWhenTheServerIsBack) {
  struct Away : Between {
    using Between::Between;
    std::vector<Reply<AnswerOutcome>> answer(std::span<const Answer> all) override {
      if (++calls < 3) return std::vector<Reply<AnswerOutcome>>(all.size(), unavailable("away"));
      return behind_->answer(all);
    }
    Reply<std::vector<Lease>> poll(const Poll& poll, std::stop_token stop) override {
      if (!has_polled.exchange(true)) return unavailable("away");
      return behind_->poll(poll, stop);
    }
    std::atomic<int> calls = 0;
    std::atomic<bool> has_polled = false;
  };
  TestServer server;
  Worker worker(TestServer::client_of(std::make_shared<Away>(server.backend)));
  worker.task("one", [] { return 1; });
  worker.start();

  EXPECT_EQ(server.client.submit<int>("one", 0).result(), 1);
}

TEST(WorkerOutage, AnOutcomeThatTheServerDoesNotTakeFailsTheAttempt) {
  struct Narrow : Between {
    using Between::Between;
    std::vector<Reply<AnswerOutcome>> answer(std::span<const Answer> all) override {
      const bool is_result = all.size() == 1 && std::holds_alternative<Completion>(all[0].what);
      if (is_result) return {refused("PAYLOAD_TOO_LARGE", "a result of too many bytes")};
      return behind_->answer(all);
    }
  };
  TestServer server;
  Worker worker(TestServer::client_of(std::make_shared<Narrow>(server.backend)));
  worker.task("large", [] { return "very long"; });
  worker.start();

  const Settled<Json> settled = server.client.submit("large", 0).settled();

  EXPECT_EQ(settled.failure().type(), "outcome_refused");
}

// ---- parts

TEST(WorkerHeartbeats, TellHandlersThatTheyShouldStop) {
  TestServer server;
  Heartbeats heartbeats(*server.backend, 30s);
  const auto cancelled = server.client.submit("a", 0);
  const auto running = std::make_shared<RunningTask>(server.poll("a").at(0));
  heartbeats.add(running);
  heartbeats.beat();
  const bool before = running->stop_token().stop_requested();

  cancelled.cancel();
  heartbeats.beat();

  EXPECT_FALSE(before);
  EXPECT_TRUE(running->stop_token().stop_requested());
}

TEST(WorkerHeartbeats, KeepALeaseAndNoticeThatItIsLost) {
  TestServer server;
  Heartbeats heartbeats(*server.backend, 30s);
  server.client.submit("a", 0);
  const auto running = std::make_shared<RunningTask>(server.poll("a").at(0));
  heartbeats.add(running);
  server.backend->advance_to(server.backend->now() + 20s);
  heartbeats.beat();
  server.backend->advance_to(server.backend->now() + 20s);
  heartbeats.beat();
  const bool before = running->stop_token().stop_requested();

  server.backend->advance_to(server.backend->now() + 31s);
  heartbeats.beat();

  EXPECT_FALSE(before);
  EXPECT_TRUE(running->stop_token().stop_requested());
}

/// "a,b:3" for each.
std::vector<std::string> texts_of(const std::vector<Lane>& lanes) {
  std::vector<std::string> texts;
  for (const Lane& lane : lanes) texts.push_back(fmt::format("{}:{}", fmt::join(lane.handlers, ","), lane.room));
  return texts;
}

TEST(WorkerLanes, ShareWhatTheWorkerCanDo) {
  Lanes lanes(10, 4);
  lanes.add_task("a", TaskOptions());
  lanes.add_task("b", TaskOptions());
  lanes.add_task("narrow", TaskOptions().concurrency(2));
  lanes.add_workflow("w", TaskOptions());

  const std::vector<Lane> first = lanes.open();
  for (int i = 0; i < 2; ++i) lanes.take("narrow");
  for (int i = 0; i < 3; ++i) lanes.take("a");
  const std::vector<Lane> second = lanes.open();
  for (int i = 0; i < 5; ++i) lanes.take("b");
  const std::vector<Lane> third = lanes.open();
  lanes.give_back("narrow");

  EXPECT_THAT(texts_of(first), ::testing::UnorderedElementsAre("a,b:8", "narrow:2", "workflow:w:4"));
  EXPECT_THAT(texts_of(second), ElementsAre("a,b:5", "workflow:w:4"));
  EXPECT_THAT(texts_of(third), ElementsAre("workflow:w:4"));
  EXPECT_THAT(texts_of(lanes.open()), ElementsAre(::testing::AnyOf("a,b:1", "narrow:1"), "workflow:w:4"));
}

TEST(WorkerLanes, AHandlerIsAddedOnce) {
  Lanes lanes(1, 1);
  lanes.add_task("a", TaskOptions());

  EXPECT_THROW(lanes.add_task("a", TaskOptions()), std::logic_error);
}

TEST(WorkerLanes, ThoseThatFoundNoRoomHaveTheirTurnNext) {
  Lanes lanes(1, 1);
  lanes.add_task("mail", TaskOptions().queue("mail"));
  lanes.add_task("call", TaskOptions().queue("calls"));

  const std::vector<Lane> first = lanes.open();
  EXPECT_TRUE(lanes.leaves_out());
  const std::vector<Lane> second = lanes.open();

  ASSERT_EQ(first.size(), 1u);
  ASSERT_EQ(second.size(), 1u);
  EXPECT_NE(first[0].handlers, second[0].handlers);
  lanes.take("mail");
  EXPECT_TRUE(lanes.open().empty());
  EXPECT_FALSE(lanes.leaves_out()) << "there is no room for any";
}

TEST(WorkerProgress, ANumberSaysHowMuchIsDoneAndAllElseIsShown) {
  EXPECT_EQ(read_progress("0.25").done, 0.25);
  EXPECT_EQ(read_progress("1").done, 1.0);
  EXPECT_EQ(read_progress("7").message, "7");
  EXPECT_EQ(read_progress(R"("half \"done\"")").message, R"(half "done")");
  EXPECT_EQ(read_progress(R"({"rows":3})").message, R"({"rows":3})");
  EXPECT_EQ(read_progress('"' + std::string(5'000, 'x') + '"').message.size(), 1'000u);
}

}  // namespace
}  // namespace semel::sdk
