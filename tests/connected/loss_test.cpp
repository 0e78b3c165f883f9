#include <gmock/gmock.h>

#include <atomic>
#include <future>
#include <latch>

#include "semel/semel.hpp"
#include "tests/connected/live_server.hpp"

/// What a program sees when its server goes, and comes back.
namespace semel::test {
namespace {

using namespace std::chrono_literals;

class Loss : public ::testing::Test {
 protected:
  Loss() { server_.start(); }

  LiveServer server_;
};

TEST_F(Loss, ACallWaitsForAServerThatComesLater) {
  server_.stop();
  Client client = server_.client();
  auto handle = std::async(std::launch::async, [&] { return client.submit<int>("square", 3); });

  server_.start();

  Worker worker(client);
  worker.task("square", [](int n) { return n * n; });
  worker.start();
  EXPECT_EQ(handle.get().result(), 9);
}

TEST_F(Loss, AWorkerGoesOnWhenTheServerIsBack) {
  Client client = server_.client();
  Worker worker(client);
  worker.task("square", [](int n) { return n * n; });
  worker.start();
  EXPECT_EQ(client.submit<int>("square", 2).result(), 4);

  for (int i = 0; i < 3; ++i) {
    server_.restart();
    EXPECT_EQ(client.submit<int>("square", i).result(), i * i);
  }
}

TEST_F(Loss, WhoWaitsForAResultGoesOnWaiting) {
  Client client = server_.client();
  const auto task = client.submit<int>("square", 5);
  auto result = std::async(std::launch::async, [&] { return task.result(); });

  server_.restart();
  Worker worker(client);
  worker.task("square", [](int n) { return n * n; });
  worker.start();

  EXPECT_EQ(result.get(), 25);
}

/// What happens between the begin and the end of something that runs while its server goes.
struct Interruption {
  std::latch begun{1};
  std::latch released{1};
  std::atomic<int> runs = 0;

  void pass() {
    if (++runs > 1) return;
    begun.count_down();
    released.wait();
  }
};

TEST_F(Loss, ATaskThatRunsWhileTheServerIsGoneIsDoneOnce) {
  Interruption interruption;
  Client client = server_.client();
  Worker worker(client);
  worker.task("slow", [&] {
    interruption.pass();
    return 7;
  });
  worker.start();
  const auto task = client.submit<int>("slow", 0);
  interruption.begun.wait();
  server_.instance().stop(0s);  // does not wait for what runs

  server_.restart();
  interruption.released.count_down();

  EXPECT_EQ(task.result(), 7);
  EXPECT_EQ(interruption.runs, 1);
}

Interruption* between = nullptr;  // code of workflows has no other way to the test

Workflow<int> interrupted(WorkflowContext& ctx, int n) {
  const int drawn = ctx.run("draw", [n] {
    between->pass();
    return n + 1;
  });
  const int squared = co_await ctx.task<int>("square", drawn);
  co_return squared;
}

TEST_F(Loss, AnActivationThatIsOutWhenItsStreamBreaksIsAnsweredOnce) {
  Interruption interruption;
  between = &interruption;
  Client client = server_.client();
  Worker worker(client);
  worker.task("square", [](int n) { return n * n; });
  worker.workflow("interrupted", interrupted);
  worker.start();
  const auto workflow = client.start_workflow<int>("interrupted", "w", 2);
  interruption.begun.wait();
  server_.instance().stop(0s);

  server_.restart();
  interruption.released.count_down();

  EXPECT_EQ(workflow.result(), 9);
  EXPECT_EQ(interruption.runs, 1);
}

std::atomic<int> runs_of_greedy = 0;

/// The first time it begins more at once than a message can hold; then somebody has mended it.
Workflow<int> greedy(WorkflowContext& ctx, int n) {
  if (++runs_of_greedy == 1) {
    const std::string ballast(1'000'000, 'x');
    std::vector<Pending<int>> parts;
    for (int i = 0; i < 20; ++i) parts.push_back(ctx.task<int>("weigh", ballast));
    for (Pending<int>& part : parts) co_await part;
  }
  const int squared = co_await ctx.task<int>("square", n);
  co_return squared;
}

TEST_F(Loss, AnActivationThatNoMessageCanHoldFailsAndIsTriedAgainBesideOthersThatSucceed) {
  runs_of_greedy = 0;
  Client client = server_.client();
  Worker worker(client);
  worker.task("square", [](int n) { return n * n; });
  worker.workflow("greedy", greedy);
  const auto workflow = client.start_workflow<int>("greedy", "g", 3);
  std::vector<TaskHandle<int>> others;
  for (int i = 0; i < 50; ++i) others.push_back(client.submit<int>("square", i));
  worker.start();

  for (int i = 0; i < 50; ++i) EXPECT_EQ(others[static_cast<std::size_t>(i)].result(), i * i);
  EXPECT_EQ(workflow.result(), 9);
  EXPECT_GE(runs_of_greedy, 2) << "the first answer was not taken";
}

TEST_F(Loss, AServerThatStopsWaitsForWhatRuns) {
  Interruption interruption;
  Client client = server_.client();
  Worker worker(client);
  worker.task("slow", [&] {
    interruption.pass();
    return 7;
  });
  worker.start();
  const auto task = client.submit<int>("slow", 0);
  interruption.begun.wait();
  auto stopped = std::async(std::launch::async, [&] { server_.instance().stop(30s); });
  interruption.released.count_down();
  stopped.get();  // the outcome went by the stream that the lease had come by

  worker.stop();
  server_.restart();

  EXPECT_EQ(task.status(), Status::completed);
  EXPECT_EQ(interruption.runs, 1);
}

TEST_F(Loss, AWorkerStopsWhileThereIsNoServer) {
  Client client = server_.client();
  Worker worker(client);
  worker.task("square", [](int n) { return n * n; });
  worker.start();
  EXPECT_EQ(client.submit<int>("square", 2).result(), 4);
  server_.stop();

  worker.stop();
}

}  // namespace
}  // namespace semel::test
