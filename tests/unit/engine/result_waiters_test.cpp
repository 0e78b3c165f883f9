#include "engine/result_waiters.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <latch>
#include <thread>

#include "tests/support/builders.hpp"

namespace semel::engine {
namespace {

constexpr Duration long_time = 24h;

class ResultWaitersTest : public ::testing::Test {
 protected:
  void TearDown() override { timers.stop(); }  // a time-out that has begun looks at the waiters

  semel::test::Ids ids;
  const domain::ExecutionId one = ids.execution();
  const domain::ExecutionId other = ids.execution();
  Timers timers;
  ResultWaiters waiters{timers};
};

TEST_F(ResultWaitersTest, RunsEveryWaiterOfTheExecutionThatClosedOnce) {
  int ran = 0;
  int others = 0;
  for (int i = 0; i < 3; ++i) waiters.add("acme", one, long_time, [&](const domain::Execution*) { ++ran; });
  waiters.add("acme", other, long_time, [&](const domain::Execution*) { ++others; });
  waiters.add("tenant-2", one, long_time, [&](const domain::Execution*) { ++others; });

  waiters.closed("acme", one);
  waiters.closed("acme", one);

  EXPECT_EQ(ran, 3);
  EXPECT_EQ(others, 0);
}

TEST_F(ResultWaitersTest, NeverRunsAWaiterThatWasCancelled) {
  int ran = 0;
  const auto token = waiters.add("acme", one, long_time, [&](const domain::Execution*) { ran += 100; });
  waiters.add("acme", one, long_time, [&](const domain::Execution*) { ++ran; });

  EXPECT_TRUE(waiters.cancel(token));
  EXPECT_FALSE(waiters.cancel(token));
  waiters.closed("acme", one);

  EXPECT_EQ(ran, 1);
}

TEST_F(ResultWaitersTest, CannotCancelAWaiterThatHasRun) {
  const auto token = waiters.add("acme", one, long_time, [](const domain::Execution*) {});

  waiters.closed("acme", one);

  EXPECT_FALSE(waiters.cancel(token));
}

TEST_F(ResultWaitersTest, RunsAWaiterWhenItsTimeIsOver) {
  std::latch over(2);

  waiters.add("acme", one, 0ms, [&](const domain::Execution*) { over.count_down(); });
  waiters.add("acme", one, 1ms, [&](const domain::Execution*) { over.count_down(); });

  over.wait();
  waiters.closed("acme", one);  // nobody is left
}

TEST_F(ResultWaitersTest, ReleasesEverybody) {
  int ran = 0;
  waiters.add("acme", one, long_time, [&](const domain::Execution*) { ++ran; });
  waiters.add("acme", other, long_time, [&](const domain::Execution*) { ++ran; });

  waiters.release_all();
  waiters.release_all();
  waiters.closed("acme", one);

  EXPECT_EQ(ran, 2);
}

TEST_F(ResultWaitersTest, TakesANewWaiterFromACallback) {
  int ran = 0;
  waiters.add("acme", one, long_time, [&](const domain::Execution*) {
    waiters.add("acme", one, long_time, [&](const domain::Execution*) { ++ran; });
  });

  waiters.closed("acme", one);
  EXPECT_EQ(ran, 0);

  waiters.closed("acme", one);
  EXPECT_EQ(ran, 1);
}

TEST_F(ResultWaitersTest, RunsEachWaiterOnceWhateverComesFirst) {
  std::atomic<int> ran = 0;
  std::atomic<int> cancelled = 0;
  constexpr int count = 2'000;
  std::latch over(count);
  {
    std::atomic<bool> adding = true;
    std::jthread closer([&] {
      while (adding) waiters.closed("acme", one);
    });
    for (int i = 0; i < count; ++i) {
      const auto token = waiters.add("acme", one, Duration{i % 3}, [&](const domain::Execution*) {
        ++ran;
        over.count_down();
      });
      if (i % 2 == 0 && waiters.cancel(token)) {
        ++cancelled;
        over.count_down();
      }
    }
    adding = false;
  }
  over.wait();  // the rest by their timers

  EXPECT_EQ(ran + cancelled, count);
}

}  // namespace
}  // namespace semel::engine
