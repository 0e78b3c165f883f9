#pragma once
#include "tests/sdk/client_suite_fixture.hpp"

/// The part of the suite that is about workers.
namespace semel::suite {

TYPED_TEST_P(ClientSuite, ARunningTaskHearsThatItIsCancelled) {
  Client client = this->client();
  Worker worker(client, WorkerOptions().lease(3s));
  std::latch begun(1);
  worker.task("endless", [&](TaskContext& context) {
    context.set_progress(0.5);
    begun.count_down();
    std::mutex mutex;
    std::unique_lock lock(mutex);
    std::condition_variable_any().wait(lock, context.stop_token(), [] { return false; });
    throw Failure("stopped", "somebody wanted it").not_retryable();
  });
  worker.start();
  const auto task = client.submit<void>("endless", 0);
  begun.wait();

  task.cancel();

  EXPECT_EQ(task.settled().failure().status(), Status::cancelled);
}

TYPED_TEST_P(ClientSuite, AWorkerThatStopsEndsWhatItHasBegun) {
  Client client = this->client();
  std::latch begun(1);
  std::latch released(1);
  Worker worker(client);
  worker.task("slow", [&] {
    begun.count_down();
    released.wait();
    return 7;
  });
  worker.start();
  const auto task = client.submit<int>("slow", 0);
  begun.wait();
  std::thread stopper([&] { worker.stop(); });
  released.count_down();
  stopper.join();

  EXPECT_EQ(task.status(), Status::completed);
  EXPECT_EQ(task.result(), 7);
}

TYPED_TEST_P(ClientSuite, WhatAStoppedWorkerDidNotBeginIsDoneByAnother) {
  Client client = this->client();
  std::vector<TaskHandle<int>> tasks;
  {
    Worker worker(client, WorkerOptions().concurrency(4));
    worker.task("square", [](int n) { return n * n; });
    worker.start();
    for (int i = 0; i < 200; ++i) tasks.push_back(client.submit<int>("square", i));
    worker.stop();
  }
  Worker other(client);
  other.task("square", [](int n) { return n * n; });
  other.start();

  for (int i = 0; i < 200; ++i) EXPECT_EQ(tasks[static_cast<std::size_t>(i)].result(), i * i);
}

/// Counts what runs at once.
class Meter {
 public:
  void enter() {
    const std::lock_guard lock(mutex_);
    most_ = std::max(most_, ++now_);
  }
  void leave() {
    const std::lock_guard lock(mutex_);
    --now_;
  }
  int most() {
    const std::lock_guard lock(mutex_);
    return most_;
  }

 private:
  std::mutex mutex_;
  int now_ = 0;
  int most_ = 0;
};

TYPED_TEST_P(ClientSuite, NoHandlerRunsMoreOftenAtOnceThanItMay) {
  Client client = this->client();
  Meter one;
  Meter all;
  Worker worker(client, WorkerOptions().concurrency(3));
  const auto measured = [&](Meter* own) {
    return [&all, own](int n) {
      all.enter();
      if (own != nullptr) own->enter();
      std::this_thread::yield();
      if (own != nullptr) own->leave();
      all.leave();
      return n;
    };
  };
  worker.task("one", TaskOptions().concurrency(1), measured(&one));
  worker.task("mail", TaskOptions().queue("mail"), measured(nullptr));
  worker.task("call", TaskOptions().queue("calls"), measured(nullptr));
  worker.start();
  std::vector<TaskHandle<int>> tasks;

  for (int i = 0; i < 100; ++i) {
    tasks.push_back(client.submit<int>("one", i));
    tasks.push_back(client.submit<int>("mail", i, SubmitOptions().queue("mail")));
    tasks.push_back(client.submit<int>("call", i, SubmitOptions().queue("calls")));
  }

  for (std::size_t i = 0; i < tasks.size(); ++i) EXPECT_EQ(tasks[i].result(), static_cast<int>(i / 3));
  EXPECT_EQ(one.most(), 1);
  EXPECT_LE(all.most(), 3);
}

TYPED_TEST_P(ClientSuite, AllRoomOfAWorkerGoesToTheQueueThatHasWork) {
  Client client = this->client();
  std::latch together(4);
  Worker worker(client, WorkerOptions().concurrency(4));
  worker.task("meet", TaskOptions().queue("busy"), [&] { together.arrive_and_wait(); });
  worker.task("rest", TaskOptions().queue("idle"), [] {});
  worker.start();
  std::vector<TaskHandle<void>> tasks;

  for (int i = 0; i < 4; ++i) tasks.push_back(client.submit<void>("meet", i, SubmitOptions().queue("busy")));

  for (const auto& task : tasks) task.result();  // only four at once can end
}

TYPED_TEST_P(ClientSuite, TwoWorkersOfOneClientGetEachItsOwn) {
  Client client = this->client();
  Worker first(client);
  Worker second(client);
  first.task("a", [] { return "first"; });
  second.task("b", [] { return "second"; });
  first.start();
  second.start();

  EXPECT_EQ(client.submit<std::string>("b", 0).result(), "second");
  EXPECT_EQ(client.submit<std::string>("a", 0).result(), "first");
}

TYPED_TEST_P(ClientSuite, ManyCallersGetEachTheirOwnResult) {
  Client client = this->client();
  Worker worker(client);
  worker.task("square", [](int n) { return n * n; });
  worker.start();
  std::atomic<int> good = 0;
  {
    std::vector<std::jthread> callers;
    for (int i = 0; i < 32; ++i) {
      callers.emplace_back([&, i] {
        for (int j = 0; j < 10; ++j)
          good += client.submit<int>("square", i * 10 + j).result() == (i * 10 + j) * (i * 10 + j);
      });
    }
  }

  EXPECT_EQ(good, 320);
}

}  // namespace semel::suite
