#include "engine/ready_waiters.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <latch>
#include <string>
#include <thread>
#include <vector>

namespace semel::engine {
namespace {

constexpr Duration for_ever = 24h;
using Names = std::vector<std::string>;

class ReadyWaitersTest : public ::testing::Test {
 protected:
  void TearDown() override { timers.stop(); }  // a time-out that has begun looks at the waiters

  /// Adds a waiter that notes its name when it is woken.
  ReadyWaiters::Token add(const std::string& name, Names queues, std::optional<Names> handlers = std::nullopt) {
    return waiters.add({"acme", std::move(queues), std::move(handlers)}, for_ever,
                       [this, name](bool maybe_ready) { woken.push_back(name + (maybe_ready ? "" : " released")); });
  }

  Names woken;
  Timers timers;
  ReadyWaiters waiters{timers};
};

TEST_F(ReadyWaitersTest, WakesTheOneThatHasWaitedLongest) {
  add("first", {"q"});
  add("second", {"q"});

  waiters.ready("acme", "q", "charge");
  EXPECT_EQ(woken, Names{"first"});

  waiters.ready("acme", "q", "charge");
  EXPECT_EQ(woken, (Names{"first", "second"}));

  waiters.ready("acme", "q", "charge");
  EXPECT_EQ(woken.size(), 2u) << "nobody is left";
}

TEST_F(ReadyWaitersTest, WakesTheLongestWaitingThatWantsTheHandler) {
  add("mail only", {"q"}, Names{"mail"});
  add("charge", {"q"}, Names{"refund", "charge"});
  add("any", {"q"});

  waiters.ready("acme", "q", "charge");
  waiters.ready("acme", "q", "charge");
  waiters.ready("acme", "q", "charge");

  EXPECT_EQ(woken, (Names{"charge", "any"}));
}

TEST_F(ReadyWaitersTest, WakesNobodyOfAnotherQueueOrTenant) {
  add("elsewhere", {"other"});

  waiters.ready("acme", "q", "charge");
  waiters.ready("tenant-2", "other", "charge");
  waiters.ready("acme", "q", std::nullopt);

  EXPECT_TRUE(woken.empty());
}

TEST_F(ReadyWaitersTest, WakesAWaiterOfManyQueuesOnce) {
  add("both", {"a", "b", "a"});
  add("b only", {"b"});

  waiters.ready("acme", "a", "charge");
  waiters.ready("acme", "a", "charge");
  waiters.ready("acme", "b", "charge");

  EXPECT_EQ(woken, (Names{"both", "b only"}));
}

TEST_F(ReadyWaitersTest, WakesAllOfAQueueWhenTheHandlersAreNotKnown) {
  add("mail only", {"q"}, Names{"mail"});
  add("any", {"q", "r"});
  add("elsewhere", {"r"});

  waiters.ready("acme", "q", std::nullopt);

  EXPECT_EQ(woken, (Names{"mail only", "any"}));
}

TEST_F(ReadyWaitersTest, NeverWakesOneThatWasCancelledButTheNext) {
  const auto token = add("gone", {"q", "q"});
  add("next", {"q"});

  EXPECT_TRUE(waiters.cancel(token));
  EXPECT_FALSE(waiters.cancel(token));
  waiters.ready("acme", "q", "charge");

  EXPECT_EQ(woken, Names{"next"});
}

TEST_F(ReadyWaitersTest, CannotCancelOneThatWasWoken) {
  const auto token = add("woken", {"q"});

  waiters.ready("acme", "q", "charge");

  EXPECT_FALSE(waiters.cancel(token));
}

TEST_F(ReadyWaitersTest, TellsThatTheTimeIsOver) {
  std::latch over(1);
  std::atomic<bool> told_ready = true;

  waiters.add({"acme", {"q"}, std::nullopt}, 1ms, [&](bool maybe_ready) {
    told_ready = maybe_ready;
    over.count_down();
  });

  over.wait();
  EXPECT_FALSE(told_ready);
}

TEST_F(ReadyWaitersTest, ReleasesEverybody) {
  add("one", {"q"});

  waiters.release_all();
  waiters.ready("acme", "q", "charge");

  EXPECT_EQ(woken, Names{"one released"});
}

TEST_F(ReadyWaitersTest, LetsACallbackWaitAgain) {
  int times = 0;
  std::function<void(bool)> again = [&](bool) {
    if (++times < 3) waiters.add({"acme", {"q"}, std::nullopt}, for_ever, again);
  };
  waiters.add({"acme", {"q"}, std::nullopt}, for_ever, again);

  for (int i = 0; i < 5; ++i) waiters.ready("acme", "q", "charge");

  EXPECT_EQ(times, 3);
}

TEST_F(ReadyWaitersTest, LosesNoWakeUpOfManyThreads) {
  constexpr int count = 1'000;
  std::atomic<int> ready = 0;
  std::atomic<int> out_of_time = 0;
  for (int i = 0; i < 4 * count; ++i) {
    waiters.add({"acme", {"q"}, std::nullopt}, for_ever,
                [&](bool maybe_ready) { ++(maybe_ready ? ready : out_of_time); });
  }
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([&] {
        for (int j = 0; j < count; ++j) waiters.ready("acme", "q", "charge");
      });
    }
  }

  EXPECT_EQ(ready, 4 * count) << "each task woke one worker";
  EXPECT_EQ(out_of_time, 0);
}

}  // namespace
}  // namespace semel::engine
